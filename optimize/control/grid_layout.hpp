#pragma once

#include "liegrad/control/problem.hpp"
#include "liegrad/dae/equations/formulation.hpp"

namespace liegrad::control {

/// Where the unknowns of a problem on a grid stand: point after point, then those that all points share.
struct GridLayout {
  struct Parts {
    bool is_stabilized = false, has_times = false;
    bool rescales = false;  ///< a is another one for the next step, of another length
  };
  GridLayout(const Problem& problem, int num_steps, const Parts& parts);

  // Offsets within a point.
  int q = 0, v, v_dot, a, lambda, s, stabilizer, controls, time, start_a, width;
  bool has_times, rescales;
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
