#include "commands/modes_command.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "liegrad/dae/modal_analysis.hpp"
#include "options/common_options.hpp"
#include "options/equilibrium.hpp"
#include "options/system_choice.hpp"
#include "output/csv_file.hpp"
#include "output/output_file.hpp"
#include "output/shape_plot.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

struct ModesCommand {
  CommonOptions common;
  SystemChoice choice;
  EquilibriumOptions equilibrium;
  int count = 10;
  std::string out, plot;

  void run() const;

 private:
  void write_table(const dae::System& system, const dae::ModalSolution& solution) const;
  void write_plot(const dae::System& system, const dae::State& state,
                  const dae::ModalSolution& solution) const;
};

void ModesCommand::write_table(const dae::System& system,
                               const dae::ModalSolution& solution) const {
  std::vector<std::string> columns = {"mode", "frequency", "damping_ratio"};
  for (const char* const part : {"re", "im"}) {
    for (int i = 0; i < system.dof(); ++i) {
      columns.push_back(fmt::format("{} {}", part, system.coordinate_name(i)));
    }
  }
  CsvFile table(out, columns);
  for (std::size_t i = 0; i < solution.modes.size(); ++i) {
    const dae::Mode& mode = solution.modes[i];
    std::vector<double> row = {mode.frequency, mode.damping_ratio};
    for (const auto& entry : mode.shape) row.push_back(entry.real());
    for (const auto& entry : mode.shape) row.push_back(entry.imag());
    table.write_row(static_cast<double>(i + 1), row);
  }
  table.close();
}

/// The first modes, with displacements that are a part of the size of the system.
void ModesCommand::write_plot(const dae::System& system, const dae::State& state,
                              const dae::ModalSolution& solution) const {
  constexpr std::size_t kShown = 4;
  constexpr double kPart = 0.15;
  ShapePlot figure{.title = system.name() + ": modes"};
  figure.add("at rest", system, state.q);
  const double size = figure.size();
  for (std::size_t i = 0; i < std::min(kShown, solution.modes.size()); ++i) {
    const dae::Mode& mode = solution.modes[i];
    std::vector<double> w(mode.shape.size()), q(state.q.size());
    double scale = kPart * size;
    for (int attempt = 0; attempt < 2; ++attempt) {
      for (std::size_t k = 0; k < w.size(); ++k) w[k] = scale * mode.shape[k].real();
      system.configuration_space().plus<double>(state.q, w, q);
      // Shapes have their largest entry 1, be it an angle or a displacement: points count here.
      const double largest = largest_displacement(system, state.q, q);
      if (largest > 0) scale *= kPart * size / largest;
    }
    figure.add(fmt::format("{}: {:.4g} Hz", i + 1, mode.frequency), system, q);
  }
  OutputFile file(plot);
  file.write(figure.svg());
  file.close();
}

ordered_json json_of_modes(const dae::ModalSolution& solution) {
  ordered_json list = ordered_json::array();
  for (const dae::Mode& mode : solution.modes) {
    list.push_back({{"frequency", mode.frequency},
                    {"damping_ratio", mode.damping_ratio},
                    {"eigenvalue", {mode.eigenvalue.real(), mode.eigenvalue.imag()}}});
  }
  return list;
}

void ModesCommand::run() const {
  const std::vector<FileOption> files = {
      {"--json", common.json_file}, {"--out", out}, {"--plot", plot}};
  check_files(files);
  const dae::System system = choice.make();
  const dae::StaticSolution rest = dae::find_equilibrium(system, equilibrium.make());
  if (!rest.converged) throw Error(rest.message);
  const dae::ModalSolution solution =
      dae::modal_analysis(system, rest.state, {.count = count, .controls = {}});
  if (!out.empty()) write_table(system, solution);
  if (!plot.empty()) write_plot(system, rest.state, solution);
  common.write_json({{"system", system.name()},
                     {"group", choice.body_group()},
                     {"equilibrium", json_of(rest)},
                     {"degrees_of_freedom", solution.degrees_of_freedom},
                     {"undamped", solution.undamped},
                     {"modes", json_of_modes(solution)}});
  if (!common.prints({out, plot})) return;
  fmt::print("{}: {} degrees of freedom\n", system.name(), solution.degrees_of_freedom);
  print(rest);
  fmt::print("  mode     frequency/Hz   damping ratio\n");
  for (std::size_t i = 0; i < solution.modes.size(); ++i) {
    const dae::Mode& mode = solution.modes[i];
    const bool grows = mode.eigenvalue.real() > 1e-9 * std::abs(mode.eigenvalue);
    fmt::print("  {:>4} {:>16.9g} {:>15.6g}{}\n", i + 1, mode.frequency, mode.damping_ratio,
               grows ? "   unstable" : "");
  }
}

}  // namespace

void add_modes_command(CLI::App& app) {
  auto command = std::make_shared<ModesCommand>();
  CLI::App* sub =
      app.add_subcommand("modes", "Frequencies and modes of small vibrations about equilibrium");
  command->choice.add_to(*sub);
  command->equilibrium.add_to(*sub);
  sub->add_option("--count", command->count, "How many modes, from the lowest frequency")
      ->type_name("N")
      ->capture_default_str();
  sub->add_option("--out", command->out, "Table of frequencies and shapes, a row for each mode")
      ->type_name("FILE.csv")
      ->check(names_a_file());
  sub->add_option("--plot", command->plot, "Figure of the first modes")
      ->type_name("FILE.svg")
      ->check(names_a_file());
  sub->footer(
      "The equilibrium is that of `liegrad static`. The JSON has `equilibrium`,\n"
      "`degrees_of_freedom`, `undamped` and `modes` (`frequency` in Hz, `damping_ratio`,\n"
      "`eigenvalue` as real and imaginary part).");
  command->common.add_to(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace liegrad::app
