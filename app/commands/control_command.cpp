#include "commands/control_command.hpp"

#include <array>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/lie/error.hpp"
#include "options/common_options.hpp"
#include "options/control_file.hpp"
#include "options/integration_options.hpp"
#include "options/interrupt.hpp"
#include "output/colour.hpp"
#include "output/control_plot.hpp"
#include "output/csv_file.hpp"
#include "output/number_text.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "report/drawing.hpp"

namespace liegrad::app {
namespace {

using control::BuiltInProblem;
using control::Certificate;
using control::Problem;
using control::Solution;
using control::SolveOptions;
using control::Summary;
using nlohmann::ordered_json;

/// The command as typed.
struct ControlCommand {
  std::string problem, transcription = "simultaneous", hessian = "exact", linear_solver = "auto";
  std::string out, plot;
  std::vector<std::string> settings, ipopt;
  std::optional<int> steps;
  int segments = control::TranscriptionOptions{}.segments;
  int max_iterations = SolveOptions{}.max_iterations;
  double tolerance = SolveOptions{}.tolerance, time_limit = 0;
  IntegrationOptions integration;
  CommonOptions common;

  std::map<std::string, double> given() const;
  ControlFile make() const;
  SolveOptions options(int default_steps) const;
  void run() const;
};

template <class T>
T one_of(const std::string& option, const std::string& name,
         const std::vector<std::pair<std::string, T>>& choices) {
  std::vector<std::string> names;
  for (const auto& [choice, value] : choices) {
    if (choice == name) return value;
    names.push_back(choice);
  }
  throw InvalidArgument("--" + option + ": " + dae::unknown_name_message(option, name, names));
}

std::map<std::string, double> ControlCommand::given() const {
  std::map<std::string, double> values;
  for (const std::string& setting : settings) {
    const auto [name, value] = named_number_of("--set", setting);
    if (!values.emplace(name, value).second) {
      throw InvalidArgument("--set gives '" + name + "' twice; choose one value");
    }
  }
  return values;
}

/// The problem that is named, of a file or built in.
ControlFile ControlCommand::make() const {
  if (!names_control_file(problem)) {
    return {control::make_problem(problem, given()), control::find_problem(problem).default_steps};
  }
  if (!settings.empty()) {
    throw InvalidArgument("--set is for built-in problems; write values into " + problem);
  }
  return read_control_file(problem);
}

SolveOptions ControlCommand::options(int default_steps) const {
  SolveOptions options;
  options.transcription.steps = steps.value_or(default_steps);
  if (integration.chooses_alpha_method()) options.transcription.method = integration.alpha_method();
  options.transcription.formulation = integration.constraint_formulation();
  options.hessian = one_of<control::HessianMode>(
      "hessian", hessian,
      {{"exact", control::HessianMode::kExact}, {"lbfgs", control::HessianMode::kLimitedMemory}});
  options.linear_solver =
      one_of<control::LinearSolver>("linear-solver", linear_solver,
                                    {{"auto", control::LinearSolver::kAutomatic},
                                     {"blocks", control::LinearSolver::kBlocks},
                                     {"mumps", control::LinearSolver::kMumps}});
  options.transcription.kind = one_of<control::TranscriptionKind>(
      "transcription", transcription,
      {{"simultaneous", control::TranscriptionKind::kSimultaneous},
       {"multiple-shooting", control::TranscriptionKind::kMultipleShooting},
       {"shooting", control::TranscriptionKind::kShooting}});
  options.transcription.segments = segments;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.time_limit = time_limit;
  for (const std::string& text : ipopt) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw InvalidArgument("--ipopt takes NAME=VALUE, not '" + text + "'");
    }
    options.ipopt[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return options;
}

ordered_json json_of(const Certificate& c) {
  return {{"local_minimum", c.local_minimum},
          {"positive_eigenvalues", c.positive},
          {"negative_eigenvalues", c.negative},
          {"zero_eigenvalues", c.zero},
          {"dependent_equations", c.dependent_equations},
          {"unknowns", c.unknowns},
          {"equations", c.equations},
          {"hamiltonian_mean", c.hamiltonian_mean},
          {"hamiltonian_spread", c.hamiltonian_spread},
          {"resimulated", c.resimulated},
          {"resimulation_miss", c.resimulation_miss},
          {"resimulation_cost_difference", c.resimulation_cost_difference}};
}

/// JSON has no infinity: null for a bound that is none.
ordered_json controls_of(const Problem& problem) {
  const auto bound = [](double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
  };
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < problem.control_bounds().size(); ++i) {
    const control::Interval& bounds = problem.control_bounds()[i];
    list.push_back({{"name", problem.system().controls()[i]},
                    {"lower", bound(bounds.lower)},
                    {"upper", bound(bounds.upper)}});
  }
  return list;
}

ordered_json json_of(const Problem& problem, const Solution& solution,
                     const ControlCommand& command) {
  const Summary& s = solution.summary;
  ordered_json json = {{"command", "control"},
                       {"problem", problem.name()},
                       {"transcription", command.transcription},
                       {"steps", s.steps},
                       {"status", control::name_of(s.status)},
                       {"message", s.message},
                       {"cost", s.cost},
                       {"t_end", s.t_end},
                       {"iterations", s.iterations},
                       {"recentrings", s.recentrings},
                       {"constraint_violation", s.constraint_violation},
                       {"dual_infeasibility", s.dual_infeasibility},
                       {"variables", s.variables},
                       {"constraints", s.constraints},
                       {"hessian", command.hessian},
                       {"linear_solver", s.linear_solver},
                       {"ipopt_version", s.ipopt_version},
                       {"choices", s.choices},
                       {"wall_seconds", s.wall_seconds},
                       {"setup_wall_seconds", s.setup_wall_seconds},
                       {"derivative_wall_seconds", s.derivative_wall_seconds}};
  for (const auto& [parameter, bounds] : problem.free_parameters()) {
    const auto i = static_cast<std::size_t>(parameter);
    json["parameters"][problem.system().parameters()[i].name] = solution.parameters[i];
  }
  for (const control::Violation& v : s.violations) {
    json["violations"].push_back({{"name", v.name}, {"time", v.time}, {"size", v.size}});
  }
  json["certificate"] =
      control::is_solved(s.status) ? json_of(solution.certificate) : ordered_json(nullptr);
  json["controls"] = controls_of(problem);
  json["drawing"] = drawing_json(problem.system(), solution.parameters);
  if (!command.out.empty() && command.out != "-") json["samples_file"] = command.out;
  return json;
}

void line(const std::string& name, const std::string& value) {
  fmt::print("  {:<22} = {}\n", name, value);
}

void print(const Problem& problem, const Solution& solution, bool verbose) {
  const Summary& s = solution.summary;
  fmt::print("{}: {} steps, {} unknowns, {} equations and constraints\n", problem.name(), s.steps,
             s.variables, s.constraints);
  line("status", fmt::format("{} ({})", control::name_of(s.status), s.message));
  line("cost", fmt::format("{:.10g}", s.cost));
  line("t_end", fmt::format("{:.10g}", s.t_end));
  line("iterations",
       fmt::format(
           "{}{}", s.iterations,
           s.recentrings > 0 ? fmt::format(", reference moved {} times", s.recentrings) : ""));
  line("constraint violation", fmt::format("{:.3g}", s.constraint_violation));
  line("IPOPT", fmt::format("{}, linear solver {}", s.ipopt_version, s.linear_solver));
  line("wall time", fmt::format("{:.4g} s, of it {:.3g} s to set up and {:.3g} s of derivatives",
                                s.wall_seconds, s.setup_wall_seconds, s.derivative_wall_seconds));
  for (const auto& [parameter, bounds] : problem.free_parameters()) {
    const auto i = static_cast<std::size_t>(parameter);
    line(problem.system().parameters()[i].name, fmt::format("{:.10g}", solution.parameters[i]));
  }
  for (const control::Violation& v : s.violations) {
    line("violated", fmt::format("{} (t = {:.4g}) by {:.3g}", v.name, v.time, v.size));
  }
  if (verbose) {
    for (const std::string& choice : s.choices) line("chosen", choice);
  }
  if (!control::is_solved(s.status)) return;
  const Certificate& c = solution.certificate;
  line("local minimum", c.dependent_equations ? "yes; some conditions repeat what others say"
                        : c.local_minimum     ? "yes"
                                          : fmt::format("no: {} eigenvalues of the KKT matrix are "
                                                        "negative, where a minimum has {}",
                                                        c.negative, c.equations));
  line("Hamiltonian",
       fmt::format("{:.6g}, spread {:.3g}", c.hamiltonian_mean, c.hamiltonian_spread));
  line("run with finer step", c.resimulated
                                  ? fmt::format("misses the end by {:.3g}, cost differs by {:.3g}",
                                                c.resimulation_miss, c.resimulation_cost_difference)
                                  : std::string("could not be made"));
}

/// Outputs of the system at the grid points, controls behind them.
void write_trajectory(const Problem& problem, const Solution& solution, const std::string& name) {
  dae::Outputs outputs(problem.system());
  outputs.set_parameters(solution.parameters);
  std::vector<std::string> columns = outputs.column_names();
  columns.insert(columns.begin(), "t");
  for (const std::string& control : problem.system().controls()) columns.push_back(control);
  CsvFile file(name, columns);
  for (std::size_t n = 0; n < solution.states.size(); ++n) {
    std::vector<double> row(static_cast<std::size_t>(outputs.size()));
    outputs.evaluate(solution.states[n], solution.controls[n], row);
    row.insert(row.end(), solution.controls[n].begin(), solution.controls[n].end());
    file.write_row(solution.states[n].t, row);
  }
  file.close();
}

void ControlCommand::run() const {
  const InterruptGuard guard;
  const auto [made, default_steps] = make();
  SolveOptions solve_options = options(default_steps);
  check_files(std::array{FileOption{"--json", common.json_file}, FileOption{"--out", out},
                         FileOption{"--plot", plot}});
  ProgressLine progress(!common.quiet);
  solve_options.observe = [&](int iteration, double cost, double violation) {
    if (progress.is_due()) {
      progress.show(
          fmt::format("iteration {}, cost {:.6g}, violation {:.2g}", iteration, cost, violation),
          static_cast<double>(iteration) / max_iterations);
    }
    return !was_interrupted();
  };
  const Solution solution = control::solve(made, solve_options);
  progress.clear();
  if (common.prints({out, plot})) print(made, solution, common.verbose);
  if (!out.empty()) write_trajectory(made, solution, out);
  if (!plot.empty()) {
    OutputFile file(plot);
    file.write(control_plot(made, solution));
    file.close();
  }
  common.write_json(json_of(made, solution, *this));
  const Summary& summary = solution.summary;
  if (summary.status == control::Status::kInterrupted) throw Interrupted(summary.message);
  if (!control::is_solved(summary.status)) {
    std::string sentence = summary.message;
    if (!summary.violations.empty()) {
      sentence += fmt::format("; the worst violation is that of {}, by {:.3g}",
                              summary.violations.front().name, summary.violations.front().size);
    }
    throw Error(sentence);
  }
  if (!solution.certificate.local_minimum && !common.quiet) {
    std::fflush(stdout);
    std::cerr << warning_mark("liegrad: warning: ")
              << "this is an extremal but no local minimum; start from another "
                 "guess.\n";
  }
}

std::string list_of_problems() {
  std::string text = "Problems, and their parameters besides those of their systems:\n";
  for (const BuiltInProblem& problem : control::built_in_problems()) {
    text += "  " + problem.name + ": " + problem.description + "\n";
    for (const dae::ParameterSpec& p : problem.parameters) {
      text += fmt::format("    {} = {:g} {}: {}\n", p.name, p.value, p.unit, p.meaning);
    }
  }
  return text +
         "The JSON has `status` (\"solved\", or what else), `cost`, `t_end`, `iterations`,\n"
         "`constraint_violation`, `linear_solver`, `ipopt_version`, `wall_seconds`,\n"
         "`derivative_wall_seconds` and `certificate` (`local_minimum`, `hamiltonian_spread`,\n"
         "`resimulation_miss`, …). Ctrl-C ends a search after its iteration; what there is by\n"
         "then is written, and the status is 130.";
}

}  // namespace

void add_control_command(CLI::App& app) {
  auto command = std::make_shared<ControlCommand>();
  CLI::App* sub = app.add_subcommand("control", "Find optimal controls and say whether they are");
  sub->footer(list_of_problems());
  sub->add_option("PROBLEM", command->problem, "A built-in problem, see below, or a file NAME.json")
      ->required();
  sub->add_option("--set", command->settings, "A parameter of the problem or of its system")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  sub->add_option("--steps", command->steps, "Of the grid, 100 unless given")->type_name("N");
  sub->add_option("--transcription", command->transcription,
                  "simultaneous, multiple-shooting or shooting")
      ->type_name("NAME")
      ->capture_default_str();
  sub->add_option("--segments", command->segments, "Of multiple shooting")
      ->type_name("N")
      ->capture_default_str();
  command->integration.add_alpha_to(*sub);
  sub->add_option("--hessian", command->hessian, "exact or lbfgs")
      ->type_name("KIND")
      ->capture_default_str();
  sub->add_option("--linear-solver", command->linear_solver,
                  "Of IPOPT: auto, blocks (elimination in time) or mumps")
      ->type_name("KIND")
      ->capture_default_str();
  sub->add_option("--tol", command->tolerance, "Tolerance of IPOPT")
      ->type_name("E")
      ->capture_default_str();
  sub->add_option("--max-iterations", command->max_iterations, "Of IPOPT")
      ->type_name("N")
      ->capture_default_str();
  sub->add_option("--time-limit", command->time_limit, "In seconds; 0 is none")
      ->type_name("S")
      ->capture_default_str();
  sub->add_option("--ipopt", command->ipopt, "An option of IPOPT; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  sub->add_option("--out", command->out, "Write the motion to this file; - is standard output")
      ->type_name("FILE.csv")
      ->check(names_a_file());
  sub->add_option("--plot", command->plot,
                  "Write controls, velocities, reactions and costates to this file")
      ->type_name("FILE.svg")
      ->check(names_a_file());
  command->common.add_to(*sub);
  command->common.add_citations_to(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace liegrad::app
