#pragma once

#include <functional>
#include <map>
#include <string>

#include "liegrad/control/problem.hpp"
#include "liegrad/control/solution.hpp"
#include "liegrad/control/transcription.hpp"

namespace liegrad::control {

enum class HessianMode { kExact, kLimitedMemory };

/// What factorises IPOPT's matrices.
enum class LinearSolver {
  kAutomatic,  ///< elimination in time where IPOPT takes it, else MUMPS
  kBlocks,     ///< elimination in time, see TimeBlocks
  kMumps,
};

struct SolveOptions {
  TranscriptionOptions transcription;
  HessianMode hessian = HessianMode::kExact;
  LinearSolver linear_solver = LinearSolver::kAutomatic;
  double tolerance = 1e-9;  ///< of IPOPT, scaled; positive
  int max_iterations = 500;
  double time_limit = 0;  ///< in seconds; 0 is none
  /// Options of IPOPT by their names; they come before those that are chosen here.
  std::map<std::string, std::string> ipopt;
  bool certify = true;
  /// Called in each iteration; false ends the search with the iterate at hand.
  std::function<bool(int iteration, double cost, double violation)> observe;
};

/// Finds a local optimum from the guess of the problem, with IPOPT. What cannot be solved is said in the summary, and the
/// last iterate is kept. Throws InvalidArgument for problems and options that make no sense.
Solution solve(const Problem& problem, const SolveOptions& options = {});

}  // namespace liegrad::control
