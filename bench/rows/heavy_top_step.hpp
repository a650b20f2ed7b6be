#pragma once

#include <array>
#include <span>
#include <vector>

#include "liegrad/lie/operations.hpp"
#include "liegrad/lie/so3xr3.hpp"

namespace liegrad::bench {

/// The residual of one step of the Lie-group generalized-α method for the heavy top on SO(3)×R³,
/// index-3 form [ArnoldCardonaBruels2015, Eqs. (21), (37), scaled as in (57)], in the unknowns
/// (Δq, hλ):
///
///     h (M v̇ + g) + Bᵀ hλ = 0,     Φ(q)/h = 0,     Φ = X - Rᵀx,
///
/// with q = q_n∘exp(hΔq), and v, v̇ from Δq through the method's coefficients.
struct HeavyTopStep {
  static constexpr int kVariables = 9;  // Δq (6), hλ (3)
  static constexpr int kData =
      40;  // q_n (7), v_n, a_n, v̇_n (6 each), h, α_m, α_f, β, γ, m, J, X, gravity
  static constexpr int kOutputs = 9;
  static std::vector<int> zero_inputs() { return {}; }

  template <class S>
  static std::array<S, kOutputs> residual(std::span<const S> x, std::span<const S> d) {
    using lie::Vec;
    using V3 = Vec<S, 3>;
    using V6 = Vec<S, 6>;
    const V6 dq = vec<6>(x, 0), v_n = vec<6>(d, 7), a_n = vec<6>(d, 13), vdot_n = vec<6>(d, 19);
    const V3 h_lambda = vec<3>(x, 6), inertia = vec<3>(d, 31), lever = vec<3>(d, 34),
             gravity = vec<3>(d, 37);
    const S &h = d[25], &alpha_m = d[26], &alpha_f = d[27], &beta = d[28], &gamma = d[29];
    const S& mass = d[30];

    // (37) solved for v and v̇ at the end of the step.
    const S one(1), half(0.5);
    const S ratio = gamma / beta, to_vdot = one / (one - alpha_f);
    const S of_increment = (one - alpha_m) * to_vdot / beta;
    const V6 v = ratio * dq + (one - ratio) * v_n + (h * (one - half * ratio)) * a_n;
    const V6 vdot =
        of_increment * ((dq - v_n) / h - half * a_n) + to_vdot * (a_n - alpha_f * vdot_n);
    const auto q = lie::plus(lie::SO3xR3<S>::from_coeffs(vec<7>(d, 0)), V6(h * dq));

    const V3 omega = v.template head<3>();
    const V3 momentum = inertia.cwiseProduct(omega);
    const lie::Mat<S, 3> rotation = q.rotation().matrix();
    const V3 torque = h * (inertia.cwiseProduct(vdot.template head<3>()) +
                           lie::rotation::cross<S>(omega, momentum)) +
                      lie::rotation::cross<S>(lever, h_lambda);
    const V3 force = (h * mass) * (vdot.template tail<3>() - gravity) - rotation * h_lambda;
    const V3 closure = (lever - rotation.transpose() * q.translation()) / h;

    std::array<S, kOutputs> y;
    for (int i = 0; i < 3; ++i) {
      y[static_cast<std::size_t>(i)] = torque(i);
      y[static_cast<std::size_t>(3 + i)] = force(i);
      y[static_cast<std::size_t>(6 + i)] = closure(i);
    }
    return y;
  }

  /// A step of h = 1e-3 in the fast motion of the benchmark.
  static std::array<double, kVariables + kData> example() {
    std::array<double, kVariables + kData> numbers = {
        0.21, 149.0,    -4.5,    4.6,      0.11,   0.31, 0.01, -0.2, 0.14,  // Δq, hλ
        0.9,  0.1,      -0.3,    0.2,      0.1,    0.9,  -0.2,  // q_n, made a unit quaternion below
        0.2,  150.0,    -4.6,    4.6,      0.1,    0.3,         // v_n
        1.0,  2.0,      -3.0,    0.4,      0.5,    0.6,         // a_n
        0.9,  2.1,      -2.9,    0.45,     0.55,   0.65,        // v̇_n
        1e-3, 0.4211,   0.4737,  0.2770,   0.5526,              // h, α_m, α_f, β, γ
        15.0, 0.234375, 0.46875, 0.234375,                      // m, J
        0.0,  1.0,      0.0,     0.0,      0.0,    -9.81};      // X, gravity
    Eigen::Map<lie::Vec<double, 4>>(numbers.data() + kVariables).normalize();
    return numbers;
  }

 private:
  template <int N, class S>
  static lie::Vec<S, N> vec(std::span<const S> numbers, int first) {
    return Eigen::Map<const lie::Vec<S, N>>(numbers.data() + first);
  }
};

}  // namespace liegrad::bench
