#include "liegrad/control/grid_layout.hpp"

#include <utility>

namespace liegrad::control {

GridLayout::GridLayout(const Problem& problem, int steps, bool is_stabilized, bool with_times)
    : has_times(with_times), num_steps(steps) {
  const dae::Model& system = problem.system();
  int next = 0;
  const auto take = [&next](int count) { return std::exchange(next, next + count); };
  q = take(system.dof());
  v = take(system.dof());
  v_dot = take(system.dof());
  a = take(system.dof());
  lambda = take(system.num_multipliers());
  s = take(system.num_algebraic());
  stabilizer = take(is_stabilized ? system.num_multipliers() : 0);
  controls = take(static_cast<int>(system.controls().size()));
  time = take(has_times ? 1 : 0);
  width = next;

  next = (steps + 1) * width;
  horizon = problem.has_free_horizon() ? take(1) : -1;
  periodic = take(2 * static_cast<int>(problem.periodic().size()));
  parameters = take(static_cast<int>(problem.free_parameters().size()));
  num_variables = next;
}

}  // namespace liegrad::control
