#include "commands/static_command.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "liegrad/dae/system/outputs.hpp"
#include "options/common_options.hpp"
#include "options/equilibrium.hpp"
#include "options/system_choice.hpp"
#include "output/csv_file.hpp"
#include "output/output_file.hpp"
#include "output/shape_plot.hpp"
#include "report/drawing.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

struct StaticCommand {
  CommonOptions common;
  SystemChoice choice;
  EquilibriumOptions equilibrium;
  std::string out, plot;

  void run() const;
};

/// The outputs of a state at rest: all but velocities and accelerations.
bool is_static(const std::string& name) {
  for (const char* const ending : {".omega", ".u", ".omega_dot", ".u_dot"}) {
    if (name.ends_with(ending)) return false;
  }
  return name != "energy.kinetic" && !name.starts_with("momentum") && name != "residual.velocity";
}

ordered_json values_of(const dae::Outputs& outputs, const std::vector<double>& numbers) {
  ordered_json values = ordered_json::object();
  auto next = numbers.begin();
  for (const dae::OutputSpec& output : outputs.list()) {
    const std::vector<double> own(next, next + output.size);
    next += output.size;
    if (!is_static(output.name)) continue;
    values[output.name] = output.size == 1 ? ordered_json(own[0]) : ordered_json(own);
  }
  return values;
}

void print_values(const dae::Outputs& outputs, const std::vector<double>& numbers, bool verbose) {
  constexpr int kMany = 40;
  std::vector<std::string> lines;
  auto next = numbers.begin();
  for (const dae::OutputSpec& output : outputs.list()) {
    std::string text;
    for (int i = 0; i < output.size; ++i) text += fmt::format(" {:>16.10g}", *next++);
    if (is_static(output.name)) lines.push_back(fmt::format("  {:<22} ={}", output.name, text));
  }
  const int left_out = verbose ? 0 : std::max(0, static_cast<int>(lines.size()) - kMany);
  if (left_out > 0) fmt::print("  … {} outputs more, with --verbose or --out\n", left_out);
  for (std::size_t i = static_cast<std::size_t>(left_out); i < lines.size(); ++i) {
    fmt::print("{}\n", lines[i]);
  }
}

void StaticCommand::run() const {
  const std::vector<FileOption> files = {
      {"--json", common.json_file}, {"--out", out}, {"--plot", plot}};
  check_files(files);
  const dae::System system = choice.make();
  dae::Outputs outputs(system);
  const std::vector<double> controls(system.controls().size(), 0.0);
  std::vector<double> numbers(static_cast<std::size_t>(outputs.size()));
  std::optional<CsvFile> table;
  if (!out.empty()) {
    std::vector<std::string> columns = outputs.column_names();
    columns.insert(columns.begin(), "load");
    table.emplace(out, columns);
  }
  dae::StaticOptions options = equilibrium.make();
  options.on_step = [&](double part, const dae::State& state) {
    outputs.evaluate(state, controls, numbers);
    if (table) table->write_row(part, numbers);
  };
  const dae::StaticSolution solution = dae::find_equilibrium(system, options);
  if (table) table->close();
  outputs.evaluate(solution.state, controls, numbers);
  if (!plot.empty()) {
    ShapePlot figure{.title = system.name() + " at rest"};
    figure.add("initial", system, system.initial_configuration());
    figure.add("at rest", system, solution.state.q);
    OutputFile file(plot);
    file.write(figure.svg());
    file.close();
  }

  ordered_json summary = {
      {"command", "static"}, {"system", system.name()}, {"group", choice.body_group()}};
  summary.update(json_of(solution));
  summary["final"] = values_of(outputs, numbers);
  if (!out.empty()) summary["table_file"] = out;
  summary["drawing"] = drawing_json(system, system.parameter_values());
  common.write_json(summary);
  if (common.prints({out, plot})) {
    fmt::print("{}: {} velocities, {} constraints\n", system.name(), system.dof(),
               system.num_multipliers());
    print(solution);
    print_values(outputs, numbers, common.verbose);
  }
  if (!solution.converged) throw Error(solution.message);
}

}  // namespace

void add_static_command(CLI::App& app) {
  auto command = std::make_shared<StaticCommand>();
  CLI::App* sub = app.add_subcommand("static", "Find where a system stays at rest");
  command->choice.add_to(*sub);
  command->equilibrium.add_to(*sub);
  sub->add_option("--out", command->out, "Table of all outputs after each load step")
      ->type_name("FILE.csv")
      ->check(names_a_file());
  sub->add_option("--plot", command->plot, "Figure of the initial shape and the one at rest")
      ->type_name("FILE.svg")
      ->check(names_a_file());
  sub->footer(
      "The residual of the initial configuration is taken away in load steps, whatever the loads\n"
      "are. The JSON has `converged`, `message`, `load` (the part that was reached), "
      "`load_steps`,\n"
      "`failed_steps`, `newton_iterations`, `residual_over_rounding`, `final` (the outputs),\n"
      "`table_file` and `drawing`, for `liegrad report`.");
  command->common.add_to(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace liegrad::app
