#include "commands/check_derivatives_command.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "liegrad/dae/report.hpp"
#include "liegrad/sensitivity/taylor_test.hpp"
#include "options/common_options.hpp"
#include "options/derivative_options.hpp"
#include "options/integration_options.hpp"
#include "options/interrupt.hpp"
#include "options/run_size.hpp"
#include "output/colour.hpp"
#include "output/derivative_progress.hpp"
#include "output/named_table.hpp"
#include "output/output_file.hpp"
#include "studies/derivative_check.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;
using sensitivity::Mode;
using sensitivity::TaylorRemainder;
using sensitivity::TaylorTest;

constexpr int kMostSteps = 200;
/// A wrong derivative costs a whole power.
constexpr double kSlopeTolerance = 0.25;

struct Result;

struct CheckDerivativesCommand {
  CommonOptions common;
  IntegrationOptions integration;
  DerivativeOptions derivative;
  bool taylor = false;
  const CLI::Option* t_end = nullptr;

  void run() const;

 private:
  dae::IntegrateOptions integrate_options() const;
  void fill(Result& result, sensitivity::DifferentiateOptions& options) const;
};

struct Result {
  const dae::System& system;
  std::vector<ChosenOutput> outputs;
  ThreeWays found;
  std::vector<CheckedDerivative> derivatives;
  std::optional<TaylorTest> taylor;

  long num_with(Verdict verdict) const {
    return std::count_if(derivatives.begin(), derivatives.end(),
                         [&](const CheckedDerivative& d) { return d.verdict == verdict; });
  }
  bool is_agreed() const {
    return num_with(Verdict::kDisagrees) + num_with(Verdict::kNoDifference) == 0;
  }
};

std::string text_of_verdict(const CheckedDerivative& d) {
  switch (d.verdict) {
    case Verdict::kAgrees: return "agrees";
    case Verdict::kZero: return "zero";
    case Verdict::kDisagrees: return "DISAGREES";
    case Verdict::kNoDifference: return "no difference: " + d.failure;
  }
  return "";
}

/// Unless told otherwise at most 200 steps, since differences need many runs.
dae::IntegrateOptions CheckDerivativesCommand::integrate_options() const {
  dae::IntegrateOptions options = integration.make();
  if (t_end->count() == 0 && !options.adaptive && options.step > 0) {
    options.t_end = std::min(options.t_end, options.t_start + kMostSteps * options.step);
  }
  return options;
}

/// The first output of each of the first three nodes, and the first multipliers, at the end.
std::vector<ChosenOutput> some_outputs(const dae::System& system) {
  constexpr int kNodes = 3;
  const dae::Outputs known(system);
  std::vector<ChosenOutput> list;
  const auto add_first = [&](const std::string& start) {
    for (const dae::OutputSpec& output : known.list()) {
      if (!output.name.starts_with(start)) continue;
      for (const ChosenOutput& component : components_of(known, output.name)) {
        list.push_back(component);
      }
      return true;
    }
    return false;
  };
  int nodes = 0;
  for (const dae::Node& node : system.nodes()) {
    if (nodes < kNodes && add_first(node.name + ".")) nodes += 1;
  }
  for (const dae::PlacedElement& element : system.elements()) {
    if (system.shape_of(element).constraints == 0) continue;
    add_first(element.name + ".lambda");
    break;
  }
  return list;
}

/// Fixed, and the same everywhere: changes between -1 and 1, relative to values that are known.
std::vector<double> pseudo_random_direction(const std::vector<TypicalValue>& typical,
                                            std::size_t parameters) {
  std::mt19937 generator;  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::vector<double> direction;
  for (std::size_t j = 0; j < typical.size(); ++j) {
    const double relative = 2 * static_cast<double>(generator()) / std::mt19937::max() - 1;
    const bool is_zero = j < parameters && typical[j].is_guess;
    direction.push_back(is_zero ? 0 : relative * typical[j].value);
  }
  return direction;
}

/// Each value is divided by what the direction does to its output, so that all outputs count alike; but
/// multipliers do only where there is nothing else, since their rounding hides the rest.
std::vector<double> weights_of(const Result& result, const std::vector<double>& direction) {
  std::map<std::string, double> changes;
  bool has_others = false;
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    double& change = changes[result.outputs[i].output];
    for (std::size_t j = 0; j < direction.size(); ++j) {
      const CheckedDerivative& d = result.derivatives[i * direction.size() + j];
      change = std::max(change, std::abs(d.adjoint * direction[j]));
    }
    has_others = has_others || (!result.outputs[i].is_multiplier() && change > 0);
  }
  std::vector<double> weights;
  for (const ChosenOutput& output : result.outputs) {
    const double change = changes[output.output];
    const bool counts = change > 0 && !(output.is_multiplier() && has_others);
    weights.push_back(counts ? 1 / change : 0);
  }
  return weights;
}

bool is_right(const std::optional<double>& slope, double expected) {
  return !slope || *slope > expected - kSlopeTolerance;
}

bool passes(const TaylorTest& test) {
  return is_right(test.first.slope, 2) && is_right(test.second.slope, 3);
}

std::string conclusion(const Result& result) {
  const std::size_t all = result.derivatives.size();
  if (result.is_agreed()) return fmt::format("all {} derivatives agree", all);
  const long wrong = result.num_with(Verdict::kDisagrees);
  const long missing = result.num_with(Verdict::kNoDifference);
  const std::string missing_text = "have no difference to compare with";
  if (wrong == 0) return fmt::format("{} of {} derivatives {}", missing, all, missing_text);
  const std::string said = fmt::format("{} of {} derivatives do not agree", wrong, all);
  if (missing == 0) return said;
  return fmt::format("{}, and {} {}", said, missing, missing_text);
}

std::string deviation_text(const CheckedDerivative& d, double deviation) {
  return d.failure.empty() ? fmt::format("{:.1e}", deviation) : "-";
}

void print_derivatives(const Result& result) {
  const std::size_t variables = result.found.adjoint.variable_names.size();
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    fmt::print("{} = {:.10g}\n", result.outputs[i].name,
               result.found.adjoint.values(static_cast<Eigen::Index>(i)));
    NamedTable table{{"adjoint", "forward", "difference", "estimate", "verdict"}, {}};
    for (std::size_t j = 0; j < variables; ++j) {
      const CheckedDerivative& d = result.derivatives[i * variables + j];
      table.rows.push_back(
          {d.variable,
           {fmt::format("{:.10g}", d.adjoint), fmt::format("{:.1e}", d.forward_deviation()),
            deviation_text(d, d.difference_deviation()), deviation_text(d, d.relative(d.estimate)),
            text_of_verdict(d)}});
    }
    print(table);
  }
}

std::string slope_text(const TaylorRemainder& remainder, int expected) {
  if (!remainder.slope) return "no slope above rounding";
  return fmt::format("slope {:.3f} of {}", *remainder.slope, expected);
}

void print_taylor(const TaylorTest& test, bool verbose) {
  fmt::print("Taylor test: remainder with the gradient {}, with the Hessian {}\n",
             slope_text(test.first, 2), slope_text(test.second, 3));
  if (!verbose) return;
  NamedTable table{{"first remainder", "second remainder"}, {}};
  for (std::size_t i = 0; i < test.epsilon.size(); ++i) {
    table.rows.push_back({fmt::format("{:.3e}", test.epsilon[i]),
                          {fmt::format("{:.3e}", test.first.values[i]),
                           fmt::format("{:.3e}", test.second.values[i])}});
  }
  print(table);
  fmt::print("  rounding {:.1e}\n", test.noise);
}

void print(const Result& result, bool verbose) {
  fmt::print(
      "{}: derivatives at the end of {} steps; deviations from the adjoint of forward derivatives\n"
      "and of differences, and the differences' own estimate, relative to the largest derivative\n",
      result.system.name(), result.found.adjoint.simulation.steps);
  print_derivatives(result);
  if (result.taylor) print_taylor(*result.taylor, verbose);
  fmt::print("{}\n", conclusion(result));
}

ordered_json json_of(const CheckedDerivative& d) {
  const auto known = [&d](double number) {
    return d.failure.empty() ? ordered_json(number) : ordered_json(nullptr);
  };
  return {{"output", d.output},
          {"variable", d.variable},
          {"adjoint", d.adjoint},
          {"forward", d.forward},
          {"difference", known(d.difference)},
          {"difference_estimate", known(d.estimate)},
          {"scale", d.scale},
          {"forward_deviation", d.forward_deviation()},
          {"difference_deviation", known(d.difference_deviation())},
          {"verdict", text_of_verdict(d)}};
}

ordered_json json_of(const TaylorRemainder& remainder) {
  return {{"slope", remainder.slope ? ordered_json(*remainder.slope) : ordered_json(nullptr)},
          {"values", remainder.values},
          {"first_used", remainder.first_used},
          {"used", remainder.used}};
}

ordered_json json_of(const std::optional<TaylorTest>& test) {
  if (!test) return nullptr;
  return {{"epsilon", test->epsilon},
          {"value", test->value},
          {"gradient_along", test->gradient_along},
          {"hessian_along", test->hessian_along},
          {"noise", test->noise},
          {"first", json_of(test->first)},
          {"second", json_of(test->second)}};
}

ordered_json json_of(const Result& result, const ordered_json& options) {
  const auto seconds = [](const sensitivity::Derivatives& d) {
    return d.simulation_seconds + d.derivative_seconds;
  };
  ordered_json rows = ordered_json::array();
  for (const CheckedDerivative& d : result.derivatives) rows.push_back(json_of(d));
  ordered_json values = ordered_json::object();
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    values[result.outputs[i].name] = result.found.adjoint.values(static_cast<Eigen::Index>(i));
  }
  return {{"system", result.system.name()},
          {"options", options},
          {"termination", dae::name_of(result.found.adjoint.simulation.termination)},
          {"steps", result.found.adjoint.simulation.steps},
          {"derivatives", result.derivatives.size()},
          {"disagreeing", result.num_with(Verdict::kDisagrees)},
          {"without_difference", result.num_with(Verdict::kNoDifference)},
          {"value", values},
          {"rows", rows},
          {"taylor", json_of(result.taylor)},
          {"simulation_wall_seconds", result.found.adjoint.simulation.wall_seconds},
          {"wall_seconds",
           {{"adjoint", seconds(result.found.adjoint)},
            {"forward", seconds(result.found.forward)},
            {"difference", seconds(result.found.difference)}}}};
}

/// Finds the derivatives in all ways, and compares them.
void CheckDerivativesCommand::fill(Result& result,
                                   sensitivity::DifferentiateOptions& options) const {
  const sensitivity::Objective objective = objective_of(result.system, result.outputs);
  std::vector<std::string> variables;
  const auto by = [&](Mode mode, const std::string& text) {
    sensitivity::DifferentiateOptions watched = options;
    watched.mode = mode;
    watched.skip_failed_differences = true;
    const DerivativeProgress progress(text, watched, !common.quiet);
    sensitivity::Derivatives found = sensitivity::differentiate(objective, watched);
    variables = found.variable_names;
    derivative.keep_chosen(result.system, found);
    return found;
  };
  result.found.adjoint = by(Mode::kAdjoint, "adjoint");
  result.found.forward = by(Mode::kForward, "forward");
  result.found.difference = by(Mode::kDifference, "differences");
  const std::vector<TypicalValue> typical =
      typical_values(result.system, options, result.found.adjoint.variable_names);
  result.derivatives = compare(result.outputs, result.found, typical);
  if (!taylor) return;
  const std::vector<double> direction =
      pseudo_random_direction(typical, options.variables.parameters.size());
  options.second_order.emplace().weights = weights_of(result, direction);
  // Initial values that were not chosen are variables, too, and stay where they are.
  const std::vector<std::string>& chosen = result.found.adjoint.variable_names;
  std::vector<double> along(variables.size(), 0.0);
  for (std::size_t j = 0, k = 0; j < variables.size() && k < chosen.size(); ++j) {
    if (variables[j] == chosen[k]) along[j] = direction[k++];
  }
  options.on_progress = [](double) { throw_if_interrupted(); };
  result.taylor = sensitivity::taylor_test(objective, options, along);
}

void CheckDerivativesCommand::run() const {
  const InterruptGuard guard;
  const dae::System system = integration.make_system();
  sensitivity::DifferentiateOptions options;
  options.integrate = integrate_options();
  options.variables.parameters = all_parameters(system);
  if (derivative.has_variables()) options.variables = derivative.variables(system);
  Result result{system,
                derivative.has_outputs() ? derivative.outputs(system, options.integrate)
                                         : some_outputs(system),
                {},
                {},
                {}};
  check(options.integrate, system);
  check_files(std::array{FileOption{"--json", common.json_file}});
  const double steps = num_steps(options.integrate);
  check_num_steps(steps);
  announce_num_steps(steps, common.quiet);
  ordered_json echo = integration.echo();
  echo["t_end"] = options.integrate.t_end;
  try {
    fill(result, options);
  } catch (const Interrupted&) {
    common.write_json(
        {{"system", system.name()}, {"options", echo}, {"termination", "interrupted"}});
    throw;
  }

  std::vector<std::string> warnings = result.found.adjoint.simulation.warnings;
  for (const std::string& warning : integration.warnings()) warnings.push_back(warning);
  for (const std::string& warning : warnings) {
    if (!common.quiet) std::cerr << warning_mark("liegrad: warning: ") << warning << ".\n";
  }
  if (common.prints()) print(result, common.verbose);
  common.write_json(json_of(result, echo));
  if (!result.is_agreed()) throw Error(conclusion(result));
  if (result.taylor && !passes(*result.taylor)) {
    throw Error(
        "the Taylor test does not show the slopes 2 and 3: the gradient or the Hessian is wrong");
  }
}

}  // namespace

void add_check_derivatives_command(CLI::App& app) {
  auto command = std::make_shared<CheckDerivativesCommand>();
  CLI::App* sub = app.add_subcommand(
      "check-derivatives", "Compare adjoint, forward and difference derivatives of a run");
  sub->footer(
      "Without --of the first outputs of three nodes and the first multipliers are taken, without\n"
      "--wrt all parameters, without --t-end at most 200 steps. Derivatives agree when forward "
      "and\n"
      "adjoint differ by less than 1e-9, and differences from them by less than 1e-6 or ten times\n"
      "their own estimate, relative to the largest derivative of the output, each times the value\n"
      "of its variable. The exit status is 3 when some do not, when there is no difference, since\n"
      "runs fail or have nothing in common, or when a slope of --taylor is not 2 or 3. The JSON "
      "has\n"
      "`rows` (`output`, `variable`, `adjoint`, `forward`, `difference`, `verdict`, …),\n"
      "`derivatives`, `disagreeing` and `without_difference` (how many), `taylor` and\n"
      "`termination`: \"interrupted\" after Ctrl-C, with no rows and status 130.");
  command->integration.add_to(*sub, {.default_run = DefaultRun::kAlphaSteps});
  command->integration.add_steps_to(*sub);
  command->derivative.add_to(*sub, false);
  sub->add_flag("--taylor", command->taylor,
                "Remainders of the Taylor series along one direction, too");
  command->common.add_to(*sub);
  command->t_end = sub->get_option("--t-end");
  sub->callback([command] { command->run(); });
}

}  // namespace liegrad::app
