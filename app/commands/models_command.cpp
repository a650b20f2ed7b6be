#include "commands/models_command.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "liegrad/dae/system/node_view.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/models/system_file.hpp"
#include "options/common_options.hpp"
#include "options/system_choice.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

struct ModelsCommand {
  CommonOptions common;
  std::string name, group = default_body_group();
  const CLI::Option* group_option = nullptr;

  void run() const;
};

/// What decides on the size of a system, and how much of it there is unless told otherwise.
ordered_json size_of(const models::Model& model) {
  if (model.default_bodies == 0) return nullptr;
  return {{"name", model.size_name}, {"default", model.default_bodies}};
}

ordered_json json_of(const models::Model& model, const dae::System& system) {
  ordered_json nodes = ordered_json::array(), elements = nodes, parameters = nodes, outputs = nodes;
  for (const dae::Node& node : system.nodes()) {
    if (node.group == dae::ground_group()) continue;
    nodes.push_back({{"name", node.name},
                     {"group", dae::name_of(node.group)},
                     {"first_order", node.first_order}});
  }
  for (const dae::PlacedElement& element : system.elements()) {
    const dae::ElementShape& shape = system.shape_of(element);
    ordered_json names = ordered_json::array();
    for (const int node : element.nodes) {
      names.push_back(system.nodes()[static_cast<std::size_t>(node)].name);
    }
    elements.push_back({{"name", element.name},
                        {"type", shape.type},
                        {"nodes", names},
                        {"constraints", shape.constraints}});
  }
  for (const dae::ParameterSpec& parameter : system.parameters()) {
    parameters.push_back({{"name", parameter.name},
                          {"default", parameter.value},
                          {"unit", parameter.unit},
                          {"meaning", parameter.meaning}});
  }
  const dae::Outputs all(system);
  for (const dae::OutputSpec& output : all.list()) {
    outputs.push_back({{"name", output.name}, {"size", output.size}, {"meaning", output.meaning}});
  }
  return {{"name", model.name},
          {"description", model.description},
          {"size", size_of(model)},
          {"dof", system.dof()},
          {"constraints", system.num_multipliers()},
          {"t_end", model.default_t_end},
          {"step", model.default_step},
          {"nodes", nodes},
          {"elements", elements},
          {"parameters", parameters},
          {"controls", system.controls()},
          {"outputs", outputs}};
}

ordered_json json_of_file(const std::string& file, const std::optional<lie::NodeGroup>& group) {
  const models::SystemFile read = models::read_system_file(file, group);
  return json_of({.name = read.system.name(),
                  .description = read.description,
                  .default_t_end = read.t_end,
                  .default_step = read.step},
                 read.system);
}

/// Rows of cells under a title, in columns as wide as needed; numbers stand to the right.
void print_section(const std::string& title, const ordered_json& items,
                   const std::vector<std::string>& keys) {
  if (items.empty()) return;
  const auto cell = [](const ordered_json& value) {
    if (value.is_number()) return fmt::format("{:g}", value.get<double>());
    if (!value.is_array()) return value.get<std::string>();
    std::string text;
    for (const ordered_json& name : value) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
  };
  std::cout << title << '\n';
  std::vector<std::size_t> widths(keys.size(), 0);
  for (const ordered_json& item : items) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      widths[i] = std::max(widths[i], cell(item[keys[i]]).size());
    }
  }
  for (const ordered_json& item : items) {
    std::string line;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const ordered_json& value = item[keys[i]];
      line += value.is_number() ? fmt::format("  {:>{}}", cell(value), widths[i])
                                : fmt::format("  {:<{}}", cell(value), widths[i]);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    std::cout << line << '\n';
  }
}

void print_in_detail(const ordered_json& model) {
  std::cout << std::string(model["name"]) << ": " << std::string(model["description"]) << '\n'
            << fmt::format("velocities: {}, constraints: {}\n", model["dof"].get<int>(),
                           model["constraints"].get<int>());
  if (const ordered_json& size = model["size"]; !size.is_null()) {
    const std::string name = size["name"];
    fmt::print("{}: {}, or N with `--set {}=N`\n", name, size["default"].get<int>(), name);
  }
  fmt::print(
      "runs to t = {:g} unless told otherwise, with fixed steps of {:g} where errors are not "
      "controlled\n",
      model["t_end"].get<double>(), model["step"].get<double>());
  print_section("nodes", model["nodes"], {"name", "group"});
  print_section("elements", model["elements"], {"name", "type", "nodes"});
  print_section("parameters", model["parameters"], {"name", "default", "unit", "meaning"});
  print_section("outputs", model["outputs"], {"name", "size", "meaning"});
}

/// The names of one list, in lines of readable length.
void print_names(const std::string& title, const std::vector<std::string>& names) {
  constexpr std::size_t kWidth = 98;
  std::string line = fmt::format("  {:<11}", title);
  for (const std::string& name : names) {
    if (line.size() + name.size() > kWidth) {
      std::cout << line << '\n';
      line = std::string(13, ' ');
    }
    line += ' ' + name;
  }
  std::cout << line << '\n';
}

void print_in_short(const ordered_json& model) {
  std::vector<std::string> nodes, parameters, outputs;
  for (const ordered_json& node : model["nodes"]) {
    nodes.push_back(fmt::format("{} ({})", std::string(node["name"]), std::string(node["group"])));
  }
  for (const ordered_json& parameter : model["parameters"]) {
    parameters.push_back(
        fmt::format("{}={:g}", std::string(parameter["name"]), parameter["default"].get<double>()));
  }
  for (const ordered_json& output : model["outputs"]) outputs.push_back(output["name"]);
  std::cout << std::string(model["name"]) << ": " << std::string(model["description"]) << '\n';
  print_names("nodes", nodes);
  print_names("parameters", parameters);
  print_names("outputs", outputs);
}

void ModelsCommand::run() const {
  const lie::NodeGroup bodies = body_group_of(group);
  if (!name.empty()) {
    const ordered_json model =
        names_system_file(name)
            ? json_of_file(name, group_option->count() > 0 ? std::optional(bodies) : std::nullopt)
            : json_of(models::find_model(name), models::make_model(name, bodies));
    if (common.prints()) print_in_detail(model);
    return common.write_json(model);
  }
  ordered_json list = ordered_json::array();
  for (const models::Model& model : models::all_models()) {
    list.push_back(json_of(model, models::make_model(model.name, bodies)));
    if (!common.prints()) continue;
    if (list.size() > 1) std::cout << '\n';
    common.verbose ? print_in_detail(list.back()) : print_in_short(list.back());
  }
  if (common.prints() && !common.verbose) {
    std::cout << "\n`liegrad models NAME` shows units and meanings of one, --verbose of all.\n";
  }
  common.write_json(list);
}

}  // namespace

void add_models_command(CLI::App& app) {
  auto command = std::make_shared<ModelsCommand>();
  CLI::App* sub = app.add_subcommand("models", "List the built-in systems, or show one");
  sub->add_option(
         "NAME", command->name,
         "The system to show, by its name or that of a file; all built-in ones unless given")
      ->type_name("");
  command->group_option =
      sub->add_option("--group", command->group, "Of rigid-body nodes: so3xr3 or se3")
          ->type_name("NAME")
          ->capture_default_str();
  sub->footer(
      "The JSON of a system has `name`, `description`, `size` (null, or of a system of any size\n"
      "`name` and `default` of the number that decides on it), `dof`, `constraints`, `t_end` and "
      "`step` (of a run unless told\n"
      "otherwise), `nodes` (`name`, `group`), `elements` (`name`, `type`, `nodes`), `parameters`\n"
      "(`name`, `default`, `unit`, `meaning`), `controls` and `outputs` (`name`, `size`, "
      "`meaning`);\n"
      "without NAME a list.");
  command->common.add_to(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace liegrad::app
