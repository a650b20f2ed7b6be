#pragma once

#include <functional>
#include <vector>

#include "liegrad/control/solve.hpp"

namespace liegrad::control {

/// One problem of a family, and how its search ended.
struct FollowedSolution {
  double value = 0;
  Status status = Status::kNotRun;
  double cost = 0, t_end = 0;
  int iterations = 0;
  bool local_minimum = false;
};

struct Followed {
  Solution solution;  ///< of the last problem that was solved, or of the first one
  std::vector<FollowedSolution> path;
  bool reached = false;  ///< the last value
};

/// Solves the problems of a parameter from one value to another, each from the solution before. Where one is not solved,
/// half the distance is tried, down to 1/64 of a first one. Throws InvalidArgument.
Followed follow(const std::function<Problem(double)>& make, double from, double to, int count,
                const SolveOptions& options, const Solution* start = nullptr);

}  // namespace liegrad::control
