#include "commands/sensitivity_command.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "liegrad/dae/report.hpp"
#include "liegrad/sensitivity/mode_name.hpp"
#include "liegrad/sensitivity/trajectory/checkpoints.hpp"
#include "options/common_options.hpp"
#include "options/derivative_options.hpp"
#include "options/integration_options.hpp"
#include "options/interrupt.hpp"
#include "options/option_value.hpp"
#include "options/run_size.hpp"
#include "output/colour.hpp"
#include "output/derivative_progress.hpp"
#include "output/gradient_plot.hpp"
#include "output/named_table.hpp"
#include "output/number_text.hpp"
#include "output/output_file.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;
using sensitivity::Derivatives;
using sensitivity::Mode;

struct SensitivityCommand {
  CommonOptions common;
  IntegrationOptions integration;
  DerivativeOptions derivative;
  std::string mode = name_of(Mode::kAdjoint);
  bool hessian = false;
  std::optional<double> memory;
  std::string checkpoint_directory, plot;

  void run() const;

 private:
  sensitivity::DifferentiateOptions options(const dae::System& system,
                                            const std::vector<ChosenOutput>& outputs) const;
  void check_extent(const dae::System& system, const dae::IntegrateOptions& run) const;
};

/// What was found, for the table and for the JSON.
struct Result {
  const dae::System& system;
  std::vector<ChosenOutput> outputs;
  Derivatives derivatives;

  double wall_seconds() const {
    return derivatives.simulation_seconds + derivatives.derivative_seconds;
  }
};

Mode mode_of(const std::string& name) {
  return option_value("--mode", "mode", name, sensitivity::mode_names());
}

sensitivity::DifferentiateOptions SensitivityCommand::options(
    const dae::System& system, const std::vector<ChosenOutput>& outputs) const {
  sensitivity::DifferentiateOptions options;
  options.integrate = integration.make();
  options.variables = derivative.variables(system);
  options.mode = mode_of(mode);
  if (hessian && outputs.size() > 1) {
    throw InvalidArgument(
        fmt::format("--hessian is of one output, and --of names {}; choose one", outputs.size()));
  }
  if (hessian && options.mode == Mode::kDifference) {
    throw InvalidArgument("--hessian is not found by differences; choose another --mode");
  }
  if (hessian) options.second_order.emplace();
  require_finite("--memory", memory);
  if (memory && !(*memory > 0)) {
    throw InvalidArgument(fmt::format("--memory must be positive; it is {:g}", *memory));
  }
  options.checkpoints = {.megabytes = memory.value_or(0), .directory = checkpoint_directory};
  return options;
}

/// About what the states of all steps take.
double bytes_of_states(const dae::System& system, double steps) {
  const std::size_t dof = static_cast<std::size_t>(system.dof());
  dae::MethodState state;
  state.q.resize(static_cast<std::size_t>(system.configuration_space().num_coeffs()));
  state.v.resize(dof);
  state.v_dot.resize(dof);
  state.memory.resize(dof);
  state.lambda.resize(static_cast<std::size_t>(system.num_multipliers()));
  return steps * static_cast<double>(sensitivity::StateStore::bytes_per_state(state));
}

void SensitivityCommand::check_extent(const dae::System& system,
                                      const dae::IntegrateOptions& run) const {
  check_files(std::array{FileOption{"--json", common.json_file}, FileOption{"--plot", plot}});
  const double steps = num_steps(run);
  check_num_steps(steps);
  if (!memory && checkpoint_directory.empty()) {
    check_memory(bytes_of_states(system, steps), fmt::format("the states of {:.3g} steps", steps),
                 "limit it by --memory, or write them to a file by --checkpoint-dir");
  }
  announce_num_steps(steps, common.quiet);
}

/// By the names of variables.
template <class Vector>
ordered_json by_variable(const std::vector<std::string>& names, const Vector& numbers) {
  ordered_json object = ordered_json::object();
  for (std::size_t j = 0; j < names.size(); ++j) {
    object[names[j]] = numbers(static_cast<Eigen::Index>(j));
  }
  return object;
}

/// What one output has, or by the names of several.
template <class F>
ordered_json by_output(const std::vector<ChosenOutput>& outputs, const F& of) {
  if (outputs.size() == 1) return of(Eigen::Index{0});
  ordered_json object = ordered_json::object();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    object[outputs[i].name] = of(static_cast<Eigen::Index>(i));
  }
  return object;
}

ordered_json hessian_of(const Derivatives& d) {
  ordered_json object = ordered_json::object();
  for (std::size_t i = 0; i < d.variable_names.size(); ++i) {
    object[d.variable_names[i]] =
        by_variable(d.variable_names, d.hessian_products.row(static_cast<Eigen::Index>(i)));
  }
  return object;
}

ordered_json json_of(const SensitivityCommand& command, const Result& result) {
  const Derivatives& d = result.derivatives;
  const auto rows_of = [&](const Eigen::MatrixXd& matrix) {
    return by_output(result.outputs,
                     [&](Eigen::Index i) { return by_variable(d.variable_names, matrix.row(i)); });
  };
  ordered_json names = ordered_json::array();
  for (const auto& output : result.outputs) names.push_back(output.name);
  ordered_json json = {
      {"command", "sensitivity"},
      {"system", result.system.name()},
      {"options", command.integration.echo()},
      {"of", names},
      {"mode", command.mode},
      {"termination", dae::name_of(d.simulation.termination)},
      {"warnings", d.simulation.warnings},
      {"value", by_output(result.outputs, [&](Eigen::Index i) { return d.values(i); })},
      {"gradient", rows_of(d.jacobian)}};
  if (mode_of(command.mode) == Mode::kDifference) json["error"] = rows_of(d.jacobian_error);
  if (command.hessian) json["hessian"] = hessian_of(d);
  json["ineffective"] = d.ineffective;
  json["steps"] = d.simulation.steps;
  json["recomputed_steps"] = d.recomputed_steps;
  json["wall_seconds"] = result.wall_seconds();
  json["simulation_wall_seconds"] = d.simulation.wall_seconds;
  return json;
}

/// Of a run, or its derivatives, that did not come to their end.
ordered_json json_of_interrupted(const SensitivityCommand& command, const dae::System& system) {
  return {{"system", system.name()},
          {"options", command.integration.echo()},
          {"mode", command.mode},
          {"termination", "interrupted"}};
}

std::string text_of(double number) { return fmt::format("{:.10g}", number); }

/// A row for each variable and a column for each output; of differences with their errors.
NamedTable gradient_table(const Result& result, std::size_t rows) {
  const Derivatives& d = result.derivatives;
  NamedTable table;
  NamedTable::Row values{"value", {}};
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    table.columns.push_back(result.outputs[i].name);
    values.cells.push_back(text_of(d.values(static_cast<Eigen::Index>(i))));
  }
  table.rows.push_back(values);
  for (Eigen::Index j = 0; j < static_cast<Eigen::Index>(rows); ++j) {
    NamedTable::Row row{d.variable_names[static_cast<std::size_t>(j)], {}};
    for (Eigen::Index i = 0; i < d.jacobian.rows(); ++i) {
      std::string cell = text_of(d.jacobian(i, j));
      if (d.jacobian_error.size() > 0) cell += fmt::format(" +- {:.1e}", d.jacobian_error(i, j));
      row.cells.push_back(cell);
    }
    table.rows.push_back(row);
  }
  return table;
}

NamedTable hessian_table(const Derivatives& d) {
  NamedTable table{d.variable_names, {}};
  for (std::size_t j = 0; j < d.variable_names.size(); ++j) {
    NamedTable::Row row{d.variable_names[j], {}};
    for (const double number : d.hessian_products.row(static_cast<Eigen::Index>(j))) {
      row.cells.push_back(text_of(number));
    }
    table.rows.push_back(row);
  }
  return table;
}

std::string method_text(Mode mode) {
  switch (mode) {
    case Mode::kAdjoint: return "adjoint of the steps";
    case Mode::kForward: return "tangents of the steps";
    case Mode::kDifference: return "differences of whole runs";
  }
  return "";
}

void print(const SensitivityCommand& command, const Result& result) {
  constexpr std::size_t kMany = 100;
  const Derivatives& d = result.derivatives;
  const std::size_t all = d.variable_names.size();
  const std::size_t rows = command.common.verbose ? all : std::min(all, kMany);
  fmt::print("{}: derivatives by {}\n", result.system.name(), method_text(mode_of(command.mode)));
  print(gradient_table(result, rows));
  if (rows < all) fmt::print("  … {} variables more, with --verbose or --json\n", all - rows);
  if (command.hessian) {
    fmt::print("Hessian of {}\n", result.outputs[0].name);
    print(hessian_table(d));
  }
  const std::string reason = command.integration.reason_for_method();
  fmt::print("{} steps of {}{}; {:.4g} s, of which the run took {:.4g} s\n", d.simulation.steps,
             command.integration.method(), reason.empty() ? "" : " (" + reason + ")",
             result.wall_seconds(), d.simulation.wall_seconds);
}

/// "'a', 'b' and 3 more"
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kListed = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kListed); ++i) {
    const bool is_last = i + 1 == names.size();
    text += (i == 0 ? "'" : is_last ? " and '" : ", '") + names[i] + "'";
  }
  if (names.size() > kListed) text += fmt::format(" and {} more", names.size() - kListed);
  return text;
}

void SensitivityCommand::run() const {
  const InterruptGuard guard;
  const dae::System system = integration.make_system();
  Result result{system, derivative.outputs(system, integration.make()), {}};
  sensitivity::DifferentiateOptions chosen = options(system, result.outputs);
  check(chosen.integrate, system);
  check_extent(system, chosen.integrate);
  try {
    const DerivativeProgress progress("derivatives", chosen, !common.quiet);
    result.derivatives = sensitivity::differentiate(objective_of(system, result.outputs), chosen);
    derivative.keep_chosen(system, result.derivatives);
  } catch (const Interrupted&) {
    common.write_json(json_of_interrupted(*this, system));
    throw;
  }

  Derivatives& d = result.derivatives;
  for (const std::string& warning : integration.warnings()) {
    d.simulation.warnings.push_back(warning);
  }
  if (!common.quiet) {
    for (const std::string& warning : d.simulation.warnings) {
      std::cerr << warning_mark("liegrad: warning: ") << warning << ".\n";
    }
    if (!d.ineffective.empty()) {
      fmt::print(stderr, "liegrad: {} {} no effect here: derivatives are zero, exactly.\n",
                 listed(d.ineffective), d.ineffective.size() == 1 ? "has" : "have");
    }
  }
  if (common.prints({plot})) print(*this, result);
  if (!plot.empty()) {
    // By the names that were given, which have the times.
    sensitivity::Derivatives named = d;
    std::ranges::transform(result.outputs, named.value_names.begin(),
                           [](const auto& output) { return output.name; });
    OutputFile file(plot);
    file.write(
        gradient_plot(named, system.name() + ": derivatives by " + method_text(mode_of(mode))));
    file.close();
  }
  common.write_json(json_of(*this, result));
}

}  // namespace

void add_sensitivity_command(CLI::App& app) {
  auto command = std::make_shared<SensitivityCommand>();
  CLI::App* sub = app.add_subcommand("sensitivity", "Derivatives of outputs of a run");
  sub->footer(
      "Derivatives are those of the run as it was computed, step by step. `--of top.x[3]@0.5` is\n"
      "the third component of top.x at t = 0.5, `--of top.x` all of them at the end. The JSON has\n"
      "`value` and `gradient` (by variable; of several outputs both by output first), `error` of\n"
      "differences, `hessian`, `ineffective` (variables with derivatives of exactly zero), "
      "`mode`,\n"
      "`steps`, `wall_seconds` (of everything) and `simulation_wall_seconds` (of the run), and\n"
      "`termination`: \"interrupted\" after Ctrl-C, with no derivatives and status 130.");
  command->integration.add_to(*sub);
  command->integration.add_steps_to(*sub);
  command->derivative.add_to(*sub, true);
  sub->add_option("--mode", command->mode, "adjoint, forward or difference")
      ->type_name("NAME")
      ->capture_default_str();
  sub->add_flag("--hessian", command->hessian, "All second derivatives of the one output, too");
  sub->add_option("--memory", command->memory,
                  "For states of the run; those that do not fit are computed again")
      ->type_name("MEGABYTES")
      ->default_str("unlimited");
  sub->add_option("--checkpoint-dir", command->checkpoint_directory,
                  "Where states of the run are written to a file instead of to memory")
      ->type_name("DIR")
      ->check(names_a_file());
  sub->add_option("--plot", command->plot,
                  "Write a figure of the derivatives to this file; - is standard output")
      ->type_name("FILE.svg")
      ->check(names_a_file());
  command->common.add_to(*sub);
  command->common.add_citations_to(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace liegrad::app
