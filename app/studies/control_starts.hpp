#pragma once

#include <functional>
#include <string>
#include <vector>

#include "liegrad/control/solve_phases.hpp"

namespace liegrad::app {

/// Where searches from several guesses ended.
struct Basin {
  double cost = 0, t_end = 0;
  bool local_minimum = false;
  std::vector<int> starts;  ///< number 0 is the problem's own guess
};

/// How the searches ended.
struct StartTable {
  int best_start = 0;
  std::vector<Basin> basins;  ///< by cost
  struct Unsolved {
    int start;
    std::string reason;
  };
  std::vector<Unsolved> unsolved;
};

template <class S>
struct ControlStarts {
  S best;  ///< of the lowest cost, minima first; that of start 0 where none was solved
  StartTable table;
};

/// Solves a problem from its own guess and from `starts - 1` others, each in a process of its own, as many at once as
/// there are processors: the linear solvers of IPOPT are not safe in threads. Throws InvalidArgument, and Error when a
/// process cannot be made.
ControlStarts<control::Solution> solve_from_starts(
    const control::Problem& problem, const control::SolveOptions& options, int starts,
    const std::function<void(int finished)>& observe);
ControlStarts<control::PhasedSolution> solve_from_starts(
    const control::PhasedProblem& problem, const control::SolveOptions& options, int starts,
    const std::function<void(int finished)>& observe);

}  // namespace liegrad::app
