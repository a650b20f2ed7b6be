#include "liegrad/control/row_layout.hpp"

#include <algorithm>

namespace liegrad::control {

RowLayout::RowLayout(const Problem& problem, const ProblemFunctions& functions,
                     dae::Formulation formulation, const GridLayout& grid,
                     const std::vector<int>& new_constraints)
    : elements(problem.system(), dae::constraint_rows(formulation)),
      num_steps(grid.num_steps),
      path_width(ProblemFunctions::num_values(functions.path_constraints)) {
  const dae::Model& system = problem.system();
  start_acceleration = start_motion + system.dof() + system.num_algebraic();
  start_a = start_acceleration + system.num_multipliers();
  const int stages = static_cast<int>(grid.stages.size());
  start_constraints = start_a + (stages > 0 ? 0 : system.dof());
  start_periodic = start_constraints;
  for (const int i : new_constraints) {
    const dae::PlacedElement& element = system.elements()[static_cast<std::size_t>(i)];
    start_periodic += 2 * system.kind_of(element).shape().constraints;
  }
  const int periodic = 2 * static_cast<int>(problem.periodic().size());
  start_controls = start_periodic + periodic;
  start_end = start_controls;
  // Those that bounds fix are equal already.
  for (const Interval& bounds : problem.control_bounds()) {
    start_end += grid.constant_controls && !bounds.is_point() ? 1 : 0;
  }

  equations = (stages > 0 ? 2 : 3) * system.dof();
  stage_size = equations + elements.size;
  step_size = std::max(stages, 1) * stage_size;
  rescaled = step_size;
  accelerations = rescaled + (grid.rescales ? system.dof() : 0);
  const bool has_accelerations = stages > 0 && system.num_multipliers() > 0;
  stage_controls = accelerations + (has_accelerations ? start_a - start_motion : 0);
  times = stage_controls + std::max(stages - 1, 0) * static_cast<int>(system.controls().size());
  path = times + (grid.has_times ? std::max(stages, 1) : 0);
  point_size = path + path_width;
  end = start_end + num_steps * point_size + path_width;
  end_periodic = end + ProblemFunctions::num_values(functions.end_constraints);
  size = end_periodic + periodic;
}

int RowLayout::stage_of_row(int row) const {
  if (row < start_end) return 0;
  if (row >= end) return num_steps;
  if (row >= path_at(0)) return 0;
  return (row - start_end) / point_size + 1;
}

}  // namespace liegrad::control
