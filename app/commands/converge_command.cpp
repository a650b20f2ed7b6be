#include "commands/converge_command.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "liegrad/dae/start/consistency.hpp"
#include "options/common_options.hpp"
#include "options/integration_options.hpp"
#include "options/interrupt.hpp"
#include "options/run_size.hpp"
#include "output/colour.hpp"
#include "output/number_text.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "studies/convergence.hpp"
#include "studies/convergence_study.hpp"
#include "studies/reference_file.hpp"
#include "studies/reference_states.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

/// The reference has this fraction of the smallest step unless told otherwise.
constexpr double kReferenceFraction = 1.0 / 8;
/// Below this order errors do not become smaller with the step.
constexpr double kLeastOrder = 0.2;

class ConvergeCommand {
 public:
  void add_to(CLI::App& command);
  void run() const;

 private:
  std::vector<double> steps() const;
  StepTimes times(double step, const dae::IntegrateOptions& options) const;
  Study planned(const dae::System& system) const;
  double reference_step(double smallest) const {
    return reference_step_.value_or(kReferenceFraction * smallest);
  }
  void check_extent(const dae::System& system, const std::vector<double>& steps) const;
  template <class OnStep>
  dae::Solution integrate(const dae::System& system, double step,
                          const std::function<void(const dae::State&)>& on_start,
                          OnStep&& on_step) const;
  ReferenceStates reference_states(const dae::System& system, const Study& study) const;
  StudyRow compared_row(const dae::System& system, double step, const ReferenceStates& reference,
                        const Study& study) const;
  void fill(const dae::System& system, Study& study) const;
  std::vector<std::string> warnings(const Study& study) const;
  ordered_json json_of(const Study& study) const;

  CommonOptions common_;
  IntegrationOptions integration_;
  std::string steps_, window_, reference_file_, out_, plot_;
  std::optional<double> reference_step_;
  bool absolute_ = false;
};

/// Largest first.
std::vector<double> ConvergeCommand::steps() const {
  std::vector<double> list = numbers_of("--steps", steps_);
  for (const double step : list) require_finite("a step of --steps", step);
  std::sort(list.begin(), list.end(), std::greater<>());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] <= 0) {
      throw InvalidArgument(
          fmt::format("--steps has the step {:g}; steps must be positive", list[i]));
    }
    if (i > 0 && list[i] == list[i - 1]) {
      throw InvalidArgument(fmt::format("--steps has the step {:g} twice", list[i]));
    }
  }
  return list;
}

StepTimes ConvergeCommand::times(double step, const dae::IntegrateOptions& options) const {
  StepTimes times{.t_start = options.t_start,
                  .t_end = options.t_end,
                  .step = step,
                  .window_start = options.t_start,
                  .window_end = options.t_end};
  if (window_.empty()) return times;
  const std::vector<double> ends = numbers_of("--window", window_);
  if (ends.size() != 2 || !(ends[0] < ends[1])) {
    throw InvalidArgument("--window is given '" + window_ + "'; write T0,T1 with T0 before T1");
  }
  times.window_start = ends[0];
  times.window_end = ends[1];
  return times;
}

/// All runs come to their end, and the reference fits into memory.
void ConvergeCommand::check_extent(const dae::System& system,
                                   const std::vector<double>& steps) const {
  dae::IntegrateOptions options = integration_.make();
  double all_steps = 0, all_times = 0;
  const auto add_run = [&](double step) {
    options.step = step;
    check(options, system);
    all_steps += num_steps(options);
    all_times += times(step, options).count();
  };
  for (const double step : steps) add_run(step);
  const double all_of_runs = all_times;
  if (reference_file_.empty()) add_run(reference_step(steps.back()));
  check_num_steps(all_steps);
  check_memory(all_of_runs * ReferenceStates::bytes_per_state(system),
               fmt::format("the states of the reference at {:.3g} times", all_of_runs),
               "choose longer steps or a shorter --window");
  announce_num_steps(all_steps, common_.quiet);
}

/// What is to be compared. Throws InvalidArgument for what cannot be.
Study ConvergeCommand::planned(const dae::System& system) const {
  Study study{
      .system = system.name(), .steps = steps(), .has_multipliers = system.num_multipliers() > 0};
  const double of_reference = reference_step(study.smallest_step());
  if (reference_file_.empty() && of_reference >= study.smallest_step()) {
    throw InvalidArgument(
        fmt::format("the step {:g} of the reference is not below the smallest of --steps, {:g}",
                    of_reference, study.smallest_step()));
  }
  check_extent(system, study.steps);
  study.reference =
      reference_file_.empty() ? fmt::format("h = {:g}", of_reference) : reference_file_;
  const dae::IntegrateOptions options = integration_.make();
  for (const double step : study.steps) {
    const StepTimes ends = times(step, options);
    const std::vector<double> list = ends.list();
    if (list.empty()) {
      throw InvalidArgument(fmt::format(
          "no step of length {:g} up to the end {:g} ends in the window from {:g} to {:g}; choose "
          "smaller steps or another window",
          step, options.t_end, ends.window_start, ends.window_end));
    }
    if (study.times.empty()) study.times_of_largest = list;
    study.times.insert(study.times.end(), list.begin(), list.end());
  }
  study.times = merged(std::move(study.times), study.smallest_step());
  return study;
}

template <class OnStep>
dae::Solution ConvergeCommand::integrate(const dae::System& system, double step,
                                         const std::function<void(const dae::State&)>& on_start,
                                         OnStep&& on_step) const {
  dae::IntegrateOptions options = integration_.make();
  options.step = step;
  options.keep_samples = false;
  RunProgress progress(options.t_start, options.t_end, !common_.quiet);
  options.on_start = [&](const dae::State& state, double) { on_start(state); };
  options.on_step = [&](const dae::MethodState& state) {
    on_step(state);
    progress.update(state.t);
    throw_if_interrupted();
    return true;
  };
  return dae::integrate(system, options);
}

ReferenceStates ConvergeCommand::reference_states(const dae::System& system,
                                                  const Study& study) const {
  if (!reference_file_.empty()) {
    const dae::IntegrateOptions options = integration_.make();
    dae::Consistency consistency(system, options.alpha.consistency, options.alpha.solver);
    const std::vector<double> controls(system.controls().size(), 0.0);
    return read_reference(reference_file_, system,
                          consistency.initial_state(options.t_start, controls), study.times,
                          study.times_of_largest, study.time_tolerance());
  }
  ReferenceRecorder recorder(system, study.times, study.time_tolerance());
  const dae::Solution solution = integrate(
      system, reference_step(study.smallest_step()),
      [&](const dae::State& state) { recorder.start(state); },
      [&](const dae::MethodState& state) { recorder.after_step(state); });
  if (!solution.summary.is_complete()) {
    throw Error("the reference could not be computed: " + solution.summary.message);
  }
  return recorder.states();
}

StudyRow ConvergeCommand::compared_row(const dae::System& system, double step,
                                       const ReferenceStates& reference, const Study& study) const {
  RunErrors errors(system, reference, study.time_tolerance());
  StudyRow row{.step = step};
  row.summary = integrate(
                    system, step, [](const dae::State&) {},
                    [&](const dae::State& state) { errors.after_step(state); })
                    .summary;
  row.times = errors.count();
  if (row.summary.is_complete()) row.errors = errors.largest();
  return row;
}

/// Makes all runs, or those that an interruption leaves time for.
void ConvergeCommand::fill(const dae::System& system, Study& study) const {
  std::vector<ByVariable> errors;
  std::vector<double> made;
  try {
    const ReferenceStates reference = reference_states(system, study);
    const ByVariable sizes = absolute_ ? ByVariable{} : largest_norms(system, reference);
    for (const double step : study.steps) {
      StudyRow row = compared_row(system, step, reference, study);
      row.errors = relative(row.errors, sizes);
      if (!study.rows.empty()) {
        const StudyRow& last = study.rows.back();
        row.orders = observed_order(last.step, last.errors, row.step, row.errors);
      }
      errors.push_back(row.errors);
      made.push_back(step);
      study.rows.push_back(row);
    }
  } catch (const Interrupted&) {
    study.is_interrupted = true;
  }
  study.fitted = fitted_order(made, errors);
}

ordered_json ConvergeCommand::json_of(const Study& study) const {
  ordered_json options = integration_.echo();
  options.erase("step");
  return {{"command", "converge"},
          {"system", study.system},
          {"options", options},
          {"termination", study.is_interrupted ? "interrupted" : "reached_end"},
          {"reference", study.reference},
          {"absolute", absolute_},
          {"window", {study.times.front(), study.times.back()}},
          {"rows", rows_of(study)},
          {"fitted_orders", app::json_of(study.fitted)}};
}

std::vector<std::string> ConvergeCommand::warnings(const Study& study) const {
  std::vector<std::string> list;
  if (!study.rows.empty()) list = study.rows.front().summary.warnings;
  for (const std::string& warning : integration_.warnings()) list.push_back(warning);
  for (const StudyRow& row : study.rows) {
    if (!row.summary.is_complete() || row.times >= row.summary.steps || !window_.empty()) continue;
    list.push_back(
        fmt::format("there is a reference at {} of the {} steps with h = {:g}; errors of the "
                    "others do not count",
                    row.times, row.summary.steps, row.step));
  }
  if (!reference_file_.empty() && study.rows.size() > 1 && study.fitted.q < kLeastOrder) {
    list.push_back(
        fmt::format("errors do not become smaller with the step: {} may be of other parameters, or "
                    "less accurate than these runs",
                    reference_file_));
  }
  return list;
}

void ConvergeCommand::run() const {
  const InterruptGuard guard;
  const dae::System system = integration_.make_system();
  check_files(std::array{FileOption{"--json", common_.json_file}, FileOption{"--out", out_},
                         FileOption{"--plot", plot_}},
              std::array{FileOption{"--reference", reference_file_}});
  Study study = planned(system);
  fill(system, study);
  if (!common_.quiet) {
    for (const std::string& warning : warnings(study)) {
      std::cerr << warning_mark("liegrad: warning: ") << warning << ".\n";
    }
  }
  if (common_.prints({out_, plot_})) {
    print(study, absolute_ ? "absolute" : "relative");
    if (isatty(STDOUT_FILENO) == 1) fmt::print("{}", plot_text(study));
  }
  if (!out_.empty()) write_table(study, out_);
  if (!plot_.empty()) write_plot(study, plot_);
  common_.write_json(json_of(study));
  if (study.is_interrupted) {
    throw Interrupted(fmt::format("interrupted after {} of {} step sizes", study.rows.size(),
                                  study.steps.size()));
  }
  for (const StudyRow& row : study.rows) {
    if (row.summary.is_complete()) continue;
    throw Error(fmt::format("with h = {:g} {}", row.step, row.summary.message));
  }
}

void ConvergeCommand::add_to(CLI::App& command) {
  integration_.add_to(command, {.default_run = DefaultRun::kAlphaSteps});
  command.add_option("--steps", steps_, "Step sizes")->type_name("H1,H2,…")->required();
  command
      .add_option("--window", window_, "Compare between these times; in the whole run unless given")
      ->type_name("T0,T1");
  CLI::Option* const file =
      command.add_option("--reference", reference_file_, "Samples that `simulate --out` wrote")
          ->type_name("FILE.csv")
          ->check(names_a_file());
  command
      .add_option("--reference-step", reference_step_,
                  "Step of the reference run; an eighth of the smallest unless given")
      ->type_name("H")
      ->excludes(file);
  command.add_flag("--absolute", absolute_, "Do not divide errors by the size of the solution");
  command.add_option("--out", out_, "Write the table to this file; - is standard output")
      ->type_name("FILE.csv")
      ->check(names_a_file());
  command.add_option("--plot", plot_, "Write a log-log plot to this file; - is standard output")
      ->type_name("FILE.svg")
      ->check(names_a_file());
  common_.add_to(command);
  common_.add_citations_to(command);
}

}  // namespace

void add_converge_command(CLI::App& app) {
  auto command = std::make_shared<ConvergeCommand>();
  CLI::App* sub =
      app.add_subcommand("converge", "Errors and observed orders for a list of step sizes");
  sub->footer(
      "Errors are the largest of |e| at the ends of all steps in the window, over the largest |y|\n"
      "there: e is log(q_ref^-1 q), v - v_ref, lambda - lambda_ref, y the reference's q (each\n"
      "quaternion has length 1), v, lambda. Where steps of the reference end elsewhere it is\n"
      "interpolated; of a file the rows at these times count, and its numbers must be those of\n"
      "this system with these parameters. Orders are those between a step and the next larger\n"
      "one, and by least squares over all. The JSON has `rows` (`step`, `times`, `errors`,\n"
      "`orders`, both with `q`, `v`, `lambda`), `fitted_orders` and `termination`:\n"
      "\"interrupted\" after Ctrl-C, with the rows that were found and status 130.");
  command->add_to(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace liegrad::app
