#include "liegrad/control/solve.hpp"

#include <optional>

#include "liegrad/ad/native/subprocess.hpp"
#include "liegrad/control/certificate.hpp"
#include "liegrad/control/feedback.hpp"
#include "liegrad/control/search.hpp"
#include "liegrad/control/shooting.hpp"
#include "liegrad/control/solution_parts.hpp"
#include "liegrad/control/unit_scales.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

using Clock = StopRequest::Clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

constexpr std::size_t kViolationsToTell = 5;
/// Of grids that need no coarse one, and of the coarse one at most.
constexpr int kShortGrid = 1000, kCoarseGrid = 200;

/// Every second point of a grid, every fourth one …, until there are few.
void make_coarse(TranscriptionOptions& grid) {
  int every = 1;
  while (grid.steps / every > kCoarseGrid) every *= 2;
  std::vector<double> mesh;
  for (std::size_t n = 0; n + 1 < grid.mesh.size(); n += static_cast<std::size_t>(every)) {
    mesh.push_back(grid.mesh[n]);
  }
  if (!mesh.empty()) mesh.push_back(1);
  grid.mesh = std::move(mesh);
  grid.steps /= every;
}

}  // namespace

struct Solver::Parts {
  Parts(const Problem& given, const SolveOptions& with)
      : begin(Clock::now()),
        stop(with.stop, with.time_limit),
        problem(given),
        options(with),
        transcription(problem, options.transcription, {}, stop),
        nlp(transcription) {
    check(transcription, nlp);
    if (options.find_gains && transcription.has_stages()) {
      throw InvalidArgument("problem '" + problem.name() +
                            "': gains are there for generalized-alpha methods, not for Radau "
                            "steps; leave one of both out");
    }
    if (options.find_gains && transcription.layout().rescales) {
      throw InvalidArgument("problem '" + problem.name() +
                            "': gains on a mesh of unequal steps need a method without memory; "
                            "take rho = 1");
    }
    if (options.transcription.kind != TranscriptionKind::kSimultaneous) {
      shooting.emplace(transcription, nlp, stop);
    } else {
      nlp.units = unit_scales(transcription, nlp);
    }
    setup_seconds = seconds_since(begin);
  }

  Iterate search(const Iterate& from, Record& record);
  Solution solve(const Iterate& from);
  Solution solve_from_guess();
  Solution solve_from(const Solution& start);
  bool starts_coarse() const {
    return options.starts_coarse && transcription.layout().num_steps > kShortGrid &&
           options.transcription.kind == TranscriptionKind::kSimultaneous;
  }
  /// A search on the coarse grid, in the time that is left.
  Solution solve_coarsely();

  Clock::time_point begin;
  StopRequest stop;
  Problem problem;
  SolveOptions options;
  Transcription transcription;
  Nlp nlp;
  std::optional<ShootingProgram> shooting;
  double setup_seconds = 0;
  bool is_first = true;
  std::optional<Solver> coarse;
};

Iterate Solver::Parts::search(const Iterate& from, Record& record) {
  if (!shooting) return control::search(nlp, options, stop, from, record);
  const Iterate reduced{.x = shooting->reduced(from.x), .is_near = from.is_near};
  record.summary.variables = shooting->num_variables();
  record.summary.constraints = shooting->num_constraints();
  return shooting->expanded(control::search(*shooting, options, stop, reduced, record));
}

Solution Solver::Parts::solve_coarsely() {
  SolveOptions on_coarse_grid = options;
  on_coarse_grid.certify = on_coarse_grid.find_gains = false;
  on_coarse_grid.time_limit = time_left(options.time_limit, is_first ? begin : Clock::now());
  make_coarse(on_coarse_grid.transcription = transcription.options());
  if (!coarse) coarse.emplace(problem, on_coarse_grid);
  return coarse->solve();
}

Solution Solver::Parts::solve_from_guess() {
  std::string choice;
  if (starts_coarse()) {
    const Clock::time_point start = is_first ? begin : Clock::now();
    const Solution first = solve_coarsely();
    choice = "began with " + std::to_string(first.summary.steps) + " steps, " +
             std::to_string(first.summary.iterations) + " iterations: a fine grid takes as many, " +
             "each as much longer as it has more steps";
    if (is_solved(first.summary.status) || stop.is_made()) {
      Solution solution = solve_from(first);
      solution.summary.choices.push_back(choice);
      solution.summary.wall_seconds =
          seconds_since(start) - solution.summary.certificate_wall_seconds;
      if (is_solved(solution.summary.status) || stop.is_made()) return solution;
    }
    choice += "; that did not help";
  }
  transcription.start_from_guess();
  Solution solution = solve({.x = transcription.guess()});
  if (!choice.empty()) solution.summary.choices.push_back(choice);
  return solution;
}

Solution Solver::Parts::solve_from(const Solution& start) {
  const bool same = transcription.start_from(start);
  Iterate iterate{.x = transcription.guess(), .is_near = true};
  if (same) {
    iterate.multipliers = start.multipliers;
    iterate.lower_multipliers = start.lower_multipliers;
    iterate.upper_multipliers = start.upper_multipliers;
    iterate.has_multipliers = true;
  }
  return solve(iterate);
}

Solution Solver::Parts::solve(const Iterate& from) {
  const ad::ProgramTimeLimit compilers(stop.end());
  // The time of the first search is counted from the beginning of what was set up for it.
  if (!is_first) {
    begin = Clock::now();
    stop = StopRequest(options.stop, options.time_limit);
    setup_seconds = 0;
  }
  is_first = false;
  const double derivative_seconds = nlp.seconds();
  Record record;
  record.summary.steps = transcription.layout().num_steps;
  record.summary.variables = nlp.num_variables();
  record.summary.constraints = nlp.num_constraints();
  record.summary.setup_wall_seconds = setup_seconds;
  if (!options.transcription.method && !transcription.has_stages()) {
    record.summary.choices.push_back(reason_for_method(problem));
  }
  if (!nlp.units.empty()) {
    record.summary.choices.push_back(
        "units in which horizon, controls and cost are about 1, within IPOPT: its tolerances are "
        "absolute");
  }
  const Iterate iterate = search(from, record);
  Solution solution;
  solution.formulation = transcription.options().formulation;
  solution.primal_history = std::move(record.primal_history);
  solution.dual_history = std::move(record.dual_history);
  Summary& summary = solution.summary;
  summary = std::move(record.summary);
  if (!solution.dual_history.empty()) summary.dual_infeasibility = solution.dual_history.back();
  read_motion(transcription, nlp, iterate, solution);
  const bool solved = is_solved(summary.status);
  summary.constraint_violation = find_violations(
      transcription, nlp, solution.x, solved ? 0 : kViolationsToTell, summary.violations);
  summary.derivative_wall_seconds = nlp.seconds() - derivative_seconds;
  summary.wall_seconds = seconds_since(begin);
  if (options.certify && solved) {
    const Clock::time_point certifying = Clock::now();
    solution.certificate = certify(transcription, nlp, solution, stop);
    summary.certificate_wall_seconds = seconds_since(certifying);
  }
  if (options.find_gains && solved && !stop.is_made()) {
    solution.gains = feedback_gains(transcription, nlp, solution);
  }
  return solution;
}

Solver::Solver(const Problem& problem, const SolveOptions& options) {
  check(options);
  const ad::ProgramTimeLimit compilers(StopRequest({}, options.time_limit).end());
  parts_ = std::make_unique<Parts>(problem, options);
}

Solver::~Solver() = default;

Solution Solver::solve() { return parts_->solve_from_guess(); }

Solution Solver::solve_from(const Solution& start) { return parts_->solve_from(start); }

Solution solve(const Problem& problem, const SolveOptions& options) {
  return Solver(problem, options).solve();
}

Solution solve_from(const Solution& start, const Problem& problem, const SolveOptions& options) {
  return Solver(problem, options).solve_from(start);
}

}  // namespace liegrad::control
