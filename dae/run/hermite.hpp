#pragma once

#include <span>

#include "liegrad/lie/group_list.hpp"

namespace liegrad::dae {

/// The polynomials of degree 5 on [0, 1] of which one of value, slope and second derivative at one end is 1 and all
/// others are 0, at x, and their slopes. The one for the value at 0 is not needed.
template <class S>
struct QuinticHermite {
  S end_value, start_slope, end_slope, start_second, end_second;
};
template <class S>
QuinticHermite<S> quintic_hermite(const S& x) {
  const S y = 1 - x;
  return {x * x * x * (10 - x * (15 - 6 * x)), x * y * y * y * (1 + 3 * x),
          x * x * x * y * (3 * x - 4), 0.5 * x * x * y * y * y, 0.5 * x * x * x * y * y};
}
template <class S>
QuinticHermite<S> quintic_hermite_slopes(const S& x) {
  const S y = 1 - x;
  return {30 * x * x * y * y, y * y * (1 + x * (2 - 15 * x)), x * x * (x * (28 - 15 * x) - 12),
          0.5 * x * y * y * (2 - 5 * x), 0.5 * x * x * y * (3 - 5 * x)};
}

/// θ̇ = T⁻¹(θ)v and θ̈ of the increment θ that moves with velocity v: v̇ = T(θ)θ̈ + (dT(θ)/dt) θ̇.
template <lie::Scalar S>
void rates_of_increment(const lie::GroupList& space, std::span<const S> theta, std::span<const S> v,
                        std::span<const S> v_dot, std::span<S> rate, std::span<S> second_rate) {
  space.apply_tangent_operator_inverse<S>(theta, v, rate);
  space.tangent_operator_derivative<S>(theta, rate, rate, second_rate);
  for (std::size_t i = 0; i < second_rate.size(); ++i) second_rate[i] = v_dot[i] - second_rate[i];
  space.apply_tangent_operator_inverse<S>(theta, second_rate, second_rate);
}

/// v̇ within a step: the slope of the cubic polynomial that meets v and v̇ at both ends.
template <class S>
S interpolated_acceleration(const S& x, const S& h, const S& v_start, const S& v_end,
                            const S& v_dot_start, const S& v_dot_end) {
  return 6 * x * (1 - x) * (v_end - v_start) / h + (1 - x) * (1 - 3 * x) * v_dot_start +
         x * (3 * x - 2) * v_dot_end;
}

}  // namespace liegrad::dae
