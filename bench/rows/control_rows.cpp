#include "control_rows.hpp"

#include <ctime>
#include <memory>
#include <string>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/control/solve.hpp"

#include "measure.hpp"

namespace liegrad::bench {
namespace {

using control::LinearSolver;
using control::Problem;
using control::Solution;
using control::SolveOptions;
using control::Solver;

/// A problem on a grid, set up.
class Search {
 public:
  Search(const Problem& problem, int steps, LinearSolver linear_solver, double rho)
      : steps_(steps) {
    SolveOptions options;
    options.transcription.steps = steps;
    options.transcription.method =
        dae::AlphaMethod{.parameters = dae::AlphaParameters::from_spectral_radius(rho)};
    options.linear_solver = linear_solver;
    options.tolerance = 1e-8;  // IPOPT's own
    options.certify = false;
    options.starts_coarse = false;  // rows are of iterations on one grid
    solver_ = std::make_unique<Solver>(problem, options);
    last_ = solver_->solve();
  }

  /// Processor time of a search: others may compute on the machine as well.
  double seconds() {
    const std::clock_t start = std::clock();
    last_ = solver_->solve();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }
  double per_step_iteration(double seconds) const {
    return 1e6 * seconds / (steps_ * last_.summary.iterations);
  }
  double derivative_share() const {
    return 100 * last_.summary.derivative_wall_seconds / last_.summary.wall_seconds;
  }

 private:
  int steps_;
  std::unique_ptr<Solver> solver_;
  Solution last_;
};

constexpr double kRho = 0.9;

}  // namespace

std::vector<Row> control_rows() {
  // With three inertias and about a slanted axis, so that it takes several iterations.
  const Problem turn = control::make_problem(
      "reorientation", {{"body.J2", 2}, {"body.J3", 3}, {"axis1", 1}, {"axis2", -2}, {"axis3", 2}});
  const Problem swing = control::make_problem("spherical_pendulum");
  const Problem limited = control::make_problem("spherical_pendulum", {{"reaction_limit", 13}});
  Search turn_50(turn, 50, LinearSolver::kBlocks, kRho),
      turn_100(turn, 100, LinearSolver::kBlocks, kRho),
      turn_2000(turn, 2000, LinearSolver::kBlocks, kRho),
      turn_mumps(turn, 500, LinearSolver::kMumps, kRho),
      swing_blocks(swing, 500, LinearSolver::kBlocks, kRho),
      swing_mumps(swing, 500, LinearSolver::kMumps, kRho),
      swing_limited(limited, 500, LinearSolver::kBlocks, kRho);
  const std::vector<Search*> all = {&turn_50,      &turn_100,    &turn_2000,    &turn_mumps,
                                    &swing_blocks, &swing_mumps, &swing_limited};
  std::vector<std::function<double()>> timed;
  for (Search* const search : all) timed.emplace_back([search] { return search->seconds(); });
  const std::vector<double> least = least_in_turn(timed, 3);
  const double at_50 = turn_50.per_step_iteration(least[0]);
  const double at_2000 = turn_2000.per_step_iteration(least[2]);
  const double blocks = swing_blocks.per_step_iteration(least[4]);
  return {
      {"control.reorientation.microseconds_per_step_iteration", at_2000, "us"},
      {"control.reorientation.step_iteration_at_2000_over_50", at_2000 / at_50, "1", 1.2},
      {"control.reorientation.derivative_share", turn_mumps.derivative_share(), "%", 5.0},
      {"control.reorientation.seconds_at_100", least[1], "s", 0.5 * 0.027},
      {"control.reorientation.seconds_at_2000", least[2], "s", 0.5 * 0.47},
      {"control.spherical_pendulum.microseconds_per_step_iteration", blocks, "us"},
      {"control.spherical_pendulum.derivative_share", swing_mumps.derivative_share(), "%", 5.0},
      {"control.spherical_pendulum.blocks_over_mumps",
       swing_mumps.per_step_iteration(least[5]) / blocks, "x", 3.0},
      {"control.spherical_pendulum.seconds_at_500", least[4], "s", 0.5 * 1.4},
      {"control.spherical_pendulum_limited.seconds_at_500", least[6], "s", 0.5 * 9.1},
  };
}

}  // namespace liegrad::bench
