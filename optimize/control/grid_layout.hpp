#pragma once

#include <vector>

#include "liegrad/control/problem.hpp"
#include "liegrad/dae/equations/formulation.hpp"

namespace liegrad::control {

/// Where the unknowns of a problem on a grid stand: point after point, then those that all points share.
struct GridLayout {
  struct Parts {
    bool is_stabilized = false, has_times = false;
    bool rescales = false;  ///< a is another one for the next step, of another length
    int stages = 0;         ///< of Radau steps, which have no a: it is v̇
    bool constant_controls = false;
  };
  GridLayout(const Problem& problem, int num_steps, const Parts& parts);

  // Offsets within a point.
  int q = 0, v, v_dot, a, lambda, s, stabilizer, controls, time, start_a, width;
  bool has_times, rescales, constant_controls;
  /// Offsets of the stages of the Radau step that leads to a point. The last one has q, v, controls and time of the point
  /// itself, and all else too where there are no constraints.
  struct Stage {
    int q, v, v_dot, lambda, s, stabilizer, controls, time;
  };
  std::vector<Stage> stages;
  int first_stage;  ///< where what belongs to stages alone begins
  int num_steps;
  // Shared.
  int horizon;   ///< -1 when it is given
  int periodic;  ///< δ and then v that the start and the end have in common
  int parameters, num_variables;

  int at(int point, int offset) const { return point * width + offset; }
  /// The point that an unknown belongs to, or kBorderStage.
  int stage_of_variable(int variable) const;
};

}  // namespace liegrad::control
