#include "options/system_choice.hpp"

#include <cmath>
#include <set>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "liegrad/lie/error.hpp"
#include "liegrad/models/file/json_text.hpp"
#include "liegrad/models/models.hpp"
#include "options/option_value.hpp"
#include "output/number_text.hpp"

namespace liegrad::app {
namespace {

int size_of_system(const std::string& setting, const std::string& what, double value) {
  constexpr double kMost = 10e6;
  if (value >= 1 && value <= kMost && value == std::floor(value)) return static_cast<int>(value);
  throw InvalidArgument("--set " + setting + ": the number of " + what +
                        " must be a whole number from 1 to 10 million");
}

/// The object "set" of a file, or the whole of it.
std::vector<std::pair<std::string, double>> settings_in(const std::string& file) {
  const auto json =
      models::read_json<nlohmann::json>(file, "name a file that `liegrad fit --write` wrote");
  if (!json.is_object()) throw InvalidArgument(file + " is no JSON object of names and values");
  std::vector<std::pair<std::string, double>> settings;
  for (const auto& [name, value] : (json.contains("set") ? json["set"] : json).items()) {
    if (!value.is_number()) {
      throw InvalidArgument(file + ": the value of '" + name + "' is no number");
    }
    settings.emplace_back(name, value.get<double>());
  }
  return settings;
}

}  // namespace

void SystemChoice::add_to(CLI::App& command) {
  command
      .add_option("SYSTEM", system, "Name of a built-in system, see `liegrad models`, or FILE.json")
      ->type_name("")
      ->required();
  group_option = command.add_option("--group", group, "Of rigid-body nodes: so3xr3 or se3")
                     ->type_name("NAME")
                     ->capture_default_str();
  command.add_option("--set", settings, "A parameter or initial value; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--set-file", settings_file,
                  "Values that `liegrad fit --write` wrote; --set comes after")
      ->type_name("FILE")
      ->check(CLI::Validator(CLI::ExistingFile).description(""));
}

lie::NodeGroup body_group_of(const std::string& name) {
  return option_value("--group", "group of rigid bodies", name, dae::body_group_names());
}

bool names_system_file(const std::string& name) { return name.ends_with(".json"); }

const models::SystemFile& SystemChoice::defaults() const {
  if (read_ != nullptr) return *read_;
  if (names_system_file(system)) {
    const bool is_group_given = group_option != nullptr && group_option->count() > 0;
    read_ = std::make_shared<models::SystemFile>(models::read_system_file(
        system, is_group_given ? std::optional(body_group_of(group)) : std::nullopt));
  } else {
    const models::Model& model = models::find_model(system);
    read_ = std::make_shared<models::SystemFile>(
        models::SystemFile{dae::System(system), model.description, model.default_t_end,
                           model.default_step, model.has_bodies});
  }
  return *read_;
}

std::string SystemChoice::body_group() const {
  if (!defaults().has_bodies) return "";
  if (!names_system_file(system)) return group;
  for (const dae::Node& node : defaults().system.nodes()) {
    const std::string name = dae::name_in(dae::body_group_names(), node.group);
    if (node.name != "ground" && !name.empty()) return name;
  }
  return "";
}

dae::System SystemChoice::make() const {
  const bool is_file = names_system_file(system);
  const models::Model* const model = is_file ? nullptr : &models::find_model(system);
  models::Structure structure{.body_group = body_group_of(group)};
  std::vector<std::pair<std::string, double>> parameters;
  std::set<std::string> names;
  for (const std::string& setting : settings) {
    const auto [name, value] = named_number_of("--set", setting);
    if (!names.insert(name).second) {
      throw InvalidArgument("--set gives '" + name + "' twice; choose one value");
    }
    if (model != nullptr && model->default_bodies > 0 && name == model->size_name) {
      structure.bodies = size_of_system(setting, model->size_name, value);
    } else {
      parameters.emplace_back(name, value);
    }
  }
  dae::System made = is_file ? defaults().system : models::make_model(system, structure);
  if (!settings_file.empty()) {
    for (const auto& [name, value] : settings_in(settings_file)) made.set_parameter(name, value);
  }
  for (const auto& [name, value] : parameters) made.set_parameter(name, value);
  return made;
}

}  // namespace liegrad::app
