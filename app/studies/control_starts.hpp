#pragma once

#include <functional>
#include <vector>

#include "liegrad/control/solve.hpp"

namespace liegrad::app {

/// Where searches from several guesses ended.
struct Basin {
  double cost = 0, t_end = 0;
  bool local_minimum = false;
  std::vector<int> starts;  ///< number 0 is the problem's own guess
};

struct ControlStarts {
  control::Solution
      best;  ///< of the lowest cost, minima first; that of start 0 where none was solved
  int best_start = 0;
  std::vector<Basin> basins;  ///< by cost
  struct Unsolved {
    int start;
    std::string reason;
  };
  std::vector<Unsolved> unsolved;
};

/// Solves a problem from its own guess and from `starts - 1` others, each in a process of its own, as many at once as
/// there are processors: the linear solvers of IPOPT are not safe in threads. Throws InvalidArgument, and Error when a
/// process cannot be made.
ControlStarts solve_from_starts(const control::Problem& problem,
                                const control::SolveOptions& options, int starts,
                                const std::function<void(int finished)>& observe);

}  // namespace liegrad::app
