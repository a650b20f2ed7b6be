#include "commands/simulate_command.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "liegrad/dae/report.hpp"
#include "options/common_options.hpp"
#include "options/integration_options.hpp"
#include "options/interrupt.hpp"
#include "options/run_size.hpp"
#include "output/colour.hpp"
#include "output/number_text.hpp"
#include "output/output_file.hpp"
#include "report/drawing.hpp"
#include "report/plot_svg.hpp"
#include "report/section_parts.hpp"
#include "studies/energy_balance.hpp"
#include "studies/run_observer.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

/// More cannot be told apart in a figure.
constexpr std::size_t kMostPlottedSamples = 1600;

struct Result;

struct SimulateCommand {
  CommonOptions common;
  IntegrationOptions integration;
  std::vector<std::string> events, stops;
  std::optional<double> output_every;
  std::string out, plot;
  bool recomputes_multipliers = false;

  void run() const;

 private:
  std::vector<dae::EventOptions> event_options() const;
  dae::IntegrateOptions options(const dae::System& system, const dae::Outputs& outputs) const;
  void check_extent(const dae::IntegrateOptions& options, int columns) const;
  std::vector<std::string> warnings() const;
  void write_plot(const Result& result, const ordered_json& drawing) const;
};

/// What happened, for the table and for the JSON.
struct Result {
  const dae::System& system;
  const IntegrationOptions& integration;
  const dae::IntegrateOptions& options;
  const RunObserver& observer;
  bool keeps_energy = false;  ///< the equations of motion do
  dae::Solution solution = {};
  bool threw = false;                       ///< the integration ended with an exception
  std::optional<std::string> failure = {};  ///< why the command stopped it

  const dae::IntegrateSummary& summary() const { return solution.summary; }
  bool is_complete() const { return !threw && !failure && summary().is_complete(); }
  bool is_interrupted() const {
    return is_complete() && summary().termination == dae::Termination::kStoppedByCallback;
  }
  std::string termination() const {
    if (failure) return "steps_too_short";
    if (is_interrupted()) return "interrupted";
    return threw ? "failed" : dae::name_of(summary().termination);
  }
  /// Those that the run did not come to.
  std::vector<dae::EventOptions> missed_events() const {
    std::vector<dae::EventOptions> list;
    for (std::size_t i = 0; i < options.events.size(); ++i) {
      const bool happened = std::any_of(
          solution.events.begin(), solution.events.end(),
          [i](const dae::EventFound& found) { return static_cast<std::size_t>(found.event) == i; });
      if (!happened) list.push_back(options.events[i]);
    }
    return list;
  }
};

std::vector<dae::EventOptions> SimulateCommand::event_options() const {
  std::vector<dae::EventOptions> list;
  const auto add = [&list](const std::string& option, const std::string& text, bool stop) {
    const auto [output, level] = named_number_of(option, text);
    if (!std::isfinite(level)) {
      throw InvalidArgument(option + " " + output + " needs a level that is finite");
    }
    list.push_back({.output = output, .level = level, .stop = stop});
  };
  for (const std::string& text : events) add("--event", text, false);
  for (const std::string& text : stops) add("--stop-at", text, true);
  return list;
}

ordered_json final_values(const Result& result) {
  ordered_json values = {{"time", result.observer.time()}};
  const std::vector<double>& numbers = result.observer.final_outputs();
  auto next = numbers.begin();
  for (const dae::OutputSpec& output : result.observer.outputs().list()) {
    const std::vector<double> own(next, next + output.size);
    values[output.name] = output.size == 1 ? ordered_json(own[0]) : ordered_json(own);
    next += output.size;
  }
  return values;
}

ordered_json energy_of(const Result& result) {
  const auto& energy = result.observer.energy();
  if (!energy) return nullptr;
  const double change = energy->largest_relative_change();
  return {{"initial", energy->initial},
          {"final", energy->final},
          {"kept_by_the_equations", result.keeps_energy},
          {"largest_relative_change", change},
          {"largest_relative_drift", result.keeps_energy ? ordered_json(change) : nullptr}};
}

ordered_json events_of(const Result& result) {
  ordered_json list = ordered_json::array();
  for (const dae::EventFound& found : result.solution.events) {
    const dae::EventOptions& event = result.options.events[static_cast<std::size_t>(found.event)];
    list.push_back({{"output", event.output}, {"level", event.level}, {"time", found.state.t}});
  }
  return list;
}

ordered_json missed_events_of(const Result& result) {
  ordered_json list = ordered_json::array();
  for (const dae::EventOptions& event : result.missed_events()) {
    list.push_back({{"output", event.output}, {"level", event.level}});
  }
  return list;
}

ordered_json json_of(const Result& result) {
  const dae::IntegrateSummary& s = result.summary();
  return {{"command", "simulate"},
          {"system", result.system.name()},
          {"options", result.integration.echo()},
          {"termination", result.termination()},
          {"message", s.message},
          {"trusted", s.trusted},
          {"reason_for_doubt", s.reason_for_doubt},
          {"warnings", s.warnings},
          {"solver", dae::name_of(s.solver)},
          {"steps", s.steps},
          {"rejected_steps", s.rejected_steps},
          {"failed_attempts", s.failed_attempts},
          {"smallest_step", s.smallest_step},
          {"largest_step", s.largest_step},
          {"newton_iterations", s.newton_iterations},
          {"residual_evaluations", s.residual_evaluations},
          {"jacobian_evaluations", s.jacobian_evaluations},
          {"factorizations", s.factorizations},
          {"wall_seconds", s.wall_seconds},
          {"max_position_residual", s.max_position_residual},
          {"max_velocity_residual", s.max_velocity_residual},
          {"initial_position_change", s.consistency.position_change},
          {"initial_velocity_change", s.consistency.velocity_change},
          {"redundant_constraints", s.consistency.redundant_constraints},
          {"energy", energy_of(result)},
          {"events", events_of(result)},
          {"missed_events", missed_events_of(result)},
          {"samples", result.observer.num_samples()},
          {"final", final_values(result)}};
}

std::string constraints_text(int count) {
  if (count == 0) return "no constraints";
  return fmt::format("{} constraint{}", count, count == 1 ? "" : "s");
}

void line(const std::string& name, const std::string& value) {
  fmt::print("{}", dae::report_line(name, value));
}

/// All outputs, or of a large system the last ones: what its elements observe, and totals.
void print_final(const Result& result, bool verbose) {
  constexpr std::size_t kMany = 100, kLast = 12;
  const std::vector<dae::OutputSpec>& outputs = result.observer.outputs().list();
  const std::size_t left_out = verbose || outputs.size() <= kMany ? 0 : outputs.size() - kLast;
  fmt::print("at t = {:.10g}\n", result.observer.time());
  if (left_out > 0) fmt::print("  … {} outputs more, with --verbose or --out\n", left_out);
  auto next = result.observer.final_outputs().begin();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    std::string numbers;
    for (int i = 0; i < outputs[k].size; ++i) numbers += fmt::format(" {:>16.10g}", *next++);
    if (k >= left_out) fmt::print("  {:<22} ={}\n", outputs[k].name, numbers);
  }
}

void print_more(const Result& result) {
  const dae::IntegrateSummary& s = result.summary();
  line("residuals", fmt::format("{}", s.residual_evaluations));
  line("steps taken", fmt::format("{:g} to {:g}", s.smallest_step, s.largest_step));
  line("initial values moved",
       fmt::format("q by {:.3g}, v by {:.3g}", s.consistency.position_change,
                   s.consistency.velocity_change));
  for (const dae::ParameterSpec& parameter : result.system.parameters()) {
    line(parameter.name, fmt::format("{:.10g} {}", parameter.value, parameter.unit));
  }
}

void print(const Result& result, bool verbose) {
  const std::string group = result.integration.group();
  fmt::print("{}: {} velocities, {}{}\n", result.system.name(), result.system.dof(),
             constraints_text(result.system.num_multipliers()),
             group.empty() ? "" : ", bodies on " + group);
  fmt::print("{}", dae::full_report(result.summary(), result.termination()));
  if (const auto& energy = result.observer.energy()) {
    line("energy", fmt::format("{:.10g} to {:.10g}, largest relative {} {:.3g}", energy->initial,
                               energy->final, result.keeps_energy ? "drift" : "change",
                               energy->largest_relative_change()));
  }
  for (const dae::EventFound& found : result.solution.events) {
    const dae::EventOptions& event = result.options.events[static_cast<std::size_t>(found.event)];
    line("event",
         fmt::format("{} = {:g} at t = {:.10g}", event.output, event.level, found.state.t));
  }
  for (const dae::EventOptions& event : result.missed_events()) {
    line("event", fmt::format("{} = {:g} did not happen", event.output, event.level));
  }
  if (verbose) print_more(result);
  print_final(result, verbose);
}

dae::IntegrateOptions SimulateCommand::options(const dae::System& system,
                                               const dae::Outputs& outputs) const {
  require_finite("--output-every", output_every);
  dae::IntegrateOptions options = integration.make();
  options.keep_samples = false;
  options.sample_interval = output_every.value_or(0);
  options.events = event_options();
  check(options, system);
  for (const dae::EventOptions& event : options.events) outputs.column(event.output);
  return options;
}

/// The figures that a report has of the run.
void SimulateCommand::write_plot(const Result& result, const ordered_json& drawing) const {
  const Motion motion(result.observer.samples(), kMostPlottedSamples);
  OutputFile file(plot);
  file.write(plots_svg(title_of(result.system.name()), plots_of(motion, drawing),
                       rounded(motion.times())));
  file.close();
}

/// What the command writes is free to be written, and ends.
void SimulateCommand::check_extent(const dae::IntegrateOptions& options, int columns) const {
  check_files(std::array{FileOption{"--json", common.json_file}, FileOption{"--out", out},
                         FileOption{"--plot", plot}});
  const double steps = num_steps(options);
  check_num_steps(steps);
  if (!out.empty()) check_samples(options, columns, out, common.quiet);
  announce_num_steps(steps, common.quiet);
}

std::vector<std::string> SimulateCommand::warnings() const {
  std::vector<std::string> list = integration.warnings();
  if (output_every && out.empty()) list.push_back("--output-every has no effect without --out");
  return list;
}

void SimulateCommand::run() const {
  const InterruptGuard guard;
  const dae::System system = integration.make_system();
  const dae::Outputs outputs(system);
  dae::IntegrateOptions options = this->options(system, outputs);
  check_extent(options, outputs.size() + 1);
  dae::Consistency consistency(system, options.alpha.consistency, options.alpha.solver);
  const std::vector<double> controls(system.controls().size(), 0.0);
  const dae::State initial = consistency.initial_state(options.t_start, controls);

  RunObserver observer(system, options, out, !common.quiet);
  if (recomputes_multipliers) observer.recompute_multipliers(consistency);
  // As those methods do at the ends of steps.
  if (options.method != dae::Method::kAlpha) {
    observer.recompute_multipliers_between_steps(consistency);
  }
  if (!plot.empty()) observer.keep_samples(kMostPlottedSamples);
  observer.start(initial);
  StepPace pace(options);
  Result result{system, integration, options, observer, keeps_energy(system, options)};
  long steps = 0;
  options.on_step = [&](const dae::MethodState& state) {
    steps += 1;
    observer.after_step(state);
    result.failure = pace.failure(state.t);
    return !result.failure && !was_interrupted();
  };
  try {
    result.solution = dae::integrate(system, options);
  } catch (const Error& error) {
    const bool is_input = dynamic_cast<const InvalidArgument*>(&error) != nullptr;
    if (is_input && steps == 0) throw;
    result.threw = true;
    result.solution.summary.message = error.what();
    result.solution.summary.steps = steps;
  }
  observer.finish(result.threw ? std::nullopt : std::optional(result.solution.final));
  dae::IntegrateSummary& summary = result.solution.summary;
  if (!result.threw) summary.wall_seconds -= observer.seconds();
  if (result.failure) summary.message = *result.failure;
  if (result.is_interrupted()) {
    summary.message = fmt::format("interrupted at t = {:.10g}", observer.time());
  }
  // The command knows which option chose the method.
  summary.reason_for_method = integration.reason_for_method();
  for (const std::string& warning : warnings()) summary.warnings.push_back(warning);

  if (!common.quiet) {
    for (const std::string& warning : summary.warnings) {
      std::cerr << warning_mark("liegrad: warning: ") << warning << ".\n";
    }
  }
  if (common.prints({out, plot})) print(result, common.verbose);
  ordered_json json = json_of(result);
  json["drawing"] = drawing_json(system, system.parameter_values());
  if (!plot.empty()) write_plot(result, json["drawing"]);
  if (!out.empty() && out != "-") json["samples_file"] = out;
  common.write_json(json);
  if (result.is_interrupted()) throw Interrupted(summary.message);
  if (!result.is_complete()) throw Error(summary.message);
  if (!summary.trusted && !common.quiet) {
    std::fflush(stdout);
    std::cerr << warning_mark("liegrad: warning: ")
              << "this result cannot be trusted: " << summary.reason_for_doubt << ".\n";
  }
}

}  // namespace

void add_simulate_command(CLI::App& app) {
  auto command = std::make_shared<SimulateCommand>();
  CLI::App* sub = app.add_subcommand("simulate", "Run a system and report how it went");
  sub->footer(
      "The columns of --out are `t` and the outputs that `liegrad models SYSTEM` lists, those of\n"
      "several numbers as `NAME.1`, `NAME.2`, … The JSON has `termination` (\"reached_end\",\n"
      "\"stopped_by_event\", \"interrupted\", or why the run could not go on), `trusted` and\n"
      "`reason_for_doubt`, `steps`, `newton_iterations`, `jacobian_evaluations`,\n"
      "`factorizations`, `wall_seconds` (without output), `max_position_residual`,\n"
      "`max_velocity_residual`, `energy` (with `largest_relative_drift` where the equations of\n"
      "motion keep it), `events`, `missed_events`, `final` and more. Ctrl-C ends a run after its\n"
      "step; what there is by then is written, and the status is 130.");
  command->integration.add_to(*sub);
  command->integration.add_steps_to(*sub);
  sub->add_option("--output-every", command->output_every,
                  "Time between samples; every step unless given")
      ->type_name("DT");
  sub->add_option("--out", command->out, "Write samples to this file; - is standard output")
      ->type_name("FILE.csv")
      ->check(names_a_file());
  sub->add_option("--plot", command->plot,
                  "Write figures of motion, forces and energy to this file; - is standard output")
      ->type_name("FILE.svg")
      ->check(names_a_file());
  sub->add_flag("--recompute-multipliers", command->recomputes_multipliers,
                "Report multipliers and accelerations from the equations of motion at q and v;\n"
                "those of index 3 carry rounding over the square of the step");
  sub->add_option("--event", command->events, "Find when an output has this value; repeatable")
      ->type_name("OUTPUT=LEVEL")
      ->allow_extra_args(false);
  sub->add_option("--stop-at", command->stops, "The same, and end there; repeatable")
      ->type_name("OUTPUT=LEVEL")
      ->allow_extra_args(false);
  command->common.add_to(*sub);
  command->common.add_citations_to(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace liegrad::app
