#include "options/control_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/elements/forces/actuators.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/models/file/json_fields.hpp"
#include "liegrad/models/file/system_description.hpp"

namespace liegrad::app {
namespace {

using ad::Taped;
using control::Interval;
using control::Problem;
using models::JsonFields;
using models::JsonPlace;
using json = nlohmann::ordered_json;
using sensitivity::Snapshot;

/// A number of a motion by its name, or all numbers of a quantity: "arm.x[3]", "joint.lambda", "motor.m1", "time".
class Quantity {
 public:
  Quantity(const std::string& name, const JsonPlace& place) : name_(name) {
    std::string rest = name;
    if (rest.size() > 2 && rest.front() == '|' && rest.back() == '|') {
      is_norm_ = true;
      rest = rest.substr(1, rest.size() - 2);
    }
    whole_ = rest;
    const std::size_t bracket = rest.find('[');
    if (bracket != std::string::npos) {
      std::size_t used = 0;
      const std::string inside = rest.substr(bracket + 1);
      try {
        component_ = std::stoi(inside, &used);
      } catch (const std::exception&) {
        used = 0;
      }
      if (used == 0 || inside.substr(used) != "]" || *component_ < 1) {
        place.refuse("'" + name + "' has no component; they are counted from 1, as in arm.x[1]");
      }
      rest = rest.substr(0, bracket);
    }
    const std::size_t dot = rest.rfind('.');
    owner_ = rest.substr(0, dot);
    kind_ = dot == std::string::npos ? "" : rest.substr(dot + 1);
  }

  bool is_norm() const { return is_norm_; }

  /// Its value; of a norm the square, which has derivatives everywhere.
  Taped operator()(const Snapshot<Taped>& at) const {
    const std::vector<Taped> all = values(at);
    if (is_norm_) {
      Taped sum(0);
      for (const Taped& x : all) sum += x * x;
      return sum;
    }
    if (!component_ && all.size() > 1) {
      throw InvalidArgument("'" + name_ + "' has " + std::to_string(all.size()) +
                            " components; name one of them, " + name_ + "[1], or their norm, |" +
                            name_ + "|");
    }
    const int i = component_.value_or(1) - 1;
    if (i >= static_cast<int>(all.size())) {
      throw InvalidArgument("'" + name_ + "': there are only " + std::to_string(all.size()) +
                            " components");
    }
    return all[static_cast<std::size_t>(i)];
  }

 private:
  static std::vector<Taped> list(const Snapshot<Taped>::Vector& v, Eigen::Index first,
                                 Eigen::Index count) {
    return {v.data() + first, v.data() + first + count};
  }
  std::vector<Taped> values(const Snapshot<Taped>& at) const {
    if (whole_ == "time") return {at.time()};
    if (kind_ == "lambda") {
      const auto v = at.multipliers(owner_);
      return list(v, 0, v.size());
    }
    if (kind_ == "v" || kind_ == "omega") {
      const auto v = at.velocity(owner_);
      return list(v, 0, kind_ == "omega" ? std::min<Eigen::Index>(3, v.size()) : v.size());
    }
    if (kind_ == "x") {
      try {
        const auto v = at.coordinates(owner_);
        return list(v, 0, v.size());
      } catch (const InvalidArgument&) {
        const auto x = at.frame(owner_).position;
        return {x(0), x(1), x(2)};
      }
    }
    if (component_ || is_norm_) {
      static const std::vector<std::string> kinds = {"x", "v", "omega", "lambda"};
      throw InvalidArgument("'" + name_ +
                            "': " + dae::unknown_name_message("quantity", kind_, kinds));
    }
    return {at.control(whole_)};
  }

  std::string name_, whole_, owner_, kind_;
  std::optional<int> component_;
  bool is_norm_ = false;
};

Interval interval_of(const JsonFields& fields) {
  Interval interval;
  interval.lower = fields.number_or("min", interval.lower);
  interval.upper = fields.number_or("max", interval.upper);
  return interval;
}

dae::System system_of(const JsonFields& file) {
  if (!file.has("system")) file.refuse("system", "it is missing; name one of `liegrad models`");
  return models::system_in(file.at("system"), file.place("system"), {}).system;
}

void add_actuators(const JsonFields& file, dae::System& system) {
  for (const auto& [entry, place] : file.entries_in("actuators")) {
    const JsonFields fields(entry, place, {"name", "type", "node", "axes"});
    const std::string type = fields.text("type"), axes = fields.text_or("axes", "inertial");
    static const std::vector<std::string> types = {"force", "torque", "coordinate"};
    static const std::vector<std::string> all_axes = {"inertial", "body"};
    if (std::find(all_axes.begin(), all_axes.end(), axes) == all_axes.end()) {
      fields.refuse("axes", dae::unknown_name_message("choice", axes, all_axes));
    }
    const auto in = axes == "body" ? elements::LoadAxes::kBody : elements::LoadAxes::kInertial;
    const std::string name = fields.text("name"), node = fields.text("node");
    if (type == "force") {
      system.add(name, elements::ActuatorForce{in}, {node});
    } else if (type == "torque") {
      system.add(name, elements::ActuatorTorque{in}, {node});
    } else if (type == "coordinate") {
      system.add(name, elements::CoordinateActuator{}, {node});
    } else {
      fields.refuse("type", dae::unknown_name_message("type of actuator", type, types));
    }
  }
}

void set_initial_values(const JsonFields& file, dae::System& system) {
  for (const auto& [node, value] : file.names_in("initial").items()) {
    const JsonFields fields(value, file.place("initial") / node, {"q", "v"});
    if (fields.has("q")) system.set_initial_configuration(node, fields.numbers("q"));
    if (fields.has("v")) system.set_initial_velocity(node, fields.numbers("v"));
  }
}

void set_horizon(const JsonFields& file, Problem& problem) {
  if (file.has("horizon") && file.at("horizon").is_object()) {
    const JsonFields fields(file.at("horizon"), file.place("horizon"), {"guess", "min", "max"});
    problem.set_free_horizon(fields.number("guess"), interval_of(fields));
  } else {
    problem.set_horizon(file.number("horizon"));
  }
}

void set_controls(const JsonFields& file, Problem& problem) {
  for (const auto& [name, value] : file.names_in("controls").items()) {
    const JsonFields fields(value, file.place("controls") / name, {"min", "max", "guess"});
    problem.set_control_bounds(name, interval_of(fields));
    if (fields.has("guess")) problem.set_control_guess(name, fields.number("guess"));
  }
  for (const auto& [name, value] : file.names_in("parameters").items()) {
    const JsonFields fields(value, file.place("parameters") / name, {"min", "max"});
    problem.free_parameter(name, interval_of(fields));
  }
}

void set_end(const JsonFields& file, Problem& problem) {
  for (const auto& [node, value] : file.names_in("end").items()) {
    const JsonFields fields(value, file.place("end") / node,
                            {"q", "coordinates", "v", "velocity_coordinates"});
    if (fields.has("q")) {
      problem.fix_end_configuration(node, fields.numbers("q"),
                                    fields.integers_or_none("coordinates"));
    }
    if (!fields.has("v")) continue;
    problem.fix_end_velocity(node, fields.integers_or_none("velocity_coordinates"),
                             fields.numbers("v"));
  }
}

void set_periodic(const JsonFields& file, Problem& problem) {
  for (const auto& [node, place] : file.entries_in("periodic")) {
    if (!node.is_string()) file.refuse("periodic", "a list of names of nodes belongs here");
    problem.make_periodic(node.get<std::string>());
  }
}

/// weight (value - target)^power.
std::function<Taped(const Snapshot<Taped>&)> term_of(const json& entry, const JsonPlace& place) {
  const JsonFields fields(entry, place, {"of", "weight", "target", "power"});
  const Quantity quantity(fields.text("of"), place);
  const double weight = fields.number_or("weight", 1), target = fields.number_or("target", 0);
  const double power = fields.number_or("power", 2);
  if (power != 1 && power != 2) fields.refuse("power", "it is 1 or 2");
  if (quantity.is_norm() && (fields.has("target") || power != 2)) {
    fields.refuse("of", "the norm of a quantity is squared, and has no target");
  }
  return [=](const Snapshot<Taped>& at) -> Taped {
    const Taped value = quantity(at);
    if (quantity.is_norm()) return weight * value;
    const Taped away = value - target;
    return power == 1 ? Taped(weight * away) : Taped(weight * away * away);
  };
}

void add_costs(const JsonFields& file, Problem& problem) {
  if (!file.has("cost")) file.refuse("cost", "it is missing; without one every motion is optimal");
  const JsonFields fields(file.at("cost"), file.place("cost"), {"running", "end"});
  const auto running = fields.entries_in("running"), end = fields.entries_in("end");
  if (running.empty() && end.empty()) {
    file.refuse("cost", "it has no terms; without one every motion is optimal");
  }
  for (const auto& [entry, place] : running) problem.add_running_cost(term_of(entry, place));
  for (const auto& [entry, place] : end) problem.add_end_cost(term_of(entry, place));
}

void add_bounds(const JsonFields& file, Problem& problem) {
  for (const auto& [entry, place] : file.entries_in("bounds")) {
    const JsonFields fields(entry, place, {"of", "min", "max", "at"});
    const std::string name = fields.text("of"), at = fields.text_or("at", "all");
    const Quantity quantity(name, place);
    Interval interval = interval_of(fields);
    if (quantity.is_norm()) {
      if (fields.has("min") || !(interval.upper > 0)) {
        fields.refuse("of", "the norm of a quantity has a positive max and no min");
      }
      interval.upper *= interval.upper;
    }
    static const std::vector<std::string> times = {"all", "end"};
    if (at == "all") {
      problem.add_path_constraint(name, quantity, interval);
    } else if (at == "end") {
      problem.add_end_constraint(name, quantity, interval);
    } else {
      fields.refuse("at", dae::unknown_name_message("choice", at, times));
    }
  }
}

const std::vector<std::string> kProblemKeys = {
    "name", "system",   "actuators", "initial", "horizon", "controls", "parameters",
    "end",  "periodic", "cost",      "bounds",  "steps",   "mesh"};

ControlFile problem_of(const JsonFields& fields) {
  dae::System system = system_of(fields);
  add_actuators(fields, system);
  set_initial_values(fields, system);
  Problem problem(std::move(system), fields.text_or("name", ""));
  set_horizon(fields, problem);
  set_controls(fields, problem);
  set_end(fields, problem);
  set_periodic(fields, problem);
  add_costs(fields, problem);
  add_bounds(fields, problem);
  const double steps = fields.number_or("steps", 100);
  if (steps != std::floor(steps) || steps < 2 || steps > 1e7) {
    fields.refuse("steps", "a whole number from 2 on belongs here");
  }
  std::vector<double> mesh;
  if (fields.has("mesh")) mesh = fields.numbers("mesh");
  if (fields.has("mesh") && mesh.size() < 3) {
    fields.refuse("mesh", "a list of at least three shares of the horizon belongs here");
  }
  return {std::move(problem), static_cast<int>(steps), std::move(mesh)};
}

/// Sum of factors times quantities of both sides of a link.
void add_condition(const json& entry, const JsonPlace& place, control::Link& link) {
  const JsonFields fields(entry, place, {"name", "terms", "min", "max"});
  struct Term {
    Quantity quantity;
    bool at_end;
    double factor;
  };
  std::vector<Term> terms;
  for (const auto& [term, term_place] : fields.entries_in("terms")) {
    const JsonFields own(term, term_place, {"of", "side", "factor"});
    const std::string side = own.text("side");
    static const std::vector<std::string> sides = {"before", "after"};
    if (side != "before" && side != "after") {
      own.refuse("side", dae::unknown_name_message("side", side, sides));
    }
    terms.push_back(
        {Quantity(own.text("of"), term_place), side == "before", own.number_or("factor", 1)});
  }
  if (terms.empty()) fields.refuse("terms", "a list of what is summed belongs here");
  const Interval interval =
      fields.has("min") || fields.has("max") ? interval_of(fields) : Interval{0, 0};
  link.add_condition(
      fields.text("name"),
      [terms](const Snapshot<Taped>& end, const Snapshot<Taped>& start) {
        Taped sum(0);
        for (const Term& term : terms) {
          sum += term.factor * term.quantity(term.at_end ? end : start);
        }
        return sum;
      },
      interval);
}

std::vector<std::string> texts_or_none(const JsonFields& fields, const std::string& key) {
  return fields.has(key) ? fields.texts(key) : std::vector<std::string>{};
}

void set_link(const json& entry, const JsonPlace& place, control::Link& link) {
  const JsonFields fields(
      entry, place, {"free_configurations", "free_velocities", "keep_controls", "conditions"});
  for (const std::string& node : texts_or_none(fields, "free_configurations")) {
    link.free_configuration(node);
  }
  for (const std::string& node : texts_or_none(fields, "free_velocities")) link.free_velocity(node);
  for (const std::string& control : texts_or_none(fields, "keep_controls"))
    link.keep_control(control);
  for (const auto& [condition, condition_place] : fields.entries_in("conditions")) {
    add_condition(condition, condition_place, link);
  }
}

models::JsonFile read_problem(const std::string& file) {
  return models::read_json_file(file, "name a file with a problem");
}

}  // namespace

bool names_control_file(const std::string& name) {
  return name.size() > 5 && name.substr(name.size() - 5) == ".json";
}

ControlFile read_control_file(const std::string& file) {
  const models::JsonFile read = read_problem(file);
  return problem_of(JsonFields(read.json, read.place, kProblemKeys));
}

bool has_phases(const std::string& file) {
  const json problem = read_problem(file).json;
  return problem.is_object() && problem.contains("phases");
}

control::PhasedProblem read_phased_file(const std::string& file, std::optional<int> steps) {
  const models::JsonFile read = read_problem(file);
  std::vector<std::string> keys = kProblemKeys;
  keys.insert(keys.end(), {"phases", "links", "total_time"});
  const JsonFields fields(read.json, read.place, keys);
  control::PhasedProblem problem(fields.text_or("name", "phases"));
  const auto phases = fields.entries_in("phases");
  if (phases.empty()) fields.refuse("phases", "a list of problems belongs here");
  for (std::size_t k = 0; k < phases.size(); ++k) {
    const auto& [phase, place] = phases[k];
    if (!phase.is_object()) place.refuse("an object { … } belongs here");
    // What a phase does not say is said for all.
    json own = phase;
    for (const auto& [key, value] : read.json.items()) {
      const bool is_shared = key != "phases" && key != "links" && key != "total_time";
      if (is_shared && key != "name" && !own.contains(key)) own[key] = value;
    }
    if (!own.contains("name")) own["name"] = "phase " + std::to_string(k + 1);
    ControlFile made = problem_of(JsonFields(own, place, kProblemKeys));
    problem.add_phase(std::move(made.problem), steps.value_or(made.steps),
                      steps ? std::vector<double>{} : std::move(made.mesh));
  }
  const auto links = fields.entries_in("links");
  if (!links.empty() && links.size() + 1 != phases.size()) {
    fields.refuse("links", "there is one for each phase but the first");
  }
  for (std::size_t k = 0; k < links.size(); ++k) {
    set_link(links[k].json, links[k].place, problem.link(static_cast<int>(k) + 1));
  }
  if (fields.has("total_time")) {
    if (fields.at("total_time").is_number()) {
      const double time = fields.number("total_time");
      problem.bound_total_time({time, time});
    } else {
      problem.bound_total_time(interval_of(
          JsonFields(fields.at("total_time"), fields.place("total_time"), {"min", "max"})));
    }
  }
  return problem;
}

}  // namespace liegrad::app
