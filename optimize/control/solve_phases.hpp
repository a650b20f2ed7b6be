#pragma once

#include <vector>

#include "liegrad/control/phased_problem.hpp"
#include "liegrad/control/solve.hpp"

namespace liegrad::control {

struct PhasedSolution {
  /// Of the whole: the sum of costs and times; steps are those of all phases.
  Summary summary;
  /// The inertia is that of the whole KKT matrix. The Hamiltonian and the re-simulation are those of the phases; here is
  /// the largest miss, and the sum of the differences of costs.
  Certificate certificate;
  /// Each with its motion, from t = 0 on, its cost and its horizon.
  std::vector<Solution> phases;
  /// When each phase begins.
  std::vector<double> start_times;
  /// Multipliers of the links, of shared parameters and of the whole time, as IPOPT has them.
  std::vector<double> link_multipliers;
};

/// Finds a local optimum of several phases. Steps are those of the phases; gains are not found. What cannot be solved is
/// said in the summary. Throws InvalidArgument.
PhasedSolution solve(const PhasedProblem& problem, const SolveOptions& options = {});
/// From a solution of this problem or of a similar one, whose grids may be others; where it has the same unknowns and
/// equations, from its multipliers too. Throws InvalidArgument if it is one of other phases.
PhasedSolution solve_from(const PhasedSolution& start, const PhasedProblem& problem,
                          const SolveOptions& options = {});

}  // namespace liegrad::control
