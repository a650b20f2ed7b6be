#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "liegrad/control/problem.hpp"
#include "liegrad/control/solution.hpp"
#include "liegrad/control/transcription_options.hpp"

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
  /// Searches from the guess of a problem on a grid of more than 1000 steps begin on a coarse one: from far away all grids
  /// take as many iterations, and the coarse one takes them fast.
  bool starts_coarse = true;
  bool certify = true;
  bool find_gains = false;  ///< of the feedback along the solution
  /// Called in each iteration; false ends the search with the iterate at hand.
  std::function<bool(int iteration, double cost, double violation)> observe;
  /// Asked in every step of what can take long, within an iteration too; true ends the search likewise.
  std::function<bool()> stop;
};

/// Finds local optima of a problem with IPOPT. What cannot be solved is said in the summary, and the best iterate is kept.
///
/// All that does not depend on where a search begins is made once: a second search records nothing and compiles nothing.
class Solver {
 public:
  /// Of the problem as it is now. Throws InvalidArgument for problems and options that make no sense.
  explicit Solver(const Problem& problem, const SolveOptions& options = {});
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// From the guess of the problem.
  Solution solve();
  /// From a solution of this problem or of a similar one, whose grid may be another; where it has the same unknowns and
  /// equations, from its multipliers too. Throws InvalidArgument if it is one of another system.
  Solution solve_from(const Solution& start);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// One search from the guess of the problem, or from a solution.
Solution solve(const Problem& problem, const SolveOptions& options = {});
Solution solve_from(const Solution& start, const Problem& problem,
                    const SolveOptions& options = {});

}  // namespace liegrad::control
