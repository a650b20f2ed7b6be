#include "liegrad/models/file/system_description.hpp"

#include <algorithm>
#include <filesystem>

#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/group_names.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/models/file/beam_description.hpp"
#include "liegrad/models/file/element_catalogue.hpp"
#include "liegrad/models/file/mechanism_description.hpp"
#include "liegrad/models/models.hpp"

/// Defined in the file that the build writes: kernels of elements that built-in systems have are found from then on.
extern "C" void liegrad_models_register_kernels();

namespace liegrad::models {
namespace {

using Json = JsonFields::Json;

// ---------------------------------------------------------------- nodes and parameters

lie::NodeGroup node_group_in(const JsonFields& fields, const lie::NodeGroup& body_group) {
  const std::string name = fields.text("group");
  if (name == "body") return body_group;
  if (const lie::NodeGroup* const group = dae::find(dae::other_group_names(), name)) return *group;
  constexpr int kMost = 1000;
  const std::optional<lie::NodeGroup> coordinates = dae::rn_named(name);
  if (!coordinates || coordinates->n < 1 || coordinates->n > kMost) {
    fields.refuse("group", "there is no group '" + name +
                               "' of nodes; take body, so3, se2, so2, or r1, r2, r3 and so on");
  }
  return *coordinates;
}

void set_start(dae::System& system, const std::string& node, const JsonFields& fields) {
  if (fields.has("q")) {
    const std::vector<double> q = fields.numbers("q");
    with_place(fields.place("q"), [&] { system.set_initial_configuration(node, q); });
  }
  if (fields.has("v")) {
    const std::vector<double> v = fields.numbers("v");
    with_place(fields.place("v"), [&] { system.set_initial_velocity(node, v); });
  }
}

void add_nodes(const JsonFields& file, const lie::NodeGroup& body_group, dae::System& system) {
  for (const auto& [name, entry] : file.names_in("nodes").items()) {
    const JsonPlace place = file.place("nodes") / name;
    const JsonFields fields(entry, place, {"group", "q", "v"});
    const lie::NodeGroup group = node_group_in(fields, body_group);
    with_place(place, [&, &node = name] { system.add_node(node, group); });
    set_start(system, name, fields);
  }
}

void add_parameters(const JsonFields& file, dae::System& system) {
  for (const auto& [name, entry] : file.names_in("parameters").items()) {
    const JsonPlace place = file.place("parameters") / name;
    dae::ParameterSpec parameter{name, 0, "", "parameter of the file"};
    if (entry.is_number()) {
      parameter.value = entry.get<double>();
    } else {
      const JsonFields fields(entry, place, {"value", "unit", "meaning"});
      parameter.value = fields.number("value");
      parameter.unit = fields.text_or("unit", "");
      parameter.meaning = fields.text_or("meaning", parameter.meaning);
    }
    with_place(place, [&] { system.add_parameter(parameter); });
  }
}

// ---------------------------------------------------------------- elements

const ListedElement& listed_element(const Json& entry, const JsonPlace& place) {
  const bool has_type = entry.is_object() && entry.contains("type") && entry["type"].is_string();
  const std::string type = has_type ? entry["type"].get<std::string>() : "";
  std::vector<std::string> names;
  for (const ListedElement& element : listed_elements()) {
    if (element.type() == type) return element;
    names.push_back(element.type());
  }
  if (!has_type) place.refuse("a \"type\" belongs here, such as \"PointSpring\"");
  (place / "type").refuse(dae::unknown_name_message("element", type, names));
}

int multipliers_of(const dae::System& system, const std::vector<std::string>& elements) {
  int sum = 0;
  for (const std::string& name : elements) {
    const int i =
        system.find_element(name);  // what is not there is refused when the element is added
    if (i >= 0) sum += system.shape_of(system.elements()[static_cast<std::size_t>(i)]).constraints;
  }
  return sum;
}

void add_element(const std::string& name, const Json& entry, const JsonPlace& place,
                 const std::vector<std::string>& nodes, dae::System& system) {
  const ListedElement& listed = listed_element(entry, place);
  std::vector<std::string> keys = {"type", "on", "values", "reads"};
  keys.insert(keys.end(), listed.keys.begin(), listed.keys.end());
  const JsonFields fields(entry, place, keys);
  dae::ElementOptions options;
  if (fields.has("reads")) options.reads_multipliers_of = fields.texts("reads");
  const auto model = listed.make(fields, multipliers_of(system, options.reads_multipliers_of));
  const std::vector<std::string> parameters = dae::names_of(model->shape().parameters);
  for (const auto& [own, value] : fields.names_in("values").items()) {
    const JsonPlace at = fields.place("values") / own;
    if (std::ranges::find(parameters, own) == parameters.end()) {
      at.refuse(dae::unknown_name_message("parameter", own, parameters));
    } else if (value.is_string()) {
      options.bind[own] = value.get<std::string>();
    } else if (value.is_number()) {
      options.values[own] = value.get<double>();
    } else {
      at.refuse("a number belongs here, or the name of one of the \"parameters\"");
    }
  }
  // All of them share the gravity of the file.
  for (const std::string& own : parameters) {
    const bool is_gravity = own.size() == 8 && own.starts_with("gravity");
    if (is_gravity && !options.values.contains(own)) options.bind.try_emplace(own, own);
  }
  with_place(place, [&] { system.add_element(name, model, nodes, options); });
}

/// All that an element can stand on.
std::vector<std::string> places_for_elements(const JsonFields& file, const dae::System& system,
                                             const MechanismDescription& mechanism) {
  std::vector<std::string> names = dae::names_of(system.nodes());
  names.push_back("ground");
  for (const auto& [name, entry] : file.names_in("frames").items()) names.push_back(name);
  for (const auto& [name, entry] : file.names_in("joints").items()) {
    names.push_back(name + ".a");
    names.push_back(name + ".b");
  }
  for (const std::string& name : mechanism.coordinates()) names.push_back(name);
  return names;
}

/// The names that an element stands on.
std::vector<std::string> names_on(const Json& entry, const JsonPlace& place) {
  if (entry.is_object() && entry.contains("on")) {
    const Json& on = entry["on"];
    if (on.is_string()) return {on.get<std::string>()};
    if (on.is_array() && std::ranges::all_of(on, [](const Json& x) { return x.is_string(); })) {
      return on.get<std::vector<std::string>>();
    }
  }
  (place / "on").refuse("the name of a body, node, frame or joint belongs here, or a list of them");
}

// ---------------------------------------------------------------- whole systems

void set_parameters(const JsonFields& file, dae::System& system) {
  for (const auto& [name, value] : file.names_in("set").items()) {
    const JsonPlace place = file.place("set") / name;
    if (!value.is_number()) place.refuse("the value of '" + name + "' is no number");
    with_place(place, [&, &parameter = name, number = value.get<double>()] {
      system.set_parameter(parameter, number);
    });
  }
}

SystemFile finished(const JsonFields& file, dae::System system, const std::string& description,
                    double t_end, double step) {
  set_parameters(file, system);
  const auto positive = [&](const char* key, double other) {
    const double value = file.number_or(key, other);
    if (!(value > 0)) file.refuse(key, "a positive number of seconds belongs here");
    return value;
  };
  const auto is_body = [](const dae::Node& node) {
    return node.name != "ground" &&
           (node.group.kind == lie::GroupKind::kSO3xR3 || node.group.kind == lie::GroupKind::kSE3);
  };
  const bool has_bodies = std::ranges::any_of(system.nodes(), is_body);
  return {std::move(system), file.text_or("description", description), positive("t_end", t_end),
          positive("step", step), has_bodies};
}

/// A built-in system with other values.
SystemFile built_in(const Json& json, const JsonPlace& place,
                    const std::optional<lie::NodeGroup>& body_group) {
  const JsonFields file(json, place,
                        {"name", "description", "group", "bodies", "set", "t_end", "step"});
  Structure structure;
  if (file.has("group")) structure.body_group = body_group_in(file, "group");
  if (body_group) structure.body_group = *body_group;
  constexpr int kMost = 10000000;
  structure.bodies = file.integer_or("bodies", 0, 0, kMost);
  const std::string name = file.text("name");
  return with_place(file.place("name"), [&] {
    const Model& model = find_model(name);
    return finished(file, make_model(name, structure), model.description, model.default_t_end,
                    model.default_step);
  });
}

SystemFile described(const Json& json, const JsonPlace& place,
                     const std::optional<lie::NodeGroup>& body_group) {
  const JsonFields file(
      json, place,
      {"name", "description", "group", "gravity", "bodies", "joints", "frames", "nodes", "beams",
       "parameters", "elements", "initial", "set", "t_end", "step"});
  elements::MechanismOptions options;
  if (file.has("group")) options.group = body_group_in(file, "group");
  if (body_group) options.group = *body_group;
  options.gravity = file.array_or<3>("gravity", options.gravity);
  const std::string stem = std::filesystem::path(place.file()).stem().string();
  MechanismDescription mechanism(file.text_or("name", stem), file, options);

  // Coordinates of joints on which elements stand become nodes, and initial values are those of coordinates or of nodes.
  std::vector<std::vector<std::string>> stands_on;
  for (const auto& [name, entry] : file.names_in("elements").items()) {
    const JsonPlace at = file.place("elements") / name;
    listed_element(entry, at);
    stands_on.push_back(names_on(entry, at));
    for (std::string& node : stands_on.back()) {
      if (mechanism.has_coordinate(node)) node = mechanism.add_coordinate_node(node, at / "on");
    }
  }
  for (const auto& [name, value] : file.names_in("initial").items()) {
    const JsonPlace at = file.place("initial") / name;
    if (mechanism.has_coordinate(name)) mechanism.set_initial(name, value, at);
  }
  dae::System system = mechanism.make_system(file.place("initial"));
  add_nodes(file, options.group, system);
  add_parameters(file, system);
  for (const auto& [name, entry] : file.names_in("beams").items()) {
    add_beam(name, entry, file.place("beams") / name, options.group, system);
  }
  const std::vector<std::string> places = places_for_elements(file, system, mechanism);
  std::size_t i = 0;
  for (const auto& [name, entry] : file.names_in("elements").items()) {
    for (const std::string& node : stands_on[i]) {
      if (std::ranges::find(places, node) != places.end()) continue;
      (file.place("elements") / name / "on")
          .refuse(dae::unknown_name_message("body, node, frame or joint", node, places));
    }
    add_element(name, entry, file.place("elements") / name, stands_on[i++], system);
  }
  for (const auto& [name, value] : file.names_in("initial").items()) {
    if (mechanism.has_coordinate(name)) continue;
    const JsonPlace at = file.place("initial") / name;
    const JsonFields fields(value, at, {"q", "v"});
    with_place(at, [&, &node = name] { system.node_index(node); });
    set_start(system, name, fields);
  }
  const SystemFile defaults{dae::System("")};
  return finished(file, std::move(system), "a system of a file", defaults.t_end, defaults.step);
}

}  // namespace

lie::NodeGroup body_group_in(const JsonFields& fields, const std::string& key) {
  const dae::NameTable<lie::NodeGroup>& groups = dae::body_group_names();
  return *dae::find(groups, fields.choice_or_first(key, dae::names_of(groups)));
}

SystemFile system_in(const Json& json, const JsonPlace& place,
                     const std::optional<lie::NodeGroup>& body_group) {
  liegrad_models_register_kernels();
  if (json.is_string()) {
    const std::string name = json.get<std::string>();
    if (!name.ends_with(".json")) return built_in({{"name", name}}, place, body_group);
    const auto folder = std::filesystem::path(place.file()).parent_path();
    return with_place(place,
                      [&] { return read_system_file((folder / name).string(), body_group); });
  }
  if (!json.is_object()) {
    place.refuse("an object {…} belongs here, or the name of a built-in system or a file");
  }
  const bool is_described = json.contains("nodes") || json.contains("beams") ||
                            (json.contains("bodies") && json["bodies"].is_object());
  if (is_described) return described(json, place, body_group);
  if (!json.contains("name")) {
    place.refuse(
        "there are no \"bodies\", \"nodes\" or \"beams\", and no \"name\" of a built-in system");
  }
  return built_in(json, place, body_group);
}

SystemFile read_system_file(const std::string& file,
                            const std::optional<lie::NodeGroup>& body_group) {
  const JsonFile read = read_json_file(file, "name a file with a system");
  return system_in(read.json, read.place, body_group);
}

}  // namespace liegrad::models
