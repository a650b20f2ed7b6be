#include "liegrad/control/solve_phases.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/ad/native/subprocess.hpp"
#include "liegrad/control/certificate.hpp"
#include "liegrad/control/phased_program.hpp"
#include "liegrad/control/resimulation.hpp"
#include "liegrad/control/search.hpp"
#include "liegrad/control/solution_parts.hpp"
#include "liegrad/control/switching.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

using dae::index;
using Clock = StopRequest::Clock;

constexpr std::size_t kViolationsToTell = 5;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::vector<double> list_of(std::span<const double> numbers) {
  return {numbers.begin(), numbers.end()};
}

Iterate iterate_of(const PhasedProgram& program, int phase, const Iterate& whole) {
  Iterate own{.x = list_of(program.variables_of(phase, whole.x))};
  if (whole.multipliers.empty()) return own;
  own.multipliers = list_of(program.rows_of(phase, whole.multipliers));
  own.lower_multipliers = list_of(program.variables_of(phase, whole.lower_multipliers));
  own.upper_multipliers = list_of(program.variables_of(phase, whole.upper_multipliers));
  return own;
}

/// What the links violate is told with the phase that they lead to.
double find_link_violations(PhasedProgram& program, const PhasedSolution& solution,
                            std::span<const double> x, std::vector<Violation>& violations) {
  std::vector<double> g(index(program.num_constraints()));
  program.set_point(x);
  program.constraints(g);
  double largest = 0;
  for (int row = program.first_link_row(); row < program.num_constraints(); ++row) {
    const Interval bounds = program.constraint_interval(row);
    const double value = g[index(row)];
    const double size = std::max({value - bounds.upper, bounds.lower - value, 0.0});
    largest = std::max(largest, size);
    const int phase = program.link_row_phase(row);
    if (size > 0) {
      violations.push_back(
          {"phase " + std::to_string(phase + 1) + ", " + program.link_row_name(row), 0,
           solution.start_times[index(phase)], size});
    }
  }
  return largest;
}

void find_violations(PhasedProgram& program, std::span<const double> x, PhasedSolution& solution) {
  Summary& summary = solution.summary;
  std::vector<Violation> all;
  for (int k = 0; k < static_cast<int>(program.phases().size()); ++k) {
    const PhasedProgram::Phase& phase = program.phases()[index(k)];
    std::vector<Violation> own;
    const double largest = find_violations(*phase.transcription, *phase.nlp,
                                           program.variables_of(k, x), kViolationsToTell, own);
    summary.constraint_violation = std::max(summary.constraint_violation, largest);
    for (Violation& violation : own) {
      violation.name = "phase " + std::to_string(k + 1) + ", " + violation.name;
      violation.time += solution.start_times[index(k)];
      all.push_back(violation);
    }
  }
  summary.constraint_violation =
      std::max(summary.constraint_violation, find_link_violations(program, solution, x, all));
  if (is_solved(summary.status)) return;
  std::stable_sort(all.begin(), all.end(),
                   [](const Violation& a, const Violation& b) { return a.size > b.size; });
  if (all.size() > kViolationsToTell) all.resize(kViolationsToTell);
  summary.violations = std::move(all);
}

void certify_phases(PhasedProgram& program, const Iterate& at, const StopRequest& stop,
                    PhasedSolution& solution) {
  Certificate& whole = solution.certificate;
  find_inertia(program, at, stop, whole);
  program.set_point(at.x);
  whole.resimulated = true;
  const LagrangianGradient gradient(program, at);
  for (std::size_t k = 0; k < solution.phases.size() && !stop.is_made(); ++k) {
    Certificate& own = solution.phases[k].certificate;
    Transcription& transcription = *program.phases()[k].transcription;
    const int phase = static_cast<int>(k);
    find_switching(transcription, solution.phases[k], program.variables_of(phase, gradient.values),
                   program.variables_of(phase, gradient.sizes), own);
    whole.switching_disagreement =
        std::max(whole.switching_disagreement, own.switching_disagreement);
    find_hamiltonian(transcription, solution.phases[k], own);
    resimulate(transcription, solution.phases[k], stop, own);
    own.local_minimum = whole.local_minimum;
    own.is_complete = !stop.is_made();
    whole.resimulated = whole.resimulated && own.resimulated;
    if (whole.resimulation_failure.empty() && !own.resimulation_failure.empty()) {
      whole.resimulation_failure =
          "phase " + std::to_string(k + 1) + ": " + own.resimulation_failure;
    }
    whole.resimulation_miss = std::max(whole.resimulation_miss, own.resimulation_miss);
    whole.resimulation_cost_difference += own.resimulation_cost_difference;
    whole.hamiltonian_spread = std::max(whole.hamiltonian_spread, own.hamiltonian_spread);
  }
  whole.is_complete = !stop.is_made();
}

Iterate start_of(PhasedProgram& program, const PhasedSolution* from) {
  if (from == nullptr) return {.x = program.guess()};
  const bool same =
      program.start_from(from->phases) &&
      index(program.num_constraints() - program.first_link_row()) == from->link_multipliers.size();
  Iterate iterate{.x = program.guess(), .has_multipliers = same, .is_near = true};
  if (!same) return iterate;
  const auto append = [](std::vector<double>& list, const std::vector<double>& more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  for (const Solution& phase : from->phases) {
    append(iterate.multipliers, phase.multipliers);
    append(iterate.lower_multipliers, phase.lower_multipliers);
    append(iterate.upper_multipliers, phase.upper_multipliers);
  }
  append(iterate.multipliers, from->link_multipliers);
  return iterate;
}

PhasedSolution solve_phases(const PhasedProblem& problem, const SolveOptions& options,
                            const PhasedSolution* from) {
  check(options);
  if (options.find_gains) {
    throw InvalidArgument("problem '" + problem.name() +
                          "': gains are found for problems of one phase only");
  }
  const Clock::time_point begin = Clock::now();
  const StopRequest stop(options.stop, options.time_limit);
  const ad::ProgramTimeLimit compilers(stop.end());
  PhasedProgram program(problem, options.transcription, stop);
  Record record;
  Summary& summary = record.summary;
  summary.variables = program.num_variables();
  summary.constraints = program.num_constraints();
  for (const PhasedProgram::Phase& phase : program.phases()) {
    check(*phase.transcription, *phase.nlp);
    summary.steps += phase.transcription->layout().num_steps;
    const std::string reason = reason_for_method(phase.transcription->problem());
    if (!options.transcription.method && !phase.transcription->has_stages() &&
        std::find(summary.choices.begin(), summary.choices.end(), reason) ==
            summary.choices.end()) {
      summary.choices.push_back(reason);
    }
  }
  const Iterate start = start_of(program, from);
  summary.setup_wall_seconds = seconds_since(begin);

  const Iterate iterate = search(program, options, stop, start, record);
  PhasedSolution solution;
  solution.summary = std::move(summary);
  if (!record.dual_history.empty()) {
    solution.summary.dual_infeasibility = record.dual_history.back();
  }
  for (int k = 0; k < problem.size(); ++k) {
    const PhasedProgram::Phase& phase = program.phases()[index(k)];
    Solution& own = solution.phases.emplace_back();
    own.summary.status = solution.summary.status;
    own.summary.steps = phase.transcription->layout().num_steps;
    own.formulation = phase.transcription->options().formulation;
    read_motion(*phase.transcription, *phase.nlp, iterate_of(program, k, iterate), own);
    solution.start_times.push_back(solution.summary.t_end);
    solution.summary.t_end += own.summary.t_end;
    solution.summary.cost += own.summary.cost;
  }
  if (!iterate.multipliers.empty()) {
    solution.link_multipliers.assign(iterate.multipliers.begin() + program.first_link_row(),
                                     iterate.multipliers.end());
  }
  find_violations(program, iterate.x, solution);
  solution.summary.derivative_wall_seconds = program.seconds();
  solution.summary.wall_seconds = seconds_since(begin);
  if (options.certify && is_solved(solution.summary.status)) {
    const Clock::time_point certifying = Clock::now();
    certify_phases(program, iterate, stop, solution);
    solution.summary.certificate_wall_seconds = seconds_since(certifying);
  }
  return solution;
}

}  // namespace

PhasedSolution solve(const PhasedProblem& problem, const SolveOptions& options) {
  return solve_phases(problem, options, nullptr);
}

PhasedSolution solve_from(const PhasedSolution& start, const PhasedProblem& problem,
                          const SolveOptions& options) {
  return solve_phases(problem, options, &start);
}

}  // namespace liegrad::control
