#include "output/control_report.hpp"

#include <cmath>

#include <fmt/format.h>

#include "liegrad/control/report.hpp"
#include "liegrad/dae/report.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "output/csv_file.hpp"
#include "output/motion_units.hpp"
#include "report/drawing.hpp"

namespace liegrad::app {
namespace {

using control::Certificate;
using control::Problem;
using control::Solution;
using control::Summary;
using nlohmann::ordered_json;

/// JSON has no infinity: null for a bound that is none.
ordered_json controls_of(const Problem& problem) {
  const auto bound = [](double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
  };
  const MotionUnits units(problem);
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < problem.control_bounds().size(); ++i) {
    const control::Interval& bounds = problem.control_bounds()[i];
    list.push_back({{"name", problem.system().controls()[i]},
                    {"unit", units.control(static_cast<int>(i))},
                    {"lower", bound(bounds.lower)},
                    {"upper", bound(bounds.upper)}});
  }
  return list;
}

}  // namespace

ordered_json certificate_json(const Certificate& c) {
  ordered_json json = {{"complete", c.is_complete},
                       {"local_minimum", c.local_minimum},
                       {"positive_eigenvalues", c.positive},
                       {"negative_eigenvalues", c.negative},
                       {"zero_eigenvalues", c.zero},
                       {"dependent_equations", c.dependent_equations},
                       {"unknowns", c.unknowns},
                       {"equations", c.equations},
                       {"hamiltonian_mean", c.hamiltonian_mean},
                       {"hamiltonian_spread", c.hamiltonian_spread},
                       {"switching_disagreement", c.switching_disagreement},
                       {"switches", c.switches},
                       {"resimulated", c.resimulated},
                       {"resimulation_miss", c.resimulation_miss},
                       {"resimulation_cost_difference", c.resimulation_cost_difference}};
  if (!c.resimulation_failure.empty()) json["resimulation_failure"] = c.resimulation_failure;
  return json;
}

ordered_json summary_json(const std::string& problem, const Summary& s) {
  ordered_json json = {{"command", "control"},
                       {"problem", problem},
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
                       {"linear_solver", s.linear_solver},
                       {"ipopt_version", s.ipopt_version},
                       {"choices", s.choices},
                       {"wall_seconds", s.wall_seconds},
                       {"setup_wall_seconds", s.setup_wall_seconds},
                       {"derivative_wall_seconds", s.derivative_wall_seconds},
                       {"certificate_wall_seconds", s.certificate_wall_seconds}};
  for (const control::Violation& v : s.violations) {
    json["violations"].push_back(
        {{"name", v.name}, {"step", v.step}, {"time", v.time}, {"size", v.size}});
  }
  return json;
}

ordered_json control_json(const Problem& problem, const Solution& solution) {
  const Summary& s = solution.summary;
  ordered_json json = summary_json(problem.name(), s);
  for (const auto& [parameter, bounds] : problem.free_parameters()) {
    const auto i = static_cast<std::size_t>(parameter);
    json["parameters"][problem.system().parameters()[i].name] = solution.parameters[i];
  }
  json["certificate"] =
      control::is_solved(s.status) ? certificate_json(solution.certificate) : ordered_json(nullptr);
  json["controls"] = controls_of(problem);
  json["drawing"] = drawing_json(problem.system(), solution.parameters);
  return json;
}

void print_head(const std::string& problem, const Summary& s) {
  fmt::print("{}: {} steps, {} unknowns, {} equations and constraints\n", problem, s.steps,
             s.variables, s.constraints);
}

void print_control(const Problem& problem, const Solution& solution, bool verbose) {
  print_head(problem.name(), solution.summary);
  fmt::print("{}", control::search_report(solution.summary, verbose));
  for (const auto& [parameter, bounds] : problem.free_parameters()) {
    const auto i = static_cast<std::size_t>(parameter);
    fmt::print("{}", dae::report_line(problem.system().parameters()[i].name,
                                      fmt::format("{:.10g}", solution.parameters[i])));
  }
  if (!control::is_solved(solution.summary.status)) return;
  fmt::print("{}{}", control::minimum_report(solution.certificate),
             control::extremal_report(solution.certificate));
}

/// Outputs of the system at the grid points, controls behind them.
void write_control_motion(const Problem& problem, const Solution& solution,
                          const std::string& name) {
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

void write_control_gains(const Problem& problem, const Solution& solution,
                         const std::string& name) {
  const dae::Model& system = problem.system();
  std::vector<std::string> columns = {"t"};
  for (const std::string& control : system.controls()) {
    for (const char* const part : {"position", "velocity", "acceleration", "a"}) {
      for (int i = 0; i < system.dof(); ++i) {
        columns.push_back(fmt::format("{} by {} {}", control, part, system.coordinate_name(i)));
      }
    }
    for (const std::string& other : system.controls()) {
      columns.push_back(fmt::format("{} by {}", control, other));
    }
  }
  CsvFile file(name, columns);
  for (std::size_t n = 0; n < solution.gains.size(); ++n) {
    file.write_row(solution.states[n].t, solution.gains[n]);
  }
  file.close();
}

}  // namespace liegrad::app
