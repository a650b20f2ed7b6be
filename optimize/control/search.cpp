#include "liegrad/control/search.hpp"

namespace liegrad::control {
namespace {

/// A solution whose δ turn by less needs no other reference.
constexpr double kTurnToKeep = 1.0;
constexpr int kMaxRecentrings = 20;

Iterate search_with(LinearSolver linear_solver, Program& program, SolveOptions options,
                    const StopRequest& stop, Iterate iterate, Record& record) {
  options.linear_solver = linear_solver;
  Summary& summary = record.summary;
  for (;;) {
    bool turned_too_far = false;
    run_ipopt(program, options, stop, iterate, record, turned_too_far);
    const double turn = program.largest_turn(iterate.x);
    const bool moves = turned_too_far || (is_solved(summary.status) && turn > kTurnToKeep);
    if (turned_too_far && summary.recentrings == kMaxRecentrings) {
      // Nobody asked for this stop.
      summary.status = Status::kFailed;
      summary.message = "iterates turn round and round without end; start from another guess";
    }
    if (!moves || summary.recentrings == kMaxRecentrings) return iterate;
    program.recentre(iterate.x);
    // Coordinates fixed one by one keep the reference of the end.
    if (!turned_too_far && program.largest_turn(iterate.x) > 0.9 * turn) return iterate;
    // Multipliers of a solution are kept; those of an iterate on its way are worth little.
    iterate.has_multipliers = is_solved(summary.status);
    ++summary.recentrings;
  }
}

}  // namespace

Iterate search(Program& program, const SolveOptions& options, const StopRequest& stop,
               const Iterate& from, Record& record) {
  Summary& summary = record.summary;
  Iterate iterate = search_with(options.linear_solver, program, options, stop, from, record);
  if (summary.status == Status::kFailed && uses_blocks(options) &&
      options.linear_solver == LinearSolver::kAutomatic) {
    summary.choices.push_back("linear solver mumps: elimination in time failed (" +
                              summary.message + ")");
    iterate = search_with(LinearSolver::kMumps, program, options, stop, from, record);
  }
  if (summary.linear_solver == "mumps" && program.has_joints() &&
      !options.ipopt.contains("mumps_pivtol")) {
    summary.choices.push_back(
        "mumps_pivtol = 1e-2: smaller pivots make the equations of constrained systems inaccurate; "
        "mumps_pivot_order = 5: METIS leaves the least to do");
  }
  return iterate;
}

}  // namespace liegrad::control
