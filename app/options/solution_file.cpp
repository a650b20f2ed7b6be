#include "options/solution_file.hpp"

#include "liegrad/control/status_names.hpp"
#include "liegrad/dae/method_names.hpp"
#include "liegrad/dae/report.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/models/file/json_fields.hpp"
#include "output/output_file.hpp"

namespace liegrad::app {
namespace {

using control::PhasedSolution;
using control::Solution;
using models::JsonFields;
using models::JsonPlace;
using nlohmann::ordered_json;
using json = ordered_json;

template <class T>
T chosen(const JsonFields& fields, const std::string& key, const dae::NameTable<T>& choices) {
  const std::string given = fields.text(key);
  if (const T* const value = dae::find(choices, given)) return *value;
  fields.refuse(key, dae::unknown_name_message("choice", given, dae::names_of(choices)));
}

ordered_json json_of(const dae::State& state) {
  return {{"t", state.t},         {"q", state.q},           {"v", state.v},
          {"v_dot", state.v_dot}, {"lambda", state.lambda}, {"s", state.s}};
}

void read_state(const JsonFields& fields, dae::State& state) {
  state.t = fields.number("t");
  state.q = fields.numbers("q");
  state.v = fields.numbers("v");
  state.v_dot = fields.numbers("v_dot");
  state.lambda = fields.numbers("lambda");
  state.s = fields.numbers("s");
}

void read_stages(const JsonFields& fields, Solution& solution) {
  const json& steps = fields.at("stages");
  const auto require_list = [&](const json& list) {
    if (!list.is_array()) fields.refuse("stages", "a list of stages for each step belongs here");
  };
  require_list(steps);
  for (std::size_t n = 0; n < steps.size(); ++n) {
    require_list(steps[n]);
    std::vector<control::StageState>& list = solution.stages.emplace_back();
    for (const json& entry : steps[n]) {
      const JsonFields stage(entry, fields.place("stages") / n,
                             {"t", "q", "v", "v_dot", "lambda", "s", "eta", "step"});
      control::StageState& state = list.emplace_back();
      read_state(stage, state);
      state.eta = stage.numbers("eta");
      state.step = stage.number("step");
    }
  }
}

/// A search and how it ended, which a solution of one phase and one of several have in common.
template <class S>
ordered_json search_json(const std::string& problem, const S& solution) {
  return {{"problem", problem},
          {"status", control::name_of(solution.summary.status)},
          {"cost", solution.summary.cost},
          {"iterations", solution.summary.iterations},
          {"local_minimum", solution.certificate.local_minimum}};
}

template <class S>
void read_search(const JsonFields& fields, const std::string& problem, S& solution) {
  if (fields.text("problem") != problem) {
    fields.refuse("problem", "this is a solution of '" + fields.text("problem") + "', not of '" +
                                 problem + "'");
  }
  solution.summary.status = chosen(fields, "status", control::status_names());
  solution.summary.cost = fields.number("cost");
  solution.summary.iterations = static_cast<int>(fields.number("iterations"));
  solution.certificate.local_minimum =
      fields.has("local_minimum") && fields.at("local_minimum") == true;
}

ordered_json solution_json(const control::Problem& problem, const Solution& solution) {
  ordered_json points = ordered_json::array();
  for (std::size_t n = 0; n < solution.states.size(); ++n) {
    points.push_back(json_of(solution.states[n]));
    points.back()["a"] = solution.states[n].a;
    points.back()["u"] = solution.controls[n];
  }
  // Of each step that has stages, with what belongs to them alone.
  ordered_json stages = ordered_json::array();
  for (const std::vector<control::StageState>& step : solution.stages) {
    ordered_json& list = stages.emplace_back(ordered_json::array());
    for (const control::StageState& stage : step) {
      list.push_back(json_of(stage));
      list.back()["eta"] = stage.eta;
      list.back()["step"] = stage.step;
    }
  }
  ordered_json content = search_json(problem.name(), solution);
  content.update(ordered_json{{"formulation", name_of(solution.formulation)},
                              {"parameters", solution.parameters},
                              {"points", points},
                              {"stages", stages},
                              {"x", solution.x},
                              {"multipliers", solution.multipliers},
                              {"lower_multipliers", solution.lower_multipliers},
                              {"upper_multipliers", solution.upper_multipliers}});
  return content;
}

Solution solution_from(const json& content, const JsonPlace& place,
                       const control::Problem& problem) {
  const JsonFields fields(
      content, place,
      {"problem", "formulation", "status", "cost", "iterations", "local_minimum", "parameters",
       "points", "stages", "x", "multipliers", "lower_multipliers", "upper_multipliers"});
  Solution solution;
  read_search(fields, problem.name(), solution);
  solution.formulation = chosen(fields, "formulation", dae::formulation_names());
  solution.parameters = fields.numbers("parameters");
  if (!fields.has("points") || !fields.at("points").is_array()) {
    fields.refuse("points", "a list of the points of the grid belongs here");
  }
  for (std::size_t n = 0; n < fields.at("points").size(); ++n) {
    const JsonFields point(fields.at("points")[n], fields.place("points") / n,
                           {"t", "q", "v", "v_dot", "a", "lambda", "s", "u"});
    control::GridState& state = solution.states.emplace_back();
    read_state(point, state);
    state.a = point.numbers("a");
    solution.controls.push_back(point.numbers("u"));
  }
  if (fields.has("stages")) read_stages(fields, solution);
  solution.summary.steps = static_cast<int>(solution.states.size()) - 1;
  if (!solution.states.empty()) solution.summary.t_end = solution.states.back().t;
  solution.x = fields.numbers("x");
  solution.multipliers = fields.numbers("multipliers");
  solution.lower_multipliers = fields.numbers("lower_multipliers");
  solution.upper_multipliers = fields.numbers("upper_multipliers");
  return solution;
}

void write(const ordered_json& content, const std::string& file) {
  OutputFile output(file);
  output.write(content.dump() + '\n');
  output.close();
}

models::JsonFile read_written(const std::string& file) {
  return models::read_json_file(file, "name a file that --write has written");
}

void require_phases(bool phased, const models::JsonFile& read, const std::string& problem) {
  if (!read.json.is_object() || read.json.contains("phases") == phased) return;
  throw InvalidArgument(read.place.file() + ": this is a solution of " +
                        (phased ? "one phase" : "several phases") + ", and problem '" + problem +
                        "' has " + (phased ? "several" : "one"));
}

}  // namespace

void write_solution_file(const control::Problem& problem, const Solution& solution,
                         const std::string& file) {
  write(solution_json(problem, solution), file);
}

void write_solution_file(const control::PhasedProblem& problem, const PhasedSolution& solution,
                         const std::string& file) {
  ordered_json content = search_json(problem.name(), solution);
  content["link_multipliers"] = solution.link_multipliers;
  for (int k = 0; k < problem.size(); ++k) {
    content["phases"].push_back(
        solution_json(problem.phase(k).problem, solution.phases[static_cast<std::size_t>(k)]));
  }
  write(content, file);
}

Solution read_solution_file(const control::Problem& problem, const std::string& file) {
  const models::JsonFile read = read_written(file);
  require_phases(false, read, problem.name());
  return solution_from(read.json, read.place, problem);
}

PhasedSolution read_solution_file(const control::PhasedProblem& problem, const std::string& file) {
  const models::JsonFile read = read_written(file);
  require_phases(true, read, problem.name());
  const JsonFields fields(
      read.json, read.place,
      {"problem", "status", "cost", "iterations", "local_minimum", "link_multipliers", "phases"});
  PhasedSolution solution;
  read_search(fields, problem.name(), solution);
  solution.link_multipliers = fields.numbers("link_multipliers");
  if (!fields.has("phases") || !fields.at("phases").is_array() ||
      fields.at("phases").size() != static_cast<std::size_t>(problem.size())) {
    fields.refuse("phases", "a list of " + std::to_string(problem.size()) +
                                " phases belongs here, as problem '" + problem.name() + "' has");
  }
  for (int k = 0; k < problem.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    solution.phases.push_back(solution_from(fields.at("phases")[i], fields.place("phases") / i,
                                            problem.phase(k).problem));
    solution.start_times.push_back(solution.summary.t_end);
    solution.summary.t_end += solution.phases.back().summary.t_end;
    solution.summary.steps += solution.phases.back().summary.steps;
  }
  return solution;
}

}  // namespace liegrad::app
