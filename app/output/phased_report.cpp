#include "output/phased_report.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "liegrad/control/report.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "output/control_report.hpp"
#include "output/csv_file.hpp"

namespace liegrad::app {

using control::PhasedProblem;
using control::PhasedSolution;
using control::Problem;
using control::Solution;
using nlohmann::ordered_json;

ordered_json phased_json(const PhasedProblem& problem, const PhasedSolution& solution) {
  ordered_json json = summary_json(problem.name(), solution.summary);
  const bool solved = control::is_solved(solution.summary.status);
  json["certificate"] = solved ? certificate_json(solution.certificate) : ordered_json(nullptr);
  for (int k = 0; k < problem.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const Problem& phase = problem.phase(k).problem;
    const Solution& own = solution.phases[i];
    ordered_json entry = {{"name", phase.name()},
                          {"steps", own.summary.steps},
                          {"start_time", solution.start_times[i]},
                          {"t_end", own.summary.t_end},
                          {"cost", own.summary.cost}};
    for (const auto& [parameter, bounds] : phase.free_parameters()) {
      const auto p = static_cast<std::size_t>(parameter);
      entry["parameters"][phase.system().parameters()[p].name] = own.parameters[p];
    }
    if (solved) {
      const control::Certificate& c = own.certificate;
      entry["certificate"] = {{"hamiltonian_mean", c.hamiltonian_mean},
                              {"hamiltonian_spread", c.hamiltonian_spread},
                              {"switching_disagreement", c.switching_disagreement},
                              {"switches", c.switches},
                              {"resimulated", c.resimulated},
                              {"resimulation_miss", c.resimulation_miss},
                              {"resimulation_cost_difference", c.resimulation_cost_difference}};
      if (!c.resimulation_failure.empty()) {
        entry["certificate"]["resimulation_failure"] = c.resimulation_failure;
      }
    }
    json["phases"].push_back(std::move(entry));
  }
  return json;
}

void print_phases(const PhasedProblem& problem, const PhasedSolution& solution, bool verbose) {
  print_head(problem.name(), solution.summary);
  fmt::print("{}", control::search_report(solution.summary, verbose));
  const bool solved = control::is_solved(solution.summary.status);
  if (solved) fmt::print("{}", control::minimum_report(solution.certificate));
  for (int k = 0; k < problem.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const Problem& phase = problem.phase(k).problem;
    const Solution& own = solution.phases[i];
    fmt::print("phase {}, {}: {} steps, from t = {:.6g} to {:.6g}, cost {:.10g}\n", k + 1,
               phase.name(), own.summary.steps, solution.start_times[i],
               solution.start_times[i] + own.summary.t_end, own.summary.cost);
    for (const auto& [parameter, bounds] : phase.free_parameters()) {
      const auto p = static_cast<std::size_t>(parameter);
      fmt::print("  {:<22} = {:.10g}\n", phase.system().parameters()[p].name, own.parameters[p]);
    }
    if (solved) fmt::print("{}", control::extremal_report(own.certificate));
  }
}

void write_phased_motion(const PhasedProblem& problem, const PhasedSolution& solution,
                         const std::string& name) {
  std::vector<std::string> columns;
  std::vector<std::vector<std::size_t>> places;  // of the numbers of each phase
  for (int k = 0; k < problem.size(); ++k) {
    const dae::Model& system = problem.phase(k).problem.system();
    std::vector<std::string> own = dae::Outputs(system).column_names();
    own.insert(own.end(), system.controls().begin(), system.controls().end());
    std::vector<std::size_t>& list = places.emplace_back();
    for (const std::string& column : own) {
      const auto found = std::find(columns.begin(), columns.end(), column);
      list.push_back(static_cast<std::size_t>(found - columns.begin()));
      if (found == columns.end()) columns.push_back(column);
    }
  }
  std::vector<std::string> header = {"t", "phase"};
  header.insert(header.end(), columns.begin(), columns.end());
  CsvFile file(name, header);
  for (int k = 0; k < problem.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    const Solution& own = solution.phases[i];
    dae::Outputs outputs(problem.phase(k).problem.system());
    outputs.set_parameters(own.parameters);
    std::vector<double> values(static_cast<std::size_t>(outputs.size()));
    for (std::size_t n = 0; n < own.states.size(); ++n) {
      outputs.evaluate(own.states[n], own.controls[n], values);
      std::vector<double> row(columns.size() + 1, std::numeric_limits<double>::quiet_NaN());
      row[0] = k + 1;
      for (std::size_t c = 0; c < places[i].size(); ++c) {
        row[1 + places[i][c]] = c < values.size() ? values[c] : own.controls[n][c - values.size()];
      }
      file.write_row(solution.start_times[i] + own.states[n].t, row);
    }
  }
  file.close();
}

}  // namespace liegrad::app
