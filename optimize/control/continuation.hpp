#pragma once

#include <functional>
#include <vector>

#include "liegrad/control/solve.hpp"
#include "liegrad/control/solve_phases.hpp"

namespace liegrad::control {

/// One problem of a family, and how its search ended.
struct FollowedSolution {
  double value = 0;
  Status status = Status::kNotRun;
  double cost = 0, t_end = 0;
  int iterations = 0;
  bool local_minimum = false;
};

/// The solution of the last problem that was solved, or of the first one, and all problems.
template <class S>
struct FollowedTo {
  S solution;
  std::vector<FollowedSolution> path;
  bool reached = false;  ///< the last value
};
using Followed = FollowedTo<Solution>;
using FollowedPhases = FollowedTo<PhasedSolution>;

/// Solves the problems of a parameter from one value to another, each from the solution before. Where one is not solved,
/// half the distance is tried, down to 1/64 of a first one. Throws InvalidArgument.
Followed follow(const std::function<Problem(double)>& make, double from, double to, int count,
                const SolveOptions& options, const Solution* start = nullptr);
FollowedPhases follow(const std::function<PhasedProblem(double)>& make, double from, double to,
                      int count, const SolveOptions& options,
                      const PhasedSolution* start = nullptr);

}  // namespace liegrad::control
