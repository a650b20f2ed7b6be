// Derivatives of the heavy top against those of another description of it, without constraints: a body that
// turns about a fixed point,
//
//     R' = R Ω~,   I Ω' + Ω×IΩ = X × Rᵀ m γ,   I = J + m (XᵀX E - X Xᵀ),   x = R X,
//
// integrated by extrapolation to order 14 together with its derivatives by the parameters. The force of the
// fixed point on the body, -Bᵀλ, is what the centre of mass needs beside its weight: in the body's frame,
// λ = Rᵀ (m ẍ - m γ) with Φ = X - Rᵀx.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/differentiate.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;
using dae::index;
using sensitivity::Derivatives;
using sensitivity::Objective;

/// m, J1, J2, J3, ω1, ω2, ω3.
constexpr int kParameters = 7;
const std::vector<std::string> kNames = {"top.m",      "top.J1",     "top.J2",    "top.J3",
                                         "top.omega1", "top.omega2", "top.omega3"};
constexpr double kValues[kParameters] = {15, 0.234375, 0.46875, 0.234375, 0, 150, -4.61538};
constexpr double kGravity = -9.81;

/// A number and its derivatives by the parameters: written here, so that nothing of the library is trusted.
struct Dual {
  using Gradient = Eigen::Matrix<double, kParameters, 1>;
  double value = 0;
  Gradient gradient = Gradient::Zero();

  Dual() = default;
  Dual(double constant) : value(constant) {}
  Dual(double v, Gradient g) : value(v), gradient(std::move(g)) {}
  static Dual variable(int i) { return {kValues[i], Gradient::Unit(i)}; }

  friend Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.gradient + b.gradient};
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.gradient - b.gradient};
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.value * b.gradient + b.value * a.gradient};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double quotient = a.value / b.value;
    return {quotient, (a.gradient - quotient * b.gradient) / b.value};
  }
};

using Vector = std::array<Dual, 3>;
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// A quaternion and an angular velocity.
using Top = std::array<Dual, 7>;

/// X = (0, 1, 0): the distance of the centre of mass is 1.
struct FreeTop {
  Dual m = Dual::variable(0);
  std::array<Dual, 3> inertia = {Dual::variable(1) + m, Dual::variable(2), Dual::variable(3) + m};

  static Top start() {
    return {1, 0, 0, 0, Dual::variable(4), Dual::variable(5), Dual::variable(6)};
  }
  /// Rᵀ e_z, of a quaternion that need not be of unit length but for rounding.
  static Vector up(const Top& y) {
    const Dual &w = y[0], &a = y[1], &b = y[2], &c = y[3];
    return {2 * (a * c - w * b), 2 * (b * c + w * a), w * w - a * a - b * b + c * c};
  }
  /// The second column of R: where the centre of mass is.
  static Vector centre(const Top& y) {
    const Dual &w = y[0], &a = y[1], &b = y[2], &c = y[3];
    return {2 * (a * b - w * c), w * w - a * a + b * b - c * c, 2 * (b * c + w * a)};
  }
  Vector angular_acceleration(const Top& y) const {
    const Vector omega = {y[4], y[5], y[6]}, e = up(y);
    const Vector momentum = {inertia[0] * omega[0], inertia[1] * omega[1], inertia[2] * omega[2]};
    const Vector gyroscopic = cross(omega, momentum);
    // X × Rᵀ m γ with X = e_y.
    const Vector torque = {m * kGravity * e[2], 0, 0 - m * kGravity * e[0]};
    Vector result;
    for (std::size_t i = 0; i < 3; ++i) result[i] = (torque[i] - gyroscopic[i]) / inertia[i];
    return result;
  }
  Top rate(const Top& y) const {
    const Dual &w = y[0], &a = y[1], &b = y[2], &c = y[3], &p = y[4], &q = y[5], &r = y[6];
    const Vector alpha = angular_acceleration(y);
    return {(0 - a * p - b * q - c * r) / 2,
            (w * p + b * r - c * q) / 2,
            (w * q + c * p - a * r) / 2,
            (w * r + a * q - b * p) / 2,
            alpha[0],
            alpha[1],
            alpha[2]};
  }
  /// λ = m (Rᵀẍ - Rᵀγ), where Rᵀẍ = Ω'×X + Ω×(Ω×X).
  Vector multipliers(const Top& y) const {
    const Vector omega = {y[4], y[5], y[6]}, x = {0, 1, 0}, e = up(y);
    const Vector turning = cross(angular_acceleration(y), x),
                 inward = cross(omega, cross(omega, x));
    Vector lambda;
    for (std::size_t i = 0; i < 3; ++i) {
      lambda[i] = m * (turning[i] + inward[i] - kGravity * e[i]);
    }
    return lambda;
  }
};

/// One step of the extrapolated midpoint rule of Gragg: order 2·levels.
Top extrapolated_step(const FreeTop& top, const Top& y, double h) {
  constexpr int kLevels = 7;
  std::array<Top, kLevels> table;
  for (int level = 0; level < kLevels; ++level) {
    const int count = 2 * (level + 1);
    const double small = h / count;
    const auto moved = [](const Top& from, const Top& rate, double by) {
      Top to;
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + by * rate[i];
      return to;
    };
    Top before = y, now = moved(y, top.rate(y), small);
    for (int i = 1; i < count; ++i) {
      const Top next = moved(before, top.rate(now), 2 * small);
      before = now;
      now = next;
    }
    table[index(level)] = now;
    // Neville's scheme in 1/count².
    for (int back = level - 1; back >= 0; --back) {
      const double ratio = static_cast<double>(level + 1) / (back + 1);
      const double factor = 1 / (ratio * ratio - 1);
      for (std::size_t i = 0; i < now.size(); ++i) {
        const Dual correction = table[index(back + 1)][i] - table[index(back)][i];
        table[index(back)][i] = table[index(back + 1)][i] + factor * correction;
      }
    }
  }
  return table[0];
}

struct Reference {
  Eigen::Matrix<double, 6, 1> values;  ///< x, λ
  Eigen::Matrix<double, 6, kParameters> derivatives;
};
Reference reference(double t, int steps) {
  const FreeTop top;
  Top y = FreeTop::start();
  for (int i = 0; i < steps; ++i) y = extrapolated_step(top, y, t / steps);
  const Vector x = FreeTop::centre(y), lambda = top.multipliers(y);
  Reference result;
  for (int i = 0; i < 6; ++i) {
    const Dual& number = i < 3 ? x[index(i)] : lambda[index(i - 3)];
    result.values(i) = number.value;
    result.derivatives.row(i) = number.gradient.transpose();
  }
  return result;
}

constexpr double kEnd = 0.5;
constexpr int kReferenceSteps = 1000;

TEST(HeavyTopReference, HasTwelveDigits) {
  const Reference fine = reference(kEnd, kReferenceSteps), finer = reference(kEnd, 1800);
  EXPECT_LE((fine.values - finer.values).cwiseAbs().maxCoeff(), 1e-12 * 700);
  for (int i = 0; i < 6; ++i) {
    const double scale = fine.derivatives.row(i).cwiseAbs().maxCoeff();
    EXPECT_LE((fine.derivatives - finer.derivatives).row(i).cwiseAbs().maxCoeff(), 1e-12 * scale);
    std::printf("%s%d %.12g:", i < 3 ? "x" : "lambda", i % 3 + 1, fine.values(i));
    for (int j = 0; j < kParameters; ++j) std::printf(" %.12g", fine.derivatives(i, j));
    std::printf("\n");
  }
}

struct Case {
  std::string name;
  Formulation formulation;
  lie::NodeGroup group;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class HeavyTopDerivative : public ::testing::TestWithParam<Case> {};

TEST_P(HeavyTopDerivative, ConvergesToThatOfTheFreeTopWithSecondOrder) {
  const Reference exact = reference(kEnd, kReferenceSteps);
  const dae::System system = models::make_model("heavy_top", GetParam().group);
  Objective objective(system);
  for (const char* const column : {"top.x.1", "top.x.2", "top.x.3", "fixed_point.lambda.1",
                                   "fixed_point.lambda.2", "fixed_point.lambda.3"}) {
    objective.add_output(column);
  }
  sensitivity::DifferentiateOptions options;
  options.integrate = dae::alpha_steps();
  options.integrate.t_end = kEnd;
  options.integrate.alpha.formulation = GetParam().formulation;
  options.integrate.alpha.start = dae::StartingValues::kCorrected;
  options.variables.parameters = kNames;

  // Largest errors of derivatives of positions and of multipliers, relative to the largest by each parameter.
  const auto largest = [&](const Eigen::MatrixXd& found, int first) {
    double worst = 0;
    for (int j = 0; j < kParameters; ++j) {
      const auto expected = exact.derivatives.block<3, 1>(first, j);
      worst = std::max(worst, (found.block<3, 1>(first, j) - expected).cwiseAbs().maxCoeff() /
                                  expected.cwiseAbs().maxCoeff());
    }
    return worst;
  };
  std::vector<double> of_position, of_multipliers;
  std::vector<Eigen::MatrixXd> jacobians;
  // Shorter ones would lose the multipliers of index 3 to rounding of positions over h².
  const std::vector<double> steps = {kEnd / 625, kEnd / 1250, kEnd / 2500, kEnd / 5000};
  for (const double h : steps) {
    options.integrate.step = h;
    const Derivatives found = differentiate(objective, options);
    ASSERT_EQ(found.variable_names, kNames);
    jacobians.push_back(found.jacobian);
    of_position.push_back(largest(found.jacobian, 0));
    of_multipliers.push_back(largest(found.jacobian, 3));
  }
  const auto order = [](const std::vector<double>& errors) {
    return std::log2(errors[2] / errors[3]);
  };
  std::printf("%s: positions %.1e, order %.3f; multipliers %.1e, order %.3f\n",
              GetParam().name.c_str(), of_position[3], order(of_position), of_multipliers[3],
              order(of_multipliers));
  EXPECT_NEAR(order(of_position), 2, 0.05);
  EXPECT_NEAR(order(of_multipliers), 2, 0.05);
  // The limit for h → 0: a sum of the results in which errors in h², h³ and h⁴ cancel.
  Eigen::Matrix4d powers;
  for (int i = 0; i < 4; ++i) {
    const double h = steps[index(i)] / steps[0];
    powers.col(i) << 1, std::pow(h, 2), std::pow(h, 3), std::pow(h, 4);
  }
  const Eigen::Vector4d weights = powers.partialPivLu().solve(Eigen::Vector4d::Unit(0));
  Eigen::MatrixXd limit = Eigen::MatrixXd::Zero(6, kParameters);
  for (int i = 0; i < 4; ++i) limit += weights(i) * jacobians[index(i)];
  std::printf("limit: positions %.1e, multipliers %.1e\n", largest(limit, 0), largest(limit, 3));
  EXPECT_LE(largest(limit, 0), 1e-6);
  EXPECT_LE(largest(limit, 3), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    Formulations, HeavyTopDerivative,
    ::testing::Values(Case{"index3_SO3xR3", Formulation::kIndex3, lie::NodeGroup::so3xr3()},
                      Case{"index3_SE3", Formulation::kIndex3, lie::NodeGroup::se3()},
                      Case{"index2_SO3xR3", Formulation::kIndex2, lie::NodeGroup::so3xr3()},
                      Case{"index2_SE3", Formulation::kIndex2, lie::NodeGroup::se3()},
                      Case{"stabilized_SO3xR3", Formulation::kStabilized, lie::NodeGroup::so3xr3()},
                      Case{"stabilized_SE3", Formulation::kStabilized, lie::NodeGroup::se3()}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace liegrad::testing
