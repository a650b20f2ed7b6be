#include "liegrad/control/row_layout.hpp"

namespace liegrad::control {

RowLayout::RowLayout(const Problem& problem, const ProblemFunctions& functions,
                     dae::Formulation formulation, int steps, bool has_times)
    : elements(problem.system(), dae::constraint_rows(formulation)),
      num_steps(steps),
      path_width(ProblemFunctions::num_values(functions.path_constraints)) {
  const dae::Model& system = problem.system();
  start_acceleration = start_motion + system.dof() + system.num_algebraic();
  start_a = start_acceleration + system.num_multipliers();
  start_end = start_a + system.dof();

  equations = 3 * system.dof();
  step_size = equations + elements.size;
  times = step_size;
  path = times + (has_times ? 1 : 0);
  point_size = path + path_width;
  end = start_end + steps * point_size + path_width;
  size = end + ProblemFunctions::num_values(functions.end_constraints);
}

}  // namespace liegrad::control
