#pragma once

#include "liegrad/control/grid_layout.hpp"
#include "liegrad/control/problem_functions.hpp"
#include "liegrad/dae/equations/formulation.hpp"
#include "liegrad/sensitivity/step/element_sum.hpp"

namespace liegrad::control {

/// Where the rows of a transcription stand: those of a point stand together, as the unknowns do.
struct RowLayout {
  RowLayout(const Problem& problem, const ProblemFunctions& functions, dae::Formulation formulation,
            const GridLayout& grid, const std::vector<int>& new_constraints);

  int cost = 0;
  // Of the start.
  int start_motion = 1;
  int start_acceleration;  ///< d²Φ/dt²
  int start_a;             ///< a_0 - v̇_0
  int start_constraints;   ///< Φ and dΦ/dt of elements that nothing before satisfies
  int start_periodic;      ///< what periodic nodes have in common, δ and then v
  int start_controls;      ///< those of the first step, where they are constant
  int start_end;
  // Of a point, from point 1 on, that of the step that leads to it first; offsets.
  int equations;  ///< those of the elements at the end of the step
  int step_size;
  int rescaled;  ///< a for the next step
  // Of a Radau step, whose stages come first; `equations` is then counted from the first row of a stage.
  int stage_size;
  int accelerations;   ///< v̇, λ and s at the end, where they are not those of the last stage
  int stage_controls;  ///< those of all stages but the last
  int times;           ///< of the point, then of all stages but the last
  int path, point_size;
  int end;           ///< constraints at the end
  int end_periodic;  ///< as start_periodic
  int size;
  sensitivity::EquationRows elements;
  int num_steps;

  /// The first row of the step that leads to a point.
  int step_to(int point) const { return start_end + (point - 1) * point_size; }
  /// Path constraints of point 0 stand behind those of all others.
  int path_at(int point) const { return point == 0 ? end - path_width : step_to(point) + path; }
  int path_width;
  /// The point that a row belongs to.
  int stage_of_row(int row) const;
};

}  // namespace liegrad::control
