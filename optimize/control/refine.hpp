#pragma once

#include <vector>

#include "liegrad/control/solve.hpp"
#include "liegrad/control/solve_phases.hpp"

namespace liegrad::control {

/// The solution on one grid, and what the grids before it say about its error.
struct RefinedGrid {
  int steps = 0, iterations = 0;
  double cost = 0;
  /// log2 of the ratio of the last two changes of the cost; 0 until there are three grids.
  double order = 0;
  /// |J_h - J_2h|/(2^p - 1), and the cost that it leads to, with p = 2 until there is an order; 0 on the first grid.
  double error = 0, extrapolated = 0;
  /// The largest change of a control at points that both grids have.
  double control_change = 0;
  double resimulation_miss = 0;
  /// The longest step over the shortest one.
  double step_ratio = 1;
  double wall_seconds = 0;
};

struct RefineOptions {
  double tolerance = 1e-6;  ///< of the cost's error, relative; positive
  int max_steps = 20000;
  /// Halves steps only where their estimated error is large, see finer_mesh(). The error of the cost is then its change.
  bool adapts = false;
};

/// The solution on the last grid that was solved, and all grids.
template <class S>
struct RefinedTo {
  S solution;
  std::vector<RefinedGrid> grids;
  bool reached = false;  ///< the tolerance
};
using Refined = RefinedTo<Solution>;
using RefinedPhases = RefinedTo<PhasedSolution>;

/// Halves the steps, all of them or those with large errors, until the cost's estimated error is small enough, each
/// search from the solution before. Ends early where a grid is not solved: then its solution is returned, with the status
/// that it has. Throws InvalidArgument.
Refined refine(const Problem& problem, const SolveOptions& options, const RefineOptions& refine,
               const Solution* start = nullptr);
/// The same for several phases, whose steps are those of the problem at first.
RefinedPhases refine(const PhasedProblem& problem, const SolveOptions& options,
                     const RefineOptions& refine, const PhasedSolution* start = nullptr);

}  // namespace liegrad::control
