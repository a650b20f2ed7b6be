// The leading local error of the σ-family, [HolzingerArnoldGerstmayr2025, Eq. (40)]:
//
//     l = h³ (C_q v̈ + ¼(⅓ - σβ/γ) v̂v̇) + O(h⁴),
//
// where q(t+h) = q(t)∘exp(θ)∘exp(l) and θ is what the integration formulas give for exact v and v̇.

#include <gtest/gtest.h>

#include "dae/heavy_top_runs.hpp"

namespace liegrad::testing {
namespace {

using Vector = Eigen::Vector3d;

/// A smooth angular velocity without symmetry, and its derivatives.
Vector omega(double t) { return {std::sin(2 * t), std::cos(3 * t), 0.5 + t * t}; }
Vector omega_dot(double t) { return {2 * std::cos(2 * t), -3 * std::sin(3 * t), 2 * t}; }
Vector omega_second(double t) { return {-4 * std::sin(2 * t), -9 * std::cos(3 * t), 2}; }

/// The rotation from t to t + h, by many small exponentials of a fourth-order Magnus step.
lie::SO3<double> exact_turn(double t, double h) {
  auto q = lie::SO3<double>::identity();
  const int steps = 64;
  const double k = h / steps, offset = std::sqrt(3.0) / 6;
  for (int i = 0; i < steps; ++i) {
    const double middle = t + (i + 0.5) * k;
    const Vector a = omega(middle - offset * k), b = omega(middle + offset * k);
    // For q' = q ω~ the commutator has this sign.
    q = q * lie::SO3<double>::exp(0.5 * k * (a + b) + std::sqrt(3.0) / 12 * k * k * a.cross(b));
  }
  return q;
}

/// θ with β/γ P(θ) v_{n+1} = T(θ) y(θ), by fixed-point iteration on (12), (13).
Vector increment(const dae::AlphaMethod& method, double t, double h) {
  const dae::AlphaParameters& p = method.parameters;
  const double shift = p.delta_alpha() * h;
  const Vector a_n = omega_dot(t + shift), a_next = omega_dot(t + h + shift);
  const Vector v_next = omega(t) + h * (1 - p.gamma) * a_n + h * p.gamma * a_next;
  const Vector plain = h * omega(t) + h * h * ((0.5 - p.beta) * a_n + p.beta * a_next);
  Vector theta = plain;
  for (int i = 0; i < 100; ++i) {
    const Vector rate = lie::SO3<double>::tangent_operator_inverse(theta) * v_next;
    theta = plain + h * method.sigma * p.beta / p.gamma * (rate - v_next);
  }
  return theta;
}

TEST(LocalError, HasTheCommutatorCoefficientOfThePaper) {
  const double t = 0.3;
  for (const double rho : {0.6, 0.9}) {
    const auto parameters = dae::AlphaParameters::from_spectral_radius(rho);
    for (const double sigma : {0.0, 1.0, parameters.optimal_sigma()}) {
      // The coefficient at two steps, extrapolated to h = 0.
      const auto coefficient = [&](double h) {
        const Vector theta = increment({parameters, sigma}, t, h);
        const Vector error = (lie::SO3<double>::exp(-theta) * exact_turn(t, h)).log();
        const Vector left = error / (h * h * h) - parameters.c_q() * omega_second(t);
        const Vector commutator = omega(t).cross(omega_dot(t));
        return left.dot(commutator) / commutator.squaredNorm();
      };
      const double extrapolated = 2 * coefficient(1e-3) - coefficient(2e-3);
      EXPECT_NEAR(extrapolated, 0.25 * (1.0 / 3 - sigma * parameters.beta / parameters.gamma),
                  1e-3);
      EXPECT_NEAR(extrapolated, parameters.commutator_coefficient(sigma), 1e-3);
    }
  }
}

}  // namespace
}  // namespace liegrad::testing
