#include "derivative_options.hpp"

#include <algorithm>
#include <array>

#include "liegrad/dae/nearest_name.hpp"
#include "liegrad/dae/numbers.hpp"
#include "liegrad/models/models.hpp"
#include "number_text.hpp"

namespace liegrad::app {
namespace {

using dae::index;

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

/// Whether a name ends with the number of a component: "top.x[3]" or "top.x.3".
bool has_component(const std::string& name) {
  if (name.ends_with(']')) return true;
  const std::size_t dot = name.rfind('.');
  return dot != std::string::npos && dot + 1 < name.size() &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dot) + 1, name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

/// A number by which a system is built, which its parameters do not hold.
bool is_structural(const dae::System& system, const std::string& name) {
  const std::vector<models::Model>& models = models::all_models();
  return name == "bodies" &&
         std::any_of(models.begin(), models.end(), [&](const models::Model& model) {
           return model.name == system.name() && model.default_bodies > 0;
         });
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

std::vector<ChosenOutput> components_of(const dae::Outputs& outputs, const std::string& name,
                                        std::optional<double> t, const std::string& at) {
  int first = 0, count = 1;
  if (has_component(name)) {
    first = outputs.column(name);
  } else {
    first = outputs.offset(name);
    count = outputs.spec(name).size;
  }
  std::vector<ChosenOutput> list;
  int offset = 0;
  for (const dae::OutputSpec& output : outputs.list()) {
    for (int i = 0; i < output.size; ++i, ++offset) {
      if (offset < first || offset >= first + count) continue;
      const std::string column =
          output.size == 1 ? output.name : output.name + "[" + std::to_string(i + 1) + "]";
      list.push_back({column + at, output.name + at, column, t});
    }
  }
  return list;
}

void DerivativeOptions::add_to(CLI::App& command, bool required) {
  command
      .add_option(
          "--of", of_,
          "Outputs, all components unless one is named, at a time or at the end; repeatable")
      ->type_name("OUTPUT[i]@T,…")
      ->allow_extra_args(false)
      ->required(required);
  command
      .add_option(
          "--wrt", wrt_,
          "Parameters, or all (of them), initial (values), controls, t_end, step; repeatable")
      ->type_name("NAME,…")
      ->allow_extra_args(false)
      ->required(required);
}

std::vector<ChosenOutput> DerivativeOptions::outputs(const dae::System& system) const {
  const dae::Outputs known(system);
  std::vector<ChosenOutput> list;
  for (const std::string& item : items_of("--of", of_)) {
    const std::size_t sign = std::min(item.find('@'), item.size());
    std::optional<double> t;
    if (sign < item.size()) t = number_of("--of " + item.substr(0, sign), item.substr(sign + 1));
    for (const ChosenOutput& output :
         components_of(known, item.substr(0, sign), t, item.substr(sign))) {
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
