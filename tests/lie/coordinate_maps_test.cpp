// Exponential, Cayley and conformal-rotation-vector coordinates on SO(3) and its products.

#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "liegrad/ad/jet_scalar.hpp"
#include "liegrad/lie/coordinate_maps.hpp"
#include "liegrad/lie/operations.hpp"
#include "support/derivative_along_jet.hpp"
#include "support/hostile_elements.hpp"

namespace liegrad::lie {
namespace {

using Jet = ceres::Jet<double, 1>;
using test::Values;

/// Fewer than 64 roundings, of entries of the size given.
double rounding(double size) { return 64 * std::numeric_limits<double>::epsilon() * size; }

template <class X>
double size_of(const X& x) {
  return std::max(1.0, x.cwiseAbs().maxCoeff());
}

/// Coordinates of G: hostile, but within the map's domain by way of the map itself.
template <class G>
std::vector<typename G::Tangent> coordinates() {
  std::vector<typename G::Tangent> result;
  for (const Values& v : test::hostile_tangents(G::kDof, {{0, 3}}))
    result.push_back(v.cast<double>());
  return result;
}

template <class G>
typename G::Tangent direction() {
  typename G::Tangent w;
  for (int i = 0; i < G::kDof; ++i) w(i) = std::cos(2.0 + 3 * i);
  return w;
}

/// T(c)w against d/dε μ(c + εw), moved to the identity: d/dε log(μ(c)⁻¹ μ(c + εw)) by dual numbers.
template <class Map, class G, class OnJets>
void expect_tangent_operator_is_the_derivative() {
  using C = typename OnJets::Tangent;
  const typename G::Tangent w = direction<G>();
  for (const auto& c : coordinates<G>()) {
    C moved;
    for (int i = 0; i < G::kDof; ++i) {
      moved(i) = Jet(c(i));
      moved(i).v[0] = w(i);
    }
    const auto start = Map::template to_group<G>(c).template cast<Jet>();
    const C velocity = minus<OnJets>(Map::template to_group<OnJets>(moved), start);
    const typename G::TangentMap t = Map::template tangent_operator<G>(c);
    const typename G::Tangent expected = t * w;
    // The rotation matrix is quadratic in the quaternion, whose entries are relative to |c|².
    const double error = rounding(size_of(c) * size_of(w));
    for (int i = 0; i < G::kDof; ++i)
      EXPECT_NEAR(velocity(i).v[0], expected(i), error) << c.transpose();
    // T T⁻¹ = I, where Cayley's T⁻¹ grows like |c|²; the exponential's is regular but at 2π.
    const typename G::TangentMap t_inverse = Map::template tangent_operator_inverse<G>(c);
    const auto one = G::TangentMap::Identity();
    EXPECT_LE((t * t_inverse - one).cwiseAbs().maxCoeff(),
              rounding(size_of(c) * size_of(t_inverse)))
        << c.transpose();
    EXPECT_LE((t_inverse * t - one).cwiseAbs().maxCoeff(),
              rounding(size_of(c) * size_of(t_inverse)))
        << c.transpose();
  }
}

/// The same by differences of the groups in double, without any AD: Ridders' method.
template <class Map, class G>
void expect_tangent_operator_agrees_with_differences() {
  using Differences = test::DerivativeAlong<double>;
  const typename G::Tangent w = direction<G>();
  for (const auto& c : coordinates<G>()) {
    const G start = Map::template to_group<G>(c);
    const Values velocity = Differences::of([&](double epsilon) -> test::Column<double> {
      return minus<G>(Map::template to_group<G>(c + epsilon * w), start);
    });
    const typename G::Tangent expected = Map::template tangent_operator<G>(c) * w;
    const double error = static_cast<double>(Differences::relative_error()) * size_of(c);
    EXPECT_LE((velocity.template cast<double>() - expected).cwiseAbs().maxCoeff(), error)
        << c.transpose();
  }
}

template <class Map, class G>
void expect_round_trip(double largest_coordinate) {
  for (const auto& c : coordinates<G>()) {
    // Beyond half a turn the shorter coordinates of the same element come back.
    const auto back = Map::template from_group<G>(Map::template to_group<G>(c));
    const auto again = Map::template to_group<G>(back);
    const double error = rounding(size_of(c));
    if (c.template head<3>().norm() < largest_coordinate) {
      // The rotation relative to itself, as small as it may be.
      EXPECT_LE((back - c).template head<3>().cwiseAbs().maxCoeff(),
                rounding(c.template head<3>().norm()) * size_of(c));
      EXPECT_LE((back - c).cwiseAbs().maxCoeff(), error) << c.transpose();
    }
    EXPECT_LE((again.matrix() - Map::template to_group<G>(c).matrix()).cwiseAbs().maxCoeff(), error)
        << c.transpose();
  }
}

template <class S>
using Parts = Product<SO3<S>, Rn<S, 2>>;

template <class Map, template <class> class Group>
void expect_coordinate_map(double largest_coordinate) {
  expect_tangent_operator_is_the_derivative<Map, Group<double>, Group<Jet>>();
  expect_tangent_operator_agrees_with_differences<Map, Group<double>>();
  expect_round_trip<Map, Group<double>>(largest_coordinate);
}

// What half a turn is, in each map's coordinates.
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kHalfTurnOfExponential = std::numbers::pi - 1e-12, kHalfTurnOfCayley = kInfinity,
                 kHalfTurnOfConformal = 4;

TEST(ExponentialMap, IsACoordinateMapOnSO3) {
  expect_coordinate_map<ExponentialMap, SO3>(kHalfTurnOfExponential);
}
TEST(ExponentialMap, IsACoordinateMapOnSO3xR3) {
  expect_coordinate_map<ExponentialMap, SO3xR3>(kHalfTurnOfExponential);
}
TEST(ExponentialMap, IsACoordinateMapOnProducts) {
  expect_coordinate_map<ExponentialMap, Parts>(kHalfTurnOfExponential);
}
TEST(CayleyMap, IsACoordinateMapOnSO3) { expect_coordinate_map<CayleyMap, SO3>(kHalfTurnOfCayley); }
TEST(CayleyMap, IsACoordinateMapOnSO3xR3) {
  expect_coordinate_map<CayleyMap, SO3xR3>(kHalfTurnOfCayley);
}
TEST(CayleyMap, IsACoordinateMapOnProducts) {
  expect_coordinate_map<CayleyMap, Parts>(kHalfTurnOfCayley);
}
TEST(ConformalRotationVector, IsACoordinateMapOnSO3) {
  expect_coordinate_map<ConformalRotationVector, SO3>(kHalfTurnOfConformal);
}
TEST(ConformalRotationVector, IsACoordinateMapOnSO3xR3) {
  expect_coordinate_map<ConformalRotationVector, SO3xR3>(kHalfTurnOfConformal);
}
TEST(ConformalRotationVector, IsACoordinateMapOnProducts) {
  expect_coordinate_map<ConformalRotationVector, Parts>(kHalfTurnOfConformal);
}

// ---------------------------------------------------------------- against the defining formulas

Mat<double, 3> tilde(const Vec<double, 3>& c) {
  Mat<double, 3> m;
  m << 0, -c(2), c(1), c(2), 0, -c(0), -c(1), c(0), 0;
  return m;
}

const Mat<double, 3> kOne = Mat<double, 3>::Identity();

TEST(ConformalRotationVector, IsTheMapOfThePaper) {
  for (const Vec<double, 3>& c : coordinates<SO3<double>>()) {
    const double c0 = (16 - c.squaredNorm()) / 8, scale = (4 - c0) * (4 - c0);
    // [BruelsCardonaArnold2012, Eqs. (81), (82)], as printed.
    const Mat<double, 3> map =
        ((c0 * c0 + 8 * c0 - 16) * kOne + 2 * c * c.transpose() + 2 * c0 * tilde(c)) / scale;
    const Mat<double, 3> t = 2 / scale * (c0 * kOne + c * c.transpose() / 4 - tilde(c));
    EXPECT_LE(
        (ConformalRotationVector::to_group<SO3<double>>(c).matrix() - map).cwiseAbs().maxCoeff(),
        rounding(1));
    EXPECT_LE((ConformalRotationVector::tangent_operator<SO3<double>>(c) - t).cwiseAbs().maxCoeff(),
              rounding(1));
  }
}

TEST(ConformalRotationVector, HasLengthFourTimesTheTangentOfAQuarterAngle) {
  for (const double angle : {1e-8, 0.5, 2.0, 3.0}) {
    const auto c = ConformalRotationVector::from_group(SO3<double>::exp({0, angle, 0}));
    EXPECT_NEAR(c(1), 4 * std::tan(angle / 4), rounding(c(1)));
  }
}

TEST(CayleyMap, IsTheCayleyTransform) {
  for (const Vec<double, 3>& c : coordinates<SO3<double>>()) {
    const Mat<double, 3> half = tilde(c) / 2;
    const Mat<double, 3> map = (kOne - half).inverse() * (kOne + half);
    EXPECT_LE((CayleyMap::to_group<SO3<double>>(c).matrix() - map).cwiseAbs().maxCoeff(),
              rounding(size_of(c)));
  }
}

TEST(CayleyMap, HasLengthTwiceTheTangentOfHalfTheAngle) {
  for (const double angle : {1e-8, 0.5, 2.0, 3.0}) {
    const auto c = CayleyMap::from_group(SO3<double>::exp({0, angle, 0}));
    EXPECT_NEAR(c(1), 2 * std::tan(angle / 2), rounding(c(1) * c(1)));
  }
}

// Negative control: three different maps.
TEST(CoordinateMaps, Differ) {
  const Vec<double, 3> c(0.4, -0.3, 0.9);
  const auto cayley = CayleyMap::tangent_operator<SO3<double>>(c),
             conformal = ConformalRotationVector::tangent_operator<SO3<double>>(c),
             exponential = ExponentialMap::tangent_operator<SO3<double>>(c);
  EXPECT_GT((cayley - conformal).cwiseAbs().maxCoeff(), 1e-2);
  EXPECT_GT((cayley - exponential).cwiseAbs().maxCoeff(), 1e-2);
  EXPECT_GT((conformal - exponential).cwiseAbs().maxCoeff(), 1e-3);
}

}  // namespace
}  // namespace liegrad::lie
