// The statements of docs/conventions.md, one test for each. The laws of the groups are tested
// elsewhere; here are the choices that laws leave open.

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "liegrad/ad/jet_scalar.hpp"
#include "liegrad/ad/kernel.hpp"
#include "liegrad/ad/scalar.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/lie/group_list.hpp"
#include "liegrad/lie/operations.hpp"
#include "liegrad/lie/product.hpp"
#include "liegrad/lie/se2.hpp"
#include "liegrad/lie/se3.hpp"
#include "liegrad/lie/so3xr3.hpp"

namespace liegrad::lie {
namespace {

using A = CppAD::AD<double>;
using Column = Eigen::VectorXd;
using ADColumn = Eigen::Matrix<A, Eigen::Dynamic, 1>;
using Vec3 = Vec<double, 3>;
using Vec4 = Vec<double, 4>;
using Vec6 = Vec<double, 6>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kPi = std::numbers::pi;
/// A handful of roundings of numbers of order one.
constexpr double kRounding = 16 * kEpsilon;

const Vec3 kOmega(0.3, -0.7, 0.5);
const Vec6 kTangent = (Vec6() << 0.3, -0.7, 0.5, 1.1, 0.2, -0.4).finished();

template <class X, class Y>
double largest_difference(const X& x, const Y& y) {
  return (x - y).cwiseAbs().maxCoeff();
}

/// The function f of n variables, recorded at zero.
template <class F>
CppAD::ADFun<double> recorded_at_zero(int n, F&& f) {
  ADColumn x = ADColumn::Zero(n);
  CppAD::Independent(x);
  const ADColumn y = f(x);
  return CppAD::ADFun<double>(x, y);
}

Eigen::MatrixXd jacobian(CppAD::ADFun<double>& tape, const Column& x) {
  const Column entries = tape.Jacobian(x);
  return Eigen::Map<const Eigen::MatrixXd>(entries.data(), x.size(), entries.size() / x.size())
      .transpose();
}

TEST(Conventions, PerturbationsActFromTheRight) {
  const auto q = SE3<double>::exp(kTangent);
  const Vec3 point(1.0, 2.0, 3.0);
  auto tape = recorded_at_zero(6, [&](const ADColumn& delta) {
    return ADColumn(plus<SE3<A>>(q.cast<A>(), delta).transform_point(point.cast<A>()));
  });
  // A body-fixed point moves with R (Ω × X + U).
  Mat<double, 3, 6> expected;
  expected << -skew<double>(point), Mat<double, 3>::Identity();
  expected = q.rotation().matrix() * expected;
  EXPECT_LE(largest_difference(jacobian(tape, Column::Zero(6)), expected), kRounding);
}

TEST(Conventions, RotationComesFirstInATangentVector) {
  Vec6 turn = Vec6::Zero(), move = Vec6::Zero();
  turn.head<3>() = kOmega;
  move.tail<3>() = kOmega;
  EXPECT_EQ(SE3<double>::exp(turn).translation(), Vec3(Vec3::Zero()));
  EXPECT_EQ(SO3xR3<double>::exp(turn).translation(), Vec3(Vec3::Zero()));
  EXPECT_EQ(SE3<double>::exp(move).rotation().coeffs(), SO3<double>::identity().coeffs());
  EXPECT_EQ(SO3xR3<double>::exp(move).rotation().coeffs(), SO3<double>::identity().coeffs());
  EXPECT_EQ(SE2<double>::exp(Vec3(0.5, 0.0, 0.0)).translation(), (Vec<double, 2>(0.0, 0.0)));
}

TEST(Conventions, LinearVelocityIsInertialInTheProductAndBodyFixedInSE3) {
  const auto rotation = SO3<double>::exp(kOmega);
  Vec6 move = Vec6::Zero();
  move(3) = 1.0;
  const auto product = plus(SO3xR3<double>(rotation, Vec3::Zero()), move);
  const auto rigid = plus(SE3<double>(rotation, Vec3::Zero()), move);
  EXPECT_EQ(product.translation(), Vec3(1.0, 0.0, 0.0));
  EXPECT_LE(largest_difference(rigid.translation(), rotation.matrix().col(0)), kRounding);
}

TEST(Conventions, TangentOperatorGivesTheBodyVelocity) {
  // θ(t) = θ + t d; the velocity v of exp(θ(t)) at t = 0 satisfies d/dt R = R Ω~, d/dt x = R U.
  const Vec6 d = (Vec6() << -0.2, 0.4, 0.9, 0.3, -0.6, 0.8).finished();
  auto tape = recorded_at_zero(1, [&](const ADColumn& t) {
    const Vec<A, 6> theta = kTangent.cast<A>() + t(0) * d.cast<A>();
    const Mat<A, 4> m = SE3<A>::exp(theta).matrix();
    return ADColumn(Eigen::Map<const Vec<A, 16>>(m.data()));
  });
  const Column entries = jacobian(tape, Column::Zero(1));
  const Mat<double, 4> rate(entries.data());
  const Mat<double, 4> body = SE3<double>::exp(kTangent).inverse().matrix() * rate;
  const Vec6 v = SE3<double>::tangent_operator(kTangent) * d;
  EXPECT_LE(largest_difference(body, SE3<double>::hat(v)), kRounding);
}

TEST(Conventions, TangentOperatorIsTheSeriesInTheHatOperator) {
  const Mat<double, 6> ad = SE3<double>::ad(kTangent);
  Mat<double, 6> sum = Mat<double, 6>::Zero(), term = Mat<double, 6>::Identity();
  for (int i = 0; i < 30; ++i) {
    sum += term;
    term = (-1.0 / (i + 2)) * term * ad;
  }
  EXPECT_LE(largest_difference(SE3<double>::tangent_operator(kTangent), sum), kRounding);
}

TEST(Conventions, MinusUndoesPlus) {
  std::mt19937 rng(1);
  const auto a = SE3<double>::random(rng), b = SE3<double>::random(rng);
  EXPECT_LE(largest_difference(minus(plus(a, kTangent), a), kTangent), kRounding);
  EXPECT_LE(largest_difference(plus(a, minus(b, a)).matrix(), b.matrix()), kRounding);
}

TEST(Conventions, QuaternionsAreOrderedScalarFirst) {
  const double half = kPi / 6;
  const auto q = SO3<double>::exp(Vec3(0.0, 0.0, kPi / 3)).coeffs();
  EXPECT_LE(largest_difference(q, Vec4(std::cos(half), 0, 0, std::sin(half))), kRounding);
}

TEST(Conventions, WrittenQuaternionsHaveNonNegativeScalarPart) {
  const Vec4 negative(-0.5, 0.5, -0.5, 0.5);
  const auto rotation = SO3<double>::from_coeffs(negative);
  EXPECT_EQ(rotation.coeffs(), negative);
  EXPECT_EQ(rotation.quaternion(), Vec4(-negative));
  EXPECT_EQ(rotation.log(), SO3<double>::from_coeffs(-negative).log());
  // Composition chooses no sign: three quarters of a turn, twice.
  const auto turn = SO3<double>::exp(Vec3(1.5 * kPi, 0.0, 0.0));
  EXPECT_LT(turn.coeffs()(0), 0.0);
  EXPECT_LT((turn * SO3<double>::identity()).coeffs()(0), 0.0);
}

TEST(Conventions, RotationMatrixTakesBodyToInertialCoordinates) {
  // A quarter turn about z brings the body's x axis to the inertial y axis.
  const auto quarter = SO3<double>::exp(Vec3(0.0, 0.0, kPi / 2));
  EXPECT_LE(largest_difference(quarter.matrix() * Vec3::UnitX(), Vec3::UnitY()), kRounding);
  EXPECT_LE(largest_difference(quarter.transform_point(Vec3::UnitX()), Vec3::UnitY()), kRounding);
}

TEST(Conventions, AnglesAreRadians) {
  EXPECT_NEAR(SO2<double>::from_angle(kPi / 2).coeffs()(1), 1.0, kRounding);
  EXPECT_NEAR(distance(SO3<double>::identity(), SO3<double>::exp(Vec3(0, 1, 0))), 1.0, kRounding);
}

TEST(Conventions, HessiansAreTheLowerTriangleRowByRow) {
  // The Hessian has the number 10 row + col in place (row, col), but nothing in place (2, 0).
  const auto recording = ad::record({.name = "quadratic", .variables = 3}, [](auto x, auto) {
    return std::array{5.0 * x[0] * x[0] + 10.0 * x[1] * x[0] + 5.5 * x[1] * x[1] +
                      21.0 * x[2] * x[1] + 11.0 * x[2] * x[2]};
  });
  const ad::Kernel kernel(recording, {.results = {ad::hessian()}}, ad::Backend::kInterpreted);
  EXPECT_EQ(kernel.layout().parts[0].pattern,
            (ad::Pattern{{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 2}}));
  std::vector<double> lower(5);
  kernel(std::vector<double>{0.3, 0.1, 0.2, /*weight*/ 1.0}, lower);
  EXPECT_EQ(lower, (std::vector<double>{10, 10, 11, 21, 22}));
}

TEST(Conventions, CoefficientsAreLaidOutAsDocumented) {
  const Vec3 x(7.0, 8.0, 9.0);
  const auto rotation = SO3<double>::exp(kOmega);
  const auto turn = SO2<double>::from_angle(0.4);
  Vec<double, 7> pose;
  pose << rotation.coeffs(), x;

  EXPECT_EQ((Rn<double, 3>::exp(x).coeffs()), x);
  EXPECT_EQ(turn.coeffs(), (Vec<double, 2>(std::cos(0.4), std::sin(0.4))));
  EXPECT_EQ(SE2<double>(turn, x.head<2>()).coeffs(), Vec4(std::cos(0.4), std::sin(0.4), 7.0, 8.0));
  EXPECT_EQ(SE3<double>(rotation, x).coeffs(), pose);
  EXPECT_EQ(SO3xR3<double>(rotation, x).coeffs(), pose);

  Vec<double, 5> both;
  both << turn.coeffs(), x;
  EXPECT_EQ((Product<SO2<double>, Rn<double, 3>>(turn, Rn<double, 3>::exp(x)).coeffs()), both);
  const GroupList list({NodeGroup::so2(), NodeGroup::rn(3)});
  const std::array<double, 4> tangent = {0.4, 7.0, 8.0, 9.0};
  std::array<double, 5> flat;
  list.exp<double>(tangent, flat);
  EXPECT_EQ((Vec<double, 5>(flat.data())), both);
}

TEST(Conventions, CompositionRestoresTheUnitNorm) {
  const double error = 1e-5;
  const auto off = SO3<double>::from_coeffs((1 + error) * SO3<double>::exp(kOmega).coeffs());
  const double norm = (off * SO3<double>::identity()).coeffs().norm();
  EXPECT_NEAR(norm - 1, -1.5 * error * error, 2 * error * error * error);
}

TEST(Conventions, ADScalarsComposeWithoutTheNormStep) {
  const Vec4 off = 1.25 * SO3<double>::exp(kOmega).coeffs();
  const auto taped = SO3<double>::from_coeffs(off).cast<A>() * SO3<A>::identity();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(value_of<A>(taped.coeffs()(i)), off(i));

  // … and the derivative of the composition of plain numbers, norm step included, is the same.
  const double step = 1e-3;
  const auto at = [](double t) {
    return (SO3<double>::exp(kOmega) * SO3<double>::exp(t * Vec3::UnitX())).coeffs();
  };
  auto tape = recorded_at_zero(1, [&](const ADColumn& t) {
    const Vec<A, 3> axis(t(0), A(0), A(0));
    return ADColumn((SO3<double>::exp(kOmega).cast<A>() * SO3<A>::exp(axis)).coeffs());
  });
  const Column difference =
      (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
  EXPECT_LE(largest_difference(jacobian(tape, Column::Zero(1)), difference), std::pow(step, 4));
}

TEST(Conventions, UserRotationsAreCheckedAndCleaned) {
  const Vec4 unit = SO3<double>::exp(kOmega).coeffs();
  const Mat<double, 3> matrix = SO3<double>::exp(kOmega).matrix();
  EXPECT_EQ(SO3<double>::from_coeffs(2.0 * unit).coeffs(), Vec4(2.0 * unit));
  EXPECT_NEAR(SO3<double>::from_quaternion((1 + 9e-6) * unit).coeffs().norm(), 1.0, kRounding);
  EXPECT_THROW(SO3<double>::from_quaternion((1 + 1.1e-5) * unit), InvalidArgument);
  EXPECT_NEAR(SO3<double>::from_matrix((1 + 4e-6) * matrix).coeffs().norm(), 1.0, kRounding);
  EXPECT_THROW(SO3<double>::from_matrix((1 + 2e-5) * matrix), InvalidArgument);
}

TEST(Conventions, LogarithmIsAccurateUpToPi) {
  const Vec3 axis = kOmega.normalized();
  // The scalar part at π is a rounding error of either sign, so there a half turn back is as good.
  for (const double angle : {0.0, 1e-300, 1e-8, 0.5, 2.0, 3.0, kPi - 1e-8, kPi - 1e-15}) {
    const Vec3 omega = angle * axis;
    EXPECT_LE((SO3<double>::exp(omega).log() - omega).norm(), 4 * kEpsilon * angle) << angle;
  }
  const Vec3 half_turn = SO3<double>::exp(kPi * axis).log();
  EXPECT_LE(std::min((half_turn - kPi * axis).norm(), (half_turn + kPi * axis).norm()),
            4 * kEpsilon * kPi);
}

TEST(Conventions, LogarithmOnATapeCrossesPi) {
  auto tape = recorded_at_zero(3, [](const ADColumn& theta) {
    const Vec<A, 3> small = A(0.5) * theta;
    return ADColumn((SO3<A>::exp(small) * SO3<A>::exp(small)).log());
  });
  const Vec3 axis = kOmega.normalized();
  const Column below = (kPi - 0.1) * axis, above = (kPi + 0.1) * axis;
  EXPECT_LE(largest_difference(tape.Forward(0, below), below), kRounding);
  EXPECT_LE(largest_difference(tape.Forward(0, above), (above.norm() - 2 * kPi) * axis), kRounding);
  EXPECT_EQ(tape.compare_change_number(), 0u);

  // log(exp(θ)) is θ on this side; on the other its derivative is T⁻¹(log) T(θ).
  EXPECT_LE(largest_difference(jacobian(tape, below), Mat<double, 3>::Identity()), kRounding);
  const Vec3 there = (above.norm() - 2 * kPi) * axis;
  const Mat<double, 3> expected =
      SO3<double>::tangent_operator_inverse(there) * SO3<double>::tangent_operator(Vec3(above));
  EXPECT_LE(largest_difference(jacobian(tape, above), expected), kRounding);
}

TEST(Conventions, TangentOperatorInverseHasItsFirstPoleAtTwoPi) {
  for (const double gap : {1e-2, 1e-4, 1e-6}) {
    const Vec3 omega((2 * kPi - gap) * kOmega.normalized());
    const double size = SO3<double>::tangent_operator_inverse(omega).norm();
    // Ω~² has two eigenvalues -θ², so the Frobenius norm has a factor √2.
    EXPECT_NEAR(size * gap / (2 * kPi), std::numbers::sqrt2, gap);
    EXPECT_LE(largest_difference(SO3<double>::tangent_operator(omega) *
                                     SO3<double>::tangent_operator_inverse(omega),
                                 Mat<double, 3>::Identity()),
              kRounding * 2 * kPi / gap);
  }
}

TEST(Conventions, OnlyTypesThatSayHowTheySelectAreScalars) {
  static_assert(Scalar<float> && Scalar<double> && Scalar<long double>);
  static_assert(Scalar<A> && Scalar<CppAD::AD<A>> && Scalar<ceres::Jet<double, 3>>);
  static_assert(!Scalar<int> && !Scalar<std::complex<double>>);
}

TEST(Conventions, SelectSurvivesReplayWhereAnIfDoesNot) {
  const auto with_select = [](const ADColumn& x) {
    return ADColumn(ADColumn::Constant(1, select_lt<A>(x(0), A(1), x(0) * x(0), A(7) * x(0))));
  };
  const auto with_if = [](const ADColumn& x) {
    return ADColumn(ADColumn::Constant(1, x(0) < A(1) ? x(0) * x(0) : A(7) * x(0)));
  };
  auto select = recorded_at_zero(1, with_select), frozen = recorded_at_zero(1, with_if);
  const Column two = Column::Constant(1, 2.0);
  EXPECT_EQ(select.Forward(0, two)(0), 14.0);
  EXPECT_EQ(select.Jacobian(two)(0), 7.0);
  EXPECT_EQ(select.compare_change_number(), 0u);
  EXPECT_EQ(frozen.Forward(0, two)(0), 4.0);  // silently wrong
  EXPECT_EQ(frozen.compare_change_number(), 1u);
}

TEST(Conventions, MistakesOfTheCallerThrowInvalidArgument) {
  static_assert(std::is_base_of_v<std::runtime_error, Error>);
  static_assert(std::is_base_of_v<Error, InvalidArgument>);
  try {
    SO3<double>::from_quaternion(Vec4(2, 0, 0, 0));
    FAIL() << "a quaternion of norm 2 was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(std::string(error.what()),
              "quaternion (2, 0, 0, 0) in the order w, x, y, z has norm 2 instead of 1; normalise "
              "it, and check the order of its components");
  }
  Mat<double, 3> reflection = Mat<double, 3>::Identity();
  reflection(2, 2) = -1;
  EXPECT_THROW(SO3<double>::from_matrix(reflection), InvalidArgument);
  EXPECT_THROW(GroupList({NodeGroup::rn(-1)}), InvalidArgument);
}

TEST(Conventions, NaNGivesNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Vec6 v = Vec6::Constant(nan);
  EXPECT_TRUE(SE3<double>::exp(v).coeffs().array().isNaN().all());
  EXPECT_TRUE(SE3<double>::from_coeffs(Vec<double, 7>::Constant(nan)).log().array().isNaN().all());
  EXPECT_TRUE(SO3<double>::tangent_operator(Vec3::Constant(nan)).array().isNaN().all());
  EXPECT_TRUE(SO3<double>::tangent_operator_inverse(Vec3::Constant(nan)).array().isNaN().all());
  EXPECT_THROW(SO3<double>::from_quaternion(Vec4::Constant(nan)), InvalidArgument);
  EXPECT_THROW(SO3<double>::from_matrix(Mat<double, 3>::Constant(nan)), InvalidArgument);
}

}  // namespace
}  // namespace liegrad::lie
