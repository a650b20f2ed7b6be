#include "liegrad/control/grid_layout.hpp"

#include <utility>

#include "liegrad/control/border_stage.hpp"

namespace liegrad::control {

GridLayout::GridLayout(const Problem& problem, int steps, const Parts& parts)
    : has_times(parts.has_times),
      rescales(parts.rescales),
      constant_controls(parts.constant_controls),
      num_steps(steps) {
  const dae::Model& system = problem.system();
  int next = 0;
  const auto take = [&next](int count) { return std::exchange(next, next + count); };
  q = take(system.dof());
  v = take(system.dof());
  v_dot = take(system.dof());
  a = parts.stages > 0 ? v_dot : take(system.dof());
  lambda = take(system.num_multipliers());
  s = take(system.num_algebraic());
  stabilizer = take(parts.is_stabilized ? system.num_multipliers() : 0);
  controls = take(static_cast<int>(system.controls().size()));
  time = take(has_times ? 1 : 0);
  // What the next step starts from in place of a.
  start_a = rescales ? take(system.dof()) : a;
  first_stage = next;
  const int multipliers = system.num_multipliers(), algebraic = system.num_algebraic();
  for (int i = 1; i < parts.stages; ++i) {
    stages.push_back({.q = take(system.dof()),
                      .v = take(system.dof()),
                      .v_dot = take(system.dof()),
                      .lambda = take(multipliers),
                      .s = take(algebraic),
                      .stabilizer = take(multipliers),
                      .controls = take(static_cast<int>(system.controls().size())),
                      .time = take(has_times ? 1 : 0)});
  }
  if (parts.stages > 0) {
    const bool has_own = multipliers > 0;
    stages.push_back({.q = q,
                      .v = v,
                      .v_dot = has_own ? take(system.dof()) : v_dot,
                      .lambda = has_own ? take(multipliers) : lambda,
                      .s = has_own ? take(algebraic) : s,
                      .stabilizer = take(multipliers),
                      .controls = controls,
                      .time = time});
  }
  width = next;

  next = (steps + 1) * width;
  horizon = problem.has_free_horizon() ? take(1) : -1;
  periodic = take(2 * static_cast<int>(problem.periodic().size()));
  parameters = take(static_cast<int>(problem.free_parameters().size()));
  num_variables = next;
}

int GridLayout::stage_of_variable(int variable) const {
  return variable < (num_steps + 1) * width ? variable / width : kBorderStage;
}

}  // namespace liegrad::control
