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
  start_periodic = start_a + system.dof();
  const int periodic = 2 * static_cast<int>(problem.periodic().size());
  start_end = start_periodic + periodic;

  equations = 3 * system.dof();
  step_size = equations + elements.size;
  times = step_size;
  path = times + (has_times ? 1 : 0);
  point_size = path + path_width;
  end = start_end + steps * point_size + path_width;
  end_periodic = end + ProblemFunctions::num_values(functions.end_constraints);
  size = end_periodic + periodic;
}

}  // namespace liegrad::control
