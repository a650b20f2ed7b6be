#include "liegrad/control/solve.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "liegrad/control/certificate.hpp"
#include "liegrad/control/feedback.hpp"
#include "liegrad/control/ipopt_blocks.hpp"
#include "liegrad/control/ipopt_run.hpp"
#include "liegrad/control/shooting.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

using dae::index;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A solution whose δ turn by less needs no other reference.
constexpr double kTurnToKeep = 1.0;
constexpr int kMaxRecentrings = 20;

void check(const SolveOptions& options) {
  if (!(options.tolerance > 0)) throw InvalidArgument("the tolerance must be positive");
  if (options.max_iterations < 1) {
    throw InvalidArgument("the limit of iterations is " + std::to_string(options.max_iterations) +
                          "; it must be at least 1");
  }
  if (options.time_limit < 0) throw InvalidArgument("the time limit must not be negative");
  if (options.linear_solver != LinearSolver::kBlocks) return;
  if (!kIpoptTakesBlocks) {
    throw InvalidArgument(
        "this IPOPT does not take elimination in time, which needs 3.14; take the linear solver "
        "mumps");
  }
  if (options.transcription.kind != TranscriptionKind::kSimultaneous) {
    throw InvalidArgument(
        "elimination in time needs the simultaneous transcription; take the linear solver mumps");
  }
  if (options.hessian != HessianMode::kExact) {
    throw InvalidArgument("elimination in time needs exact Hessians; take the linear solver mumps");
  }
}

/// A path constraint that only reads what the start fixes can be violated there whatever the controls are.
void check_start(Transcription& transcription, Nlp& nlp) {
  const Problem& problem = transcription.problem();
  if (problem.path_constraints().empty()) return;
  const RowLayout& rows = transcription.rows();
  std::vector<bool> depends(index(transcription.num_rows()), false);
  for (const auto& [row, column] : nlp.jacobian_pattern()) {
    if (!transcription.variable_bounds()[index(column)].is_point()) depends[index(row + 1)] = true;
  }
  std::vector<double> g(index(nlp.num_constraints()));
  nlp.set_point(transcription.guess());
  nlp.constraints(g);
  for (int row = rows.path_at(0); row < rows.end; ++row) {
    if (depends[index(row)]) continue;
    const Interval& bounds = transcription.row_bounds()[index(row)];
    const double value = g[index(row - 1)];
    if (value >= bounds.lower - 1e-9 && value <= bounds.upper + 1e-9) continue;
    throw InvalidArgument("problem '" + problem.name() + "': " + transcription.row_name(row) +
                          " is violated by the initial values, whatever the controls are: it is " +
                          std::to_string(value));
  }
}

/// A control that no equation and no cost reads.
void check_controls(const Transcription& transcription, const Nlp& nlp) {
  const GridLayout& layout = transcription.layout();
  const std::vector<std::string>& controls = transcription.problem().system().controls();
  std::vector<bool> read(controls.size(), false);
  for (const auto& [row, column] : nlp.jacobian_pattern()) {
    if (column >= layout.at(layout.num_steps + 1, 0)) continue;
    const int control = column % layout.width - layout.controls;
    if (control >= 0 && index(control) < controls.size()) read[index(control)] = true;
  }
  for (std::size_t i = 0; i < controls.size(); ++i) {
    if (!read[i]) {
      throw InvalidArgument("problem '" + transcription.problem().name() + "': control '" +
                            controls[i] + "' acts on nothing");
    }
  }
}

void find_violations(const Transcription& transcription, Nlp& nlp, Solution& solution) {
  std::vector<double> g(index(nlp.num_constraints()));
  nlp.set_point(solution.x);
  nlp.constraints(g);
  std::vector<std::pair<double, int>> sizes;
  for (int i = 0; i < nlp.num_constraints(); ++i) {
    const Interval& bounds = transcription.row_bounds()[index(i + 1)];
    const double value = g[index(i)] / transcription.row_scales()[index(i + 1)];
    const double size = std::isfinite(value)
                            ? std::max({value - bounds.upper, bounds.lower - value, 0.0})
                            : std::numeric_limits<double>::infinity();
    solution.summary.constraint_violation = std::max(solution.summary.constraint_violation, size);
    sizes.emplace_back(-size, i + 1);
  }
  if (is_solved(solution.summary.status)) return;
  const std::size_t count = std::min<std::size_t>(5, sizes.size());
  std::partial_sort(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(count), sizes.end());
  const int steps = transcription.layout().num_steps;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [size, row] = sizes[i];
    if (size == 0) break;
    const int point = stage_of_row(transcription.rows(), row);
    solution.summary.violations.push_back(
        {transcription.row_name(row), point, solution.summary.t_end * point / steps, -size});
  }
}

void read_solution(const Transcription& transcription, Nlp& nlp, const Iterate& iterate,
                   Solution& solution) {
  const GridLayout& layout = transcription.layout();
  solution.x = iterate.x;
  solution.multipliers = iterate.multipliers;
  solution.lower_multipliers = iterate.lower_multipliers;
  solution.upper_multipliers = iterate.upper_multipliers;
  nlp.set_point(solution.x);
  solution.summary.cost = nlp.cost();
  solution.summary.t_end = transcription.horizon(solution.x);
  solution.parameters = transcription.parameters(solution.x);
  const int dof = transcription.problem().system().dof();
  for (int n = 0; n <= layout.num_steps; ++n) {
    solution.states.push_back(transcription.state(solution.x, n));
    const std::span<const double> u = transcription.controls(solution.x, n);
    solution.controls.emplace_back(u.begin(), u.end());
    if (n == 0 || solution.multipliers.empty()) continue;
    const auto first = solution.multipliers.begin() + transcription.rows().step_to(n) - 1;
    solution.costates.emplace_back(first, first + dof);
  }
  if (!solution.dual_history.empty()) {
    solution.summary.dual_infeasibility = solution.dual_history.back();
  }
}

}  // namespace

struct Solver::Parts {
  Parts(const Problem& given, const SolveOptions& with)
      : problem(given),
        options(with),
        transcription(problem, options.transcription),
        nlp(transcription) {
    check_controls(transcription, nlp);
    check_start(transcription, nlp);
    if (options.transcription.kind != TranscriptionKind::kSimultaneous) {
      shooting.emplace(transcription, nlp);
    }
  }

  /// A run of IPOPT in what is left of the time.
  void run(Program& program, LinearSolver linear_solver, Iterate& iterate, Solution& solution,
           bool& turned_too_far) {
    SolveOptions now = options;
    now.linear_solver = linear_solver;
    if (options.time_limit > 0) {
      now.time_limit = std::max(1e-3, options.time_limit - seconds_since(begin));
    }
    run_ipopt(transcription, program, now, iterate, solution, turned_too_far);
  }

  /// About a reference that is moved until it can stay.
  Iterate search(Iterate iterate, LinearSolver linear_solver, Solution& solution) {
    Summary& summary = solution.summary;
    bool turned_too_far = false;
    if (shooting) {
      Iterate reduced{.x = shooting->reduced(iterate.x), .is_near = iterate.is_near};
      summary.variables = shooting->num_variables();
      summary.constraints = shooting->num_constraints();
      run(*shooting, linear_solver, reduced, solution, turned_too_far);
      return shooting->expanded(reduced);
    }
    for (;;) {
      run(nlp, linear_solver, iterate, solution, turned_too_far);
      const double turn = transcription.largest_turn(iterate.x);
      const bool moves = turned_too_far || (is_solved(summary.status) && turn > kTurnToKeep);
      if (!moves || summary.recentrings == kMaxRecentrings) return iterate;
      transcription.recentre(iterate.x);
      // Coordinates fixed one by one keep the reference of the end.
      if (!turned_too_far && transcription.largest_turn(iterate.x) > 0.9 * turn) return iterate;
      // Multipliers of a solution are kept; those of an iterate on its way are worth little.
      iterate.has_multipliers = is_solved(summary.status);
      ++summary.recentrings;
    }
  }

  Solution solve(const Iterate& from);

  const Problem& problem;
  SolveOptions options;
  Transcription transcription;
  Nlp nlp;
  std::optional<ShootingProgram> shooting;
  Clock::time_point begin;
  double setup_seconds = 0;
};

Solution Solver::Parts::solve(const Iterate& from) {
  begin = Clock::now();
  const double derivative_seconds = nlp.seconds();
  Solution solution;
  Summary& summary = solution.summary;
  solution.formulation = options.transcription.formulation;
  summary.steps = options.transcription.steps;
  summary.variables = nlp.num_variables();
  summary.constraints = nlp.num_constraints();
  summary.setup_wall_seconds = setup_seconds;
  if (!options.transcription.method) {
    summary.choices.push_back(
        problem.system().num_multipliers() > 0
            ? "generalized-alpha with rho = 0.8: multipliers of index 3 need damping, which lets "
              "the "
              "last few controls oscillate; rho = 1 in index 2 or stabilized has none"
            : "the trapezoidal rule: without constraints nothing needs damping");
  }
  Iterate iterate = search(from, options.linear_solver, solution);
  if (summary.status == Status::kFailed && uses_blocks(options) &&
      options.linear_solver == LinearSolver::kAutomatic) {
    summary.choices.push_back("linear solver mumps: elimination in time failed (" +
                              summary.message + ")");
    iterate = search(from, LinearSolver::kMumps, solution);
  }
  if (summary.linear_solver == "mumps" && problem.system().num_multipliers() > 0 &&
      !options.ipopt.contains("mumps_pivtol")) {
    summary.choices.push_back(
        "mumps_pivtol = 1e-2: smaller pivots make the equations of constrained systems inaccurate");
  }
  read_solution(transcription, nlp, iterate, solution);
  find_violations(transcription, nlp, solution);
  summary.derivative_wall_seconds = nlp.seconds() - derivative_seconds;
  summary.wall_seconds = setup_seconds + seconds_since(begin);
  setup_seconds = 0;
  if (options.certify && is_solved(summary.status)) {
    const Clock::time_point certifying = Clock::now();
    solution.certificate = certify(transcription, nlp, solution);
    summary.certificate_wall_seconds = seconds_since(certifying);
  }
  if (options.find_gains && is_solved(summary.status)) {
    solution.gains = feedback_gains(transcription, nlp, solution);
  }
  return solution;
}

Solver::Solver(const Problem& problem, const SolveOptions& options) {
  check(options);
  const Clock::time_point begin = Clock::now();
  parts_ = std::make_unique<Parts>(problem, options);
  parts_->setup_seconds = seconds_since(begin);
}

Solver::~Solver() = default;

Solution Solver::solve() {
  parts_->transcription.start_from_guess();
  return parts_->solve({.x = parts_->transcription.guess()});
}

Solution Solver::solve_from(const Solution& start) {
  const bool same = parts_->transcription.start_from(start);
  Iterate iterate{.x = parts_->transcription.guess(), .is_near = true};
  if (same) {
    iterate.multipliers = start.multipliers;
    iterate.lower_multipliers = start.lower_multipliers;
    iterate.upper_multipliers = start.upper_multipliers;
    iterate.has_multipliers = true;
  }
  return parts_->solve(iterate);
}

Solution solve(const Problem& problem, const SolveOptions& options) {
  return Solver(problem, options).solve();
}

Solution solve_from(const Solution& start, const Problem& problem, const SolveOptions& options) {
  return Solver(problem, options).solve_from(start);
}

}  // namespace liegrad::control
