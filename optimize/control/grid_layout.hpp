#pragma once

#include "liegrad/control/problem.hpp"
#include "liegrad/dae/equations/formulation.hpp"

namespace liegrad::control {

/// Where the unknowns of a problem on a grid stand: point after point, then those that all points share.
struct GridLayout {
  GridLayout(const Problem& problem, int num_steps, bool is_stabilized, bool has_times);

  // Offsets within a point.
  int q = 0, v, v_dot, a, lambda, s, stabilizer, controls, time, width;
  bool has_times;
  int num_steps;
  // Shared.
  int horizon;   ///< -1 when it is given
  int periodic;  ///< δ and then v that the start and the end have in common
  int parameters, num_variables;

  int at(int point, int offset) const { return point * width + offset; }
};

}  // namespace liegrad::control
