// Rotation matrices, quaternions and rotation vectors in and out of SO(3), and random elements.

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "liegrad/ad/jet_scalar.hpp"
#include "liegrad/ad/scalar.hpp"
#include "liegrad/lie/operations.hpp"
#include "liegrad/lie/product.hpp"
#include "liegrad/lie/relative_rotation.hpp"
#include "liegrad/lie/se2.hpp"
#include "liegrad/lie/se3.hpp"
#include "liegrad/lie/so3xr3.hpp"

namespace liegrad::lie {
namespace {

/// An entry of a rotation matrix is a sum of products of components of a unit quaternion, which is
/// itself found with a square root and a division: fewer than 16 roundings of numbers below 1.
template <class S>
constexpr double kTolerance = 16 * double(std::numeric_limits<RealOf<S>>::epsilon());

/// Rotations whose largest quaternion component is w, x, y, z in turn; then ties and half turns.
std::vector<Vec<double, 4>> quaternions_of_every_branch() {
  std::vector<Vec<double, 4>> result = {
      {0.9, 0.1, -0.2, 0.3}, {0.1, 0.9, 0.2, -0.3}, {-0.2, 0.1, 0.9, 0.3}, {0.3, -0.2, 0.1, 0.9},
      {1, 1, 1, 1},          {1, -1, 1, -1},        {1, 0, 0, 0},          {0, 1, 0, 0},
      {0, 0, 1, 0},          {0, 0, 0, 1},          {0, 1, -1, 0},         {1e-9, 0.6, 0, 0.8},
      {1, 1e-9, 0, -1e-300}};
  for (auto& q : result) q.normalize();
  return result;
}

template <class S>
Vec<S, 4> cast(const Vec<double, 4>& q) {
  return q.unaryExpr([](double x) { return static_cast<RealOf<S>>(x); }).template cast<S>().eval();
}

template <class S>
void expect_conversions_on() {
  for (const auto& q : quaternions_of_every_branch()) {
    const auto g = SO3<S>::from_quaternion(cast<S>(q));
    const auto through_matrix = SO3<S>::from_matrix(g.matrix());
    const auto through_vector = SO3<S>::from_rotation_vector(g.rotation_vector());
    double with_matrix = 0, with_vector = 0;  // ±1 for the same rotation
    for (int i = 0; i < 4; ++i) {
      const double own = static_cast<double>(value_of<S>(g.coeffs()(i)));
      EXPECT_NEAR(std::abs(own), std::abs(q(i)), kTolerance<S>);
      with_matrix += own * static_cast<double>(value_of<S>(through_matrix.coeffs()(i)));
      with_vector += own * static_cast<double>(value_of<S>(through_vector.coeffs()(i)));
    }
    // The dot product sees an error only squared; that the components agree is seen next.
    EXPECT_NEAR(std::abs(with_matrix), 1, kTolerance<S>);
    EXPECT_NEAR(std::abs(with_vector), 1, kTolerance<S>);
    const auto a = g.matrix(), b = through_matrix.matrix(), c = through_vector.matrix();
    for (int i = 0; i < 9; ++i) {
      const double entry = static_cast<double>(value_of<S>(a(i)));
      EXPECT_NEAR(entry, static_cast<double>(value_of<S>(b(i))), kTolerance<S>) << q.transpose();
      EXPECT_NEAR(entry, static_cast<double>(value_of<S>(c(i))), kTolerance<S>) << q.transpose();
    }
    // Written with w ≥ 0.
    EXPECT_GE(value_of<S>(g.quaternion()(0)), 0);
  }
}

TEST(RotationConversions, RoundTripInFloat) { expect_conversions_on<float>(); }
TEST(RotationConversions, RoundTripInDouble) { expect_conversions_on<double>(); }
TEST(RotationConversions, RoundTripOnTapes) { expect_conversions_on<CppAD::AD<double>>(); }
TEST(RotationConversions, RoundTripOnJets) { expect_conversions_on<ceres::Jet<double, 3>>(); }

// Eigen's own conversions, an independent witness; its constructor takes w, x, y, z.
TEST(RotationConversions, AgreeWithEigen) {
  for (const auto& q : quaternions_of_every_branch()) {
    const Eigen::Matrix3d r = Eigen::Quaterniond(q(0), q(1), q(2), q(3)).toRotationMatrix();
    EXPECT_LE((SO3<double>::from_quaternion(q).matrix() - r).cwiseAbs().maxCoeff(),
              kTolerance<double>);
    const Eigen::AngleAxisd angle_axis(r);
    const Eigen::Matrix3d from_vector =
        SO3<double>::from_rotation_vector(angle_axis.angle() * angle_axis.axis()).matrix();
    EXPECT_LE((from_vector - r).cwiseAbs().maxCoeff(),
              1e-7);  // AngleAxis loses half the digits near π
  }
}

// d/dε of R exp(εw) through from_matrix and log is T⁻¹(log R) w: the branches carry derivatives too.
TEST(RotationConversions, DerivativesPassThroughEveryBranch) {
  using Jet = ceres::Jet<double, 1>;
  const Vec<double, 3> w(0.3, -0.7, 0.2);
  for (const auto& q : quaternions_of_every_branch()) {
    const auto g = SO3<double>::from_quaternion(q);
    Vec<Jet, 3> step = Vec<Jet, 3>::Constant(Jet(0));
    for (int i = 0; i < 3; ++i) step(i).v[0] = w(i);
    const auto moved = SO3<Jet>::from_matrix((g.cast<Jet>() * SO3<Jet>::exp(step)).matrix()).log();
    Vec<double, 3> omega, rate;
    for (int i = 0; i < 3; ++i) omega(i) = moved(i).a, rate(i) = moved(i).v[0];
    EXPECT_LE((SO3<double>::tangent_operator_inverse(omega) * w - rate).norm(), kTolerance<double>)
        << q.transpose();
  }
}

TEST(RotationConversions, SmallErrorsOfPrintedNumbersAreRemoved) {
  const auto g = SO3<double>::from_quaternion({0.707107, 0.707107, 0, 0});
  EXPECT_NEAR(g.coeffs().norm(), 1, kTolerance<double>);
}

/// The message of the InvalidArgument that f throws.
template <class F>
std::string validation_message(F&& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no validation_message";
}

TEST(RotationConversions, SayWhatIsWrongWithAQuaternion) {
  EXPECT_EQ(validation_message([] {
              SO3<double>::from_quaternion({1, 2, 0, 0.5});
            }),
            "quaternion (1, 2, 0, 0.5) in the order w, x, y, z has norm 2.29129 instead of 1; "
            "normalise it, and "
            "check the order of its components");
  EXPECT_EQ(validation_message([] {
              SO3<double>::from_quaternion({std::nan(""), 0, 0, 0});
            }),
            "quaternion (nan, 0, 0, 0) in the order w, x, y, z has norm nan instead of 1; "
            "normalise it, and check "
            "the order of its components");
}

TEST(RotationConversions, SayWhatIsWrongWithAMatrix) {
  Mat<double, 3> m = Mat<double, 3>::Identity();
  m(0, 1) = 0.25;
  EXPECT_EQ(validation_message([&] { SO3<double>::from_matrix(m); }),
            "rotation matrix is not orthonormal: an entry of RᵀR - I has size 0.25; orthonormalise "
            "it first");
  m = Mat<double, 3>::Identity();
  m(2, 2) = -1;
  EXPECT_EQ(validation_message([&] { SO3<double>::from_matrix(m); }),
            "rotation matrix has determinant -1 (a reflection); swap or negate one of its axes");
  Mat<double, 4> pose = Mat<double, 4>::Identity();
  pose(2, 2) = -1;
  EXPECT_EQ(validation_message([&] { SE3<double>::from_matrix(pose); }),
            "rotation matrix has determinant -1 (a reflection); swap or negate one of its axes");
  m(0, 0) = std::nan("");
  EXPECT_NE(validation_message([&] { SO3<double>::from_matrix(m); }), "no validation_message");
}

TEST(RotationConversions, MotionsComeBackFromTheirMatrix) {
  std::mt19937 rng(3);
  const auto g = random<SE3<double>>(rng);
  EXPECT_LE((SE3<double>::from_matrix(g.matrix()).matrix() - g.matrix()).cwiseAbs().maxCoeff(),
            4 * kTolerance<double>);  // translations reach 4
}

// ---------------------------------------------------------------- random elements

// Haar measure of SO(3): the angle has density (1 - cos θ)/π on [0, π], and R has mean zero. Over N
// samples the sampled distribution function is within 1.95/√N of it with probability 0.999
// (Kolmogorov-Smirnov), and a mean within four of its standard deviations.
TEST(RandomElements, AreUniformOnSO3) {
  constexpr int kSamples = 40000;
  std::mt19937 rng(2718);
  std::vector<double> angles;
  Mat<double, 3> mean = Mat<double, 3>::Zero();
  for (int i = 0; i < kSamples; ++i) {
    const auto g = random<SO3<double>>(rng);
    angles.push_back(g.log().norm());
    mean += g.matrix() / kSamples;
  }
  std::sort(angles.begin(), angles.end());
  double largest = 0, largest_if_angles_were_uniform = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double theta = angles[static_cast<std::size_t>(i)], sampled = (i + 0.5) / kSamples;
    largest = std::max(largest, std::abs(sampled - (theta - std::sin(theta)) / std::numbers::pi));
    largest_if_angles_were_uniform =
        std::max(largest_if_angles_were_uniform, std::abs(sampled - theta / std::numbers::pi));
  }
  EXPECT_LT(largest, 1.95 / std::sqrt(kSamples));
  EXPECT_GT(largest_if_angles_were_uniform,
            0.1);  // a rotation vector drawn from a ball would be told apart
  // Each entry of R has variance 1/3.
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), 4 * std::sqrt(1 / 3.0 / kSamples));
}

TEST(RandomElements, AreUniformOnSO2) {
  constexpr int kSamples = 10000;
  std::mt19937 rng(31);
  std::vector<double> angles;
  for (int i = 0; i < kSamples; ++i) angles.push_back(random<SO2<double>>(rng).angle());
  std::sort(angles.begin(), angles.end());
  for (int i = 0; i < kSamples; ++i) {
    const double expected = (angles[static_cast<std::size_t>(i)] / std::numbers::pi + 1) / 2;
    EXPECT_NEAR((i + 0.5) / kSamples, expected, 1.95 / std::sqrt(kSamples));
  }
}

TEST(RandomElements, AreTheSameForTheSameSeed) {
  std::mt19937 a(5), b(5);
  EXPECT_EQ(random<SE3<double>>(a).coeffs(), random<SE3<double>>(b).coeffs());
}

// ---------------------------------------------------------------- relative rotations

TEST(RelativeRotation, IsRecordedAtTheIdentityAndReplayedInEveryBranch) {
  using Taped = CppAD::AD<double>;
  std::vector<Taped> x(9, Taped(0));
  for (std::size_t i = 0; i < 9; i += 4) x[i] = 1;
  CppAD::Independent(x);
  const rotation::RelativeRotation<Taped> recorded(Eigen::Map<const Mat<Taped, 3>>(x.data()));
  const Mat<Taped, 3> half = recorded.halfway();
  std::vector<Taped> y(recorded.vector.begin(), recorded.vector.end());
  for (int i = 0; i < 9; ++i) y.push_back(half(i));
  CppAD::ADFun<double> tape(x, y);
  for (const auto& q : quaternions_of_every_branch()) {
    const auto g = SO3<double>::from_quaternion(q);
    const Mat<double, 3> r = g.matrix();
    const std::vector<double> replayed =
        tape.Forward(0, std::vector<double>(r.data(), r.data() + 9));
    EXPECT_EQ(tape.compare_change_number(), 0u);
    const auto back = SO3<double>::exp(Eigen::Map<const Vec<double, 3>>(replayed.data()));
    EXPECT_LT((back.matrix() - r).cwiseAbs().maxCoeff(), 2 * kTolerance<double>) << q.transpose();
    const Eigen::Map<const Mat<double, 3>> halfway(replayed.data() + 3);
    EXPECT_LT((halfway * halfway - r).cwiseAbs().maxCoeff(), 2 * kTolerance<double>);
    EXPECT_LT(rotation::logarithm<double>(r).norm(), std::numbers::pi + kTolerance<double>);
  }
}

// ---------------------------------------------------------------- SO(3)×R³ is a product

TEST(SO3xR3, IsTheProductOfItsParts) {
  using Pose = SO3xR3<double>;
  using Pair = Product<SO3<double>, Rn<double, 3>>;
  std::mt19937 rng(11);
  for (int i = 0; i < 20; ++i) {
    const Pose g = random<Pose>(rng), h = random<Pose>(rng);
    const auto gp = Pair::from_coeffs(g.coeffs()), hp = Pair::from_coeffs(h.coeffs());
    const Vec<double, 6> v = g.log(), w = h.log(), d = (g * h).log();
    EXPECT_EQ((g * h).coeffs(), (gp * hp).coeffs());
    EXPECT_EQ(g.inverse().coeffs(), gp.inverse().coeffs());
    EXPECT_EQ(v, gp.log());
    EXPECT_EQ(Pose::exp(v).coeffs(), Pair::exp(v).coeffs());
    EXPECT_EQ(g.Ad(), gp.Ad());
    EXPECT_EQ(Pose::ad(v), Pair::ad(v));
    EXPECT_EQ(Pose::tangent_operator(v), Pair::tangent_operator(v));
    EXPECT_EQ(Pose::tangent_operator_inverse(v), Pair::tangent_operator_inverse(v));
    EXPECT_EQ(Pose::tangent_operator_derivative(v, w, d),
              Pair::tangent_operator_derivative(v, w, d));
    EXPECT_EQ(g.matrix(), gp.matrix());
    EXPECT_EQ(Pose::hat(v), Pair::hat(v));
  }
}

}  // namespace
}  // namespace liegrad::lie
