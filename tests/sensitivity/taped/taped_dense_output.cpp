#include "taped_dense_output.hpp"

namespace liegrad::testing {

TapedState taped_between(const lie::GroupList& space, const TapedState& start,
                         const TapedState& end, const Taped& h, double t) {
  const std::size_t dof = start.v.size();
  const Taped x = (t - start.t) / h;
  Tapes theta(dof), slope_end(dof), second_end(dof), at(dof), slope(dof);
  space.minus<Taped>(end.q, start.q, theta);
  space.apply_tangent_operator_inverse<Taped>(theta, end.v, slope_end);
  // v̇ = T θ̈ + Ṫ θ̇.
  space.tangent_operator_derivative<Taped>(theta, slope_end, slope_end, second_end);
  for (std::size_t i = 0; i < dof; ++i) second_end[i] = end.v_dot[i] - second_end[i];
  space.apply_tangent_operator_inverse<Taped>(theta, second_end, second_end);
  for (std::size_t i = 0; i < dof; ++i) {
    // θ(x) = c1 x + … + c5 x⁵ with θ(1) and both derivatives at both ends given.
    const Taped c1 = h * start.v[i], c2 = 0.5 * h * h * start.v_dot[i];
    const Taped r0 = theta[i] - c1 - c2, r1 = h * slope_end[i] - c1 - 2.0 * c2;
    const Taped r2 = h * h * second_end[i] - 2.0 * c2;
    const Taped c3 = 10.0 * r0 - 4.0 * r1 + 0.5 * r2;
    const Taped c4 = -15.0 * r0 + 7.0 * r1 - r2;
    const Taped c5 = 6.0 * r0 - 3.0 * r1 + 0.5 * r2;
    at[i] = x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * c5))));
    slope[i] = (c1 + x * (2.0 * c2 + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))) / h;
  }
  TapedState result = end;
  result.t = t;
  space.plus<Taped>(start.q, at, result.q);
  space.apply_tangent_operator<Taped>(at, slope, result.v);
  for (std::size_t i = 0; i < dof; ++i) {
    // The slope of the cubic polynomial that meets v and v̇.
    const Taped change = (end.v[i] - start.v[i]) / h;
    const Taped b2 = 3.0 * change - 2.0 * start.v_dot[i] - end.v_dot[i];
    const Taped b3 = start.v_dot[i] + end.v_dot[i] - 2.0 * change;
    result.v_dot[i] = start.v_dot[i] + x * (2.0 * b2 + 3.0 * x * b3);
  }
  const auto blend = [&x](const Tapes& a, const Tapes& b, Tapes& c) {
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = (1.0 - x) * a[i] + x * b[i];
  };
  blend(start.lambda, end.lambda, result.lambda);
  blend(start.s, end.s, result.s);
  return result;
}

}  // namespace liegrad::testing
