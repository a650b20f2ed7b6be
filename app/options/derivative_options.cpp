#include "options/derivative_options.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <CLI/CLI.hpp>

#include "liegrad/dae/run/run_times.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/models/models.hpp"
#include "output/number_text.hpp"

namespace liegrad::app {
namespace {

/// What --wrt accepts besides names of parameters.
const std::array<std::string, 5> kWords = {"all", "initial", "controls", "t_end", "step"};

std::vector<std::string> items_of(const std::string& option,
                                  const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t comma = std::min(text.find(',', begin), text.size());
      items.push_back(text.substr(begin, comma - begin));
      if (items.back().empty()) {
        throw InvalidArgument(option + " is given '" + text + "', where a name is missing");
      }
      begin = comma + 1;
    }
  }
  return items;
}

/// A name without the number of a component at its end, "top.x[3]" or "top.x.3", and that number.
std::pair<std::string, std::string> without_component(const std::string& name) {
  const bool has_brackets = name.ends_with(']');
  const std::size_t sign = name.rfind(has_brackets ? '[' : '.');
  if (sign == std::string::npos) return {name, ""};
  std::string number = name.substr(sign + 1);
  if (has_brackets) number.pop_back();
  const bool is_number = !number.empty() && std::all_of(number.begin(), number.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
  return is_number ? std::pair(name.substr(0, sign), number) : std::pair(name, std::string());
}

/// A number by which a system is built, which its parameters do not hold.
bool is_structural(const dae::System& system, const std::string& name) {
  const std::vector<models::Model>& models = models::all_models();
  return std::any_of(models.begin(), models.end(), [&](const models::Model& model) {
    return model.name == system.name() && model.default_bodies > 0 && name == model.size_name;
  });
}

/// Names of initial values as differentiate() gives them: all of a node, "top.q0" or "top.v0", or one,
/// "top.q0[1]" or "top.q0.1". None when it is another name.
std::vector<std::string> initial_values_of(const dae::System& system, const std::string& name) {
  const auto [plain, number] = without_component(name);
  const lie::GroupList& space = system.configuration_space();
  std::vector<std::string> list;
  for (int i = 0; i < space.size(); ++i) {
    const std::string& node = system.nodes()[dae::index(i)].name;
    if (plain != node + ".q0" && plain != node + ".v0") continue;
    const int components = space.group(i).dof();
    for (int k = 1; k <= components; ++k) {
      if (!number.empty() && number != std::to_string(k)) continue;
      list.push_back(plain + "[" + std::to_string(k) + "]");
    }
    if (list.empty()) {
      throw InvalidArgument("--wrt: the initial value '" + plain + "' has " +
                            std::to_string(components) + " components; there is no '" + name + "'");
    }
  }
  return list;
}

/// Whether a variable of differentiate() is an initial value.
bool is_initial_value(const dae::System& system, const std::string& name) {
  return name.ends_with(']') && !initial_values_of(system, name).empty();
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

std::vector<ChosenOutput> components_of(const dae::Outputs& outputs, const std::string& name) {
  const auto [plain, number] = without_component(name);
  const dae::OutputSpec& output = outputs.spec(plain);
  std::vector<ChosenOutput> list;
  for (int i = 1; i <= output.size; ++i) {
    if (!number.empty() && number != std::to_string(i)) continue;
    const std::string column = output.size == 1 ? plain : plain + "[" + std::to_string(i) + "]";
    list.push_back({.name = column, .output = plain, .column = column});
  }
  if (list.empty()) {
    throw InvalidArgument("output '" + plain + "' has " + std::to_string(output.size) +
                          " components; there is no '" + name + "'");
  }
  return list;
}

void DerivativeOptions::add_to(CLI::App& command, bool required) {
  command
      .add_option(
          "--of", of_,
          "Outputs, all components unless one is named, at a time or at the end; repeatable")
      ->option_text(required ? "OUTPUT[i]@T,… REQUIRED" : "OUTPUT[i]@T,…")
      ->allow_extra_args(false)
      ->required(required);
  command
      .add_option(
          "--wrt", wrt_,
          "Parameters, or all (of them), initial (values; some as NODE.q0, NODE.v0[i]), controls, "
          "t_end, step; repeatable")
      ->option_text(required ? "NAME,… REQUIRED" : "NAME,…")
      ->allow_extra_args(false)
      ->required(required);
}

std::vector<ChosenOutput> DerivativeOptions::outputs(const dae::System& system,
                                                     const dae::IntegrateOptions& run) const {
  const dae::Outputs known(system);
  std::vector<ChosenOutput> list;
  for (const std::string& item : items_of("--of", of_)) {
    const std::size_t sign = std::min(item.find('@'), item.size());
    const std::string name = item.substr(0, sign), at = item.substr(sign);
    std::optional<double> t;
    if (!at.empty()) {
      t = number_of("--of " + name, at.substr(1));
      if (!dae::RunTimes(run.t_start, run.t_end).contains(*t)) {
        throw InvalidArgument("--of " + item + " is outside of the run from " +
                              dae::number_text(run.t_start) + " to " + dae::number_text(run.t_end));
      }
    }
    for (ChosenOutput output : components_of(known, name)) {
      output.name += at;
      output.output += at;
      output.t = t;
      const auto is_same = [&](const ChosenOutput& other) { return other.name == output.name; };
      if (std::none_of(list.begin(), list.end(), is_same)) list.push_back(output);
    }
  }
  return list;
}

sensitivity::Variables DerivativeOptions::variables(const dae::System& system) const {
  const std::vector<std::string> parameters = all_parameters(system);
  sensitivity::Variables variables;
  for (const std::string& name : items_of("--wrt", wrt_)) {
    if (std::find(parameters.begin(), parameters.end(), name) != parameters.end()) {
      add_once(variables.parameters, name);
    } else if (name == "all") {
      for (const std::string& parameter : parameters) add_once(variables.parameters, parameter);
    } else if (name == "initial") {
      variables.initial_configuration = variables.initial_velocity = true;
    } else if (name == "controls") {
      variables.controls = true;
    } else if (name == "t_end") {
      variables.t_end = true;
    } else if (name == "step") {
      variables.step = true;
    } else if (const std::vector<std::string> values = initial_values_of(system, name);
               !values.empty()) {
      const bool is_velocity = values[0].find(".v0[") != std::string::npos;
      (is_velocity ? variables.initial_velocity : variables.initial_configuration) = true;
    } else if (is_structural(system, name)) {
      throw InvalidArgument("--wrt: '" + name + "' decides on the structure of '" + system.name() +
                            "' and has no derivative");
    } else {
      std::vector<std::string> known = parameters;
      known.insert(known.end(), kWords.begin(), kWords.end());
      throw InvalidArgument("system '" + system.name() +
                            "': " + dae::unknown_name_message("parameter", name, known));
    }
  }
  return variables;
}

void DerivativeOptions::keep_chosen(const dae::System& system,
                                    sensitivity::Derivatives& derivatives) const {
  std::set<std::string> chosen;
  for (const std::string& name : items_of("--wrt", wrt_)) {
    if (name == "initial") return;
    for (const std::string& value : initial_values_of(system, name)) chosen.insert(value);
  }
  std::vector<std::string> names;
  std::vector<Eigen::Index> columns;
  const auto is_left_out = [&](const std::string& name) {
    return is_initial_value(system, name) && !chosen.contains(name);
  };
  for (std::size_t j = 0; j < derivatives.variable_names.size(); ++j) {
    if (is_left_out(derivatives.variable_names[j])) continue;
    names.push_back(derivatives.variable_names[j]);
    columns.push_back(static_cast<Eigen::Index>(j));
  }
  std::map<Eigen::Index, std::string> not_found;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto found = derivatives.not_found.find(columns[k]);
    if (found != derivatives.not_found.end()) {
      not_found[static_cast<Eigen::Index>(k)] = found->second;
    }
  }
  const auto keep_columns = [&](Eigen::MatrixXd& matrix) {
    if (matrix.size() > 0) matrix = Eigen::MatrixXd(matrix(Eigen::all, columns));
  };
  keep_columns(derivatives.jacobian);
  keep_columns(derivatives.jacobian_error);
  if (derivatives.hessian_products.size() > 0) {
    derivatives.hessian_products = Eigen::MatrixXd(derivatives.hessian_products(columns, columns));
  }
  derivatives.variable_names = names;
  derivatives.not_found = not_found;
  std::erase_if(derivatives.ineffective, is_left_out);
}

std::vector<std::string> all_parameters(const dae::System& system) {
  std::vector<std::string> names;
  for (const dae::ParameterSpec& parameter : system.parameters()) names.push_back(parameter.name);
  return names;
}

sensitivity::Objective objective_of(const dae::System& system,
                                    const std::vector<ChosenOutput>& outputs) {
  sensitivity::Objective objective(system);
  for (const ChosenOutput& output : outputs) objective.add_output(output.column, output.t);
  return objective;
}

}  // namespace liegrad::app
