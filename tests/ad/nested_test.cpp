// Derivatives inside functions: B(q)ᵀλ and B(q)v of constraints, against formulas derived by hand, as
// numbers, in recordings, and with the derivatives of those recordings (K_t and Z).
//
// Constraints, for a body with rotation R and position x, each with its gradient B. A perturbation
// turns R into R(I + Ω~) and moves x by u (SO(3)×R³) or by R U (SE(3)). With y = Rᵀx it turns y
// into y + y~Ω + Rᵀu (or + U).
//
//     heavy top        Φ = X - Rᵀx        B = (-y~   -Rᵀ)     SO(3)×R³       (-y~   -I)   SE(3)
//     spherical joint  Φ = x + R p - c    B = (-R p~   I)     SO(3)×R³       (-R p~  R)   SE(3)

#include <array>
#include <random>
#include <stdexcept>

#include "all_results.hpp"
#include "liegrad/ad/nested.hpp"
#include "liegrad/lie/product.hpp"
#include "liegrad/lie/se3.hpp"
#include "liegrad/lie/so3xr3.hpp"

namespace liegrad::test {
namespace {

using ad::Taped;
using lie::Mat;
using lie::SE3;
using lie::SO3xR3;
using lie::Vec;
using Vec3 = Vec<double, 3>;
using Vec6 = Vec<double, 6>;

/// A handful of products and sums of numbers of order one.
constexpr double kFormulaTolerance = 1e-14;

const Vec3 kX(0.1, 1, -0.3);
const Vec3 kP(0.4, -0.2, 0.6);
const Vec3 kLambda(1.3, -0.7, 0.5);
const Vec6 kVelocity(-0.6, 0.4, 0.8, 0.2, -0.9, 0.3);

struct HeavyTop {
  template <template <class> class G, class T>
  Vec<T, 3> operator()(const G<T>& q) const {
    return kX.cast<T>() - q.rotation().inverse().transform_vector(q.translation());
  }
  static Mat<double, 3, 6> gradient(const SO3xR3<double>& q) {
    const Mat<double, 3> R = q.rotation().matrix();
    Mat<double, 3, 6> B;
    B << -lie::skew<double>(R.transpose() * q.translation()), -R.transpose();
    return B;
  }
  static Mat<double, 3, 6> gradient(const SE3<double>& q) {
    const Mat<double, 3> R = q.rotation().matrix();
    Mat<double, 3, 6> B;
    B << -lie::skew<double>(R.transpose() * q.translation()), -Mat<double, 3>::Identity();
    return B;
  }
};

struct SphericalJoint {
  template <template <class> class G, class T>
  Vec<T, 3> operator()(const G<T>& q) const {
    return q.transform_point(kP.cast<T>()) - kX.cast<T>();
  }
  static Mat<double, 3, 6> gradient(const SO3xR3<double>& q) {
    Mat<double, 3, 6> B;
    B << -q.rotation().matrix() * lie::skew<double>(kP), Mat<double, 3>::Identity();
    return B;
  }
  static Mat<double, 3, 6> gradient(const SE3<double>& q) {
    Mat<double, 3, 6> B;
    B << -q.rotation().matrix() * lie::skew<double>(kP), q.rotation().matrix();
    return B;
  }
};

template <class Phi, template <class> class G>
void expect_gradient() {
  std::mt19937 rng(7);
  for (int k = 0; k < 5; ++k) {
    const auto q = G<double>::random(rng);
    const Mat<double, 3, 6> B = Phi::gradient(q);
    const Vec6 force = ad::constraint_force(Phi(), q, kLambda);
    const Vec3 rate = ad::constraint_rate<3>(Phi(), q, kVelocity);
    EXPECT_LE((force - B.transpose() * kLambda).norm(), kFormulaTolerance * 10);
    EXPECT_LE((rate - B * kVelocity).norm(), kFormulaTolerance * 10);
    EXPECT_GT(force.norm(), 0.1);
    EXPECT_GT(rate.norm(), 0.1);
  }
}

TEST(ConstraintForceAndRate, AreThoseOfTheGradientDerivedByHand) {
  expect_gradient<HeavyTop, SO3xR3>();
  expect_gradient<HeavyTop, SE3>();
  expect_gradient<SphericalJoint, SO3xR3>();
  expect_gradient<SphericalJoint, SE3>();
}

/// (δ, coeffs of q, λ, v) ↦ B(q∘exp(δ))ᵀλ and B(q∘exp(δ)) v.
template <template <class> class G, class Phi>
ad::Recording force_and_rate(const std::string& name) {
  std::vector<double> at(6 + 7 + 3 + 6, 0.0);
  at[6] = 1;  // a unit quaternion
  return ad::record(
      {.name = name, .variables = 6, .data = 7 + 3 + 6, .at = at}, [](auto x, auto d) {
        const auto q =
            G<Taped>::from_coeffs(Vec<Taped, 7>(d.data())) * G<Taped>::exp(Vec<Taped, 6>(x.data()));
        const Vec<Taped, 3> lambda(d.data() + 7);
        const Vec<Taped, 6> v(d.data() + 10);
        const Vec<Taped, 6> force = ad::constraint_force(Phi(), q, lambda);
        const Vec<Taped, 3> rate = ad::constraint_rate<3>(Phi(), q, v);
        std::vector<Taped> out(force.begin(), force.end());
        out.insert(out.end(), rate.begin(), rate.end());
        return out;
      });
}

template <template <class> class G>
Numbers input(const Vec6& delta, const G<double>& q) {
  const Vec<double, 7> c = q.coeffs();
  Numbers in(delta.begin(), delta.end());
  in.insert(in.end(), c.begin(), c.end());
  in.insert(in.end(), kLambda.begin(), kLambda.end());
  in.insert(in.end(), kVelocity.begin(), kVelocity.end());
  return in;
}

/// ∂/∂δ (Bᵀλ, Bv) at δ = 0: K_t, and Z(v).
using Stiffness = Eigen::Matrix<double, 9, 6, Eigen::RowMajor>;

template <template <class> class G, class Phi>
void expect_derivatives_by_differences(const std::string& name, Stiffness* last = nullptr,
                                       std::vector<G<double>>* where = nullptr) {
  const ad::Recording recording = force_and_rate<G, Phi>(name);
  const ad::KernelSpec spec = {.results = {ad::value(), ad::jacobian()}};
  // Known to be at δ = 0, where most of the work vanishes.
  const ad::KernelSpec at_zero = {.results = {ad::value(), ad::jacobian()},
                                  .zero_inputs = ad::range(0, 6)};
  const std::array kernels = {
      ad::Kernel(recording, spec), ad::Kernel(recording, spec, ad::Backend::kInterpreted),
      ad::Kernel(recording, at_zero), ad::Kernel(recording, at_zero, ad::Backend::kInterpreted)};
  std::mt19937 rng(8);
  for (int k = 0; k < 3; ++k) {
    const auto q = G<double>::random(rng);
    const Numbers in = input<G>(Vec6::Zero(), q);

    // The independent way: the gradient derived by hand at q∘exp(ε e_j), in differences.
    using Differences = DerivativeAlong<double>;
    Stiffness expected;
    for (int j = 0; j < 6; ++j) {
      expected.col(j) = Differences::of([&](double epsilon) -> Column<double> {
                          const Mat<double, 3, 6> B =
                              Phi::gradient(q * G<double>::exp(epsilon * Vec6::Unit(j)));
                          Column<double> y(9);
                          y << B.transpose() * kLambda, B * kVelocity;
                          return y;
                        }).template cast<double>();
    }
    EXPECT_GT(expected.topRows<6>().norm(), 0.1);
    EXPECT_GT(expected.bottomRows<3>().norm(), 0.1);

    const Numbers reference = evaluated(kernels[0], in);
    for (const ad::Kernel& kernel : kernels) {
      const Numbers out = evaluated(kernel, in);
      const Mat<double, 3, 6> B = Phi::gradient(q);
      const Eigen::Map<const Vec6> force(out.data());
      const Eigen::Map<const Vec3> rate(out.data() + 6);
      const Eigen::Map<const Stiffness> jacobian(out.data() + 9);
      EXPECT_LE((force - B.transpose() * kLambda).norm(), 10 * kFormulaTolerance);
      EXPECT_LE((rate - B * kVelocity).norm(), 10 * kFormulaTolerance);
      EXPECT_LE((jacobian - expected).norm(),
                static_cast<double>(Differences::relative_error()) * expected.norm());
      for (std::size_t i = 0; i < out.size(); ++i) {
        EXPECT_NEAR(out[i], reference[i], kBackendTolerance * std::max(1.0, expected.norm()));
      }
      if (last != nullptr) *last = jacobian;
    }
    if (where != nullptr) where->push_back(q);
  }
}

TEST(ConstraintForceAndRate, HaveDerivativesInRecordings) {
  expect_derivatives_by_differences<SO3xR3, HeavyTop>("heavy_top_product");
  expect_derivatives_by_differences<SO3xR3, SphericalJoint>("spherical_product");
  expect_derivatives_by_differences<SE3, SphericalJoint>("spherical_motion");

  // Heavy top on SE(3), where y changes by y~Ω + U: K_t and Z are short enough for the hand, too.
  Stiffness last;
  std::vector<SE3<double>> where;
  expect_derivatives_by_differences<SE3, HeavyTop>("heavy_top_motion", &last, &where);
  const SE3<double>& q = where.back();
  const Vec3 y = q.rotation().inverse().transform_vector(q.translation());
  const auto tilde = [](const Vec3& v) { return lie::skew<double>(v); };
  Stiffness expected = Stiffness::Zero();
  expected.block<3, 3>(0, 0) = -tilde(kLambda) * tilde(y);  // d(y×λ) = -λ~ dy
  expected.block<3, 3>(0, 3) = -tilde(kLambda);
  expected.block<3, 3>(6, 0) = tilde(kVelocity.head<3>()) * tilde(y);  // d(-y×Ω) = Ω~ dy
  expected.block<3, 3>(6, 3) = tilde(kVelocity.head<3>());
  EXPECT_LE((last - expected).norm(), kFormulaTolerance * 10);
}

template <class S>
using TwoBodies = lie::Product<SE3<S>, SE3<S>>;

TEST(ConstraintForceAndRate, WorkForTwoBodies) {
  // Φ = x₁ + R₁p - x₂, so B = (-R₁p~  R₁  0  -R₂).
  const auto phi = []<class T>(const TwoBodies<T>& q) -> Vec<T, 3> {
    return q.template part<0>().transform_point(kP.cast<T>()) - q.template part<1>().translation();
  };
  std::mt19937 rng(9);
  const auto first = SE3<double>::random(rng), second = SE3<double>::random(rng);
  Mat<double, 3, 12> B;
  B << SphericalJoint::gradient(first), Mat<double, 3>::Zero(), -second.rotation().matrix();
  const TwoBodies<double> q(first, second);
  const Vec<double, 12> force = ad::constraint_force<TwoBodies>(phi, q, kLambda);
  EXPECT_LE((force - B.transpose() * kLambda).norm(), 10 * kFormulaTolerance);
}

// ---------------------------------------------------------------- functions of vectors

/// (x, y, z) ↦ (x y² + sin z, y z³).
constexpr auto kFunction = []<class T>(const Vec<T, 3>& v) -> Vec<T, 2> {
  using std::sin;
  return {v(0) * v(1) * v(1) + sin(v(2)), v(1) * v(2) * v(2) * v(2)};
};

TEST(NestedDerivatives, OfAVectorFunctionAreThoseDerivedByHand) {
  const Vec3 v(0.7, -1.2, 0.4);
  Mat<double, 2, 3> expected;
  expected << v(1) * v(1), 2 * v(0) * v(1), std::cos(v(2)),  //
      0, std::pow(v(2), 3), 3 * v(1) * v(2) * v(2);
  EXPECT_LE((ad::nested_jacobian<2>(kFunction, v) - expected).norm(), kFormulaTolerance);
  const Vec<double, 2> w(0.3, -0.8);
  const Vec3 d(1.1, 0.2, -0.5);
  EXPECT_LE((ad::nested_transpose_times(kFunction, v, w) - expected.transpose() * w).norm(),
            kFormulaTolerance);
  EXPECT_LE((ad::nested_jacobian_times<2>(kFunction, v, d) - expected * d).norm(),
            kFormulaTolerance);
}

TEST(NestedDerivatives, CanBeRecordedAndDifferentiatedTwiceMore) {
  // The inner product of the rows of J: x y² ... = 2 x y z³ + 3 y z² cos z, a plain function.
  const auto f = ad::record({.name = "rows", .variables = 3}, [](auto x, auto) {
    const Mat<Taped, 2, 3> J = ad::nested_jacobian<2>(kFunction, Vec<Taped, 3>(x[0], x[1], x[2]));
    return std::array{Taped(J.row(0).dot(J.row(1)))};
  });
  const auto plain = ad::record({.name = "plain", .variables = 3}, [](auto v, auto) {
    const Taped &x = v[0], &y = v[1], &z = v[2];
    return std::array{Taped(2.0 * x * y * z * z * z + 3.0 * y * z * z * cos(z))};
  });
  const ad::KernelSpec spec = {.results = {ad::value(), ad::jacobian(), ad::hessian()}};
  const ad::Kernel nested(f, spec), by_hand(plain, spec, ad::Backend::kInterpreted);
  EXPECT_EQ(nested.layout().num_outputs, by_hand.layout().num_outputs);
  const Numbers in = {0.7, -1.2, 0.4, 1.0};
  const Numbers out = evaluated(nested, in), expected = evaluated(by_hand, in);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(out[i], expected[i], kFormulaTolerance * 10);
    EXPECT_GT(std::abs(expected[i]), 1e-3);
  }
}

TEST(NestedDerivatives, LeaveCppadAbleToRecordWhenTheFunctionThrows) {
  const auto throws = []<class T>(const Vec<T, 3>&) -> Vec<T, 2> {
    throw std::domain_error("not here");
  };
  EXPECT_THROW(ad::nested_jacobian<2>(throws, kX), std::domain_error);
  const auto record_it = [&] {
    return ad::record({.name = "outer", .variables = 3}, [&](auto x, auto) {
      const Mat<Taped, 2, 3> J = ad::nested_jacobian<2>(throws, Vec<Taped, 3>(x[0], x[1], x[2]));
      return std::array{J(0, 0)};
    });
  };
  EXPECT_THROW(record_it(), std::domain_error);
  EXPECT_THROW(record_it(), std::domain_error);
  EXPECT_EQ(ad::nested_jacobian<2>(kFunction, kX)(1, 0), 0);
  const auto works = ad::record({.name = "works", .variables = 1},
                                [](auto x, auto) { return std::array{Taped(x[0] * x[0])}; });
  EXPECT_EQ(works.num_outputs(), 1);
}

}  // namespace
}  // namespace liegrad::test
