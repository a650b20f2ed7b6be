#pragma once

#include <vector>

#include "liegrad/control/point_function.hpp"
#include "liegrad/control/problem.hpp"

namespace liegrad::control {

/// The costs and constraints of a problem, recorded.
struct ProblemFunctions {
  /// Running costs over a step, or, with stages, at one of them.
  ProblemFunctions(const Problem& problem, const PointFunctions& points, bool has_stages);

  std::vector<ad::Recording> running_costs, end_costs, path_constraints, end_constraints;
  /// Whether one of them or an element of the system reads the time.
  bool read_time = false;

  static int num_values(const std::vector<ad::Recording>& functions);
};

}  // namespace liegrad::control
