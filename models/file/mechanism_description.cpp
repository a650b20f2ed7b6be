#include "liegrad/models/file/mechanism_description.hpp"

#include <algorithm>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/elements/frame_along.hpp"

namespace liegrad::models {
namespace {

using Json = JsonFields::Json;
using Triple = std::array<double, 3>;

std::vector<std::string> with(std::vector<std::string> keys, const std::vector<std::string>& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

/// The text with a key that says which other keys belong to an object.
std::string kind_of(const Json& entry, const std::string& key) {
  if (!entry.is_object() || !entry.contains(key) || !entry[key].is_string()) return "";
  return entry[key].get<std::string>();
}

struct JointKind {
  std::string name;
  elements::JointType type;
  std::vector<std::string> keys;
};
const std::vector<JointKind> kJoints = {
    {"revolute", elements::JointType::kRevolute, {"point", "axis"}},
    {"prismatic", elements::JointType::kPrismatic, {"point", "axis"}},
    {"cylindrical", elements::JointType::kCylindrical, {"point", "axis"}},
    {"universal", elements::JointType::kUniversal, {"point", "axis_in_a", "axis_in_b"}},
    {"spherical", elements::JointType::kSpherical, {"point"}},
    {"fixed", elements::JointType::kFixed, {}}};

const std::vector<std::pair<std::string, std::vector<std::string>>> kShapes = {
    {"rod", {"from", "to", "radius", "density"}},
    {"cylinder", {"radius", "length", "density", "at", "orientation", "axis"}},
    {"box", {"edges", "density", "at", "orientation", "axis"}},
    {"sphere", {"radius", "density", "at", "orientation", "axis"}},
    {"inertia", {"inertia", "at", "orientation", "axis"}}};

const auto name_is = [](const std::string& name) {
  return [name](const auto& thing) { return thing.first == name; };
};

}  // namespace

dae::BodyFrame frame_in(const JsonFields& fields) {
  const Triple at = fields.array_or<3>("at", {0, 0, 0});
  if (!fields.has("axis")) {
    return {.position = at, .orientation = fields.array_or<4>("orientation", {1, 0, 0, 0})};
  }
  if (fields.has("orientation")) {
    fields.refuse("axis", "there is an orientation as well; keep one of them");
  }
  return with_place(fields.place("axis"),
                    [&] { return elements::frame_along(at, fields.array<3>("axis")); });
}

MechanismDescription::MechanismDescription(const std::string& name, const JsonFields& file,
                                           const elements::MechanismOptions& options)
    : mechanism_(name, options), options_(options) {
  for (const auto& [body, entry] : file.names_in("bodies").items()) {
    add_body(body, entry, file.place("bodies") / body);
  }
  for (const auto& [joint, entry] : file.names_in("joints").items()) {
    add_joint(joint, entry, file.place("joints") / joint);
  }
  for (const auto& [frame, entry] : file.names_in("frames").items()) {
    add_frame(frame, entry, file.place("frames") / frame);
  }
}

void MechanismDescription::add_body(const std::string& name, const Json& entry,
                                    const JsonPlace& place) {
  const std::string shape =
      entry.is_object() && entry.contains("shape") ? kind_of(entry, "shape") : "inertia";
  const auto known = std::ranges::find_if(kShapes, name_is(shape));
  if (known == kShapes.end()) {
    std::vector<std::string> names;
    for (const auto& one : kShapes) names.push_back(one.first);
    (place / "shape").refuse(dae::unknown_name_message("shape", shape, names));
  }
  const JsonFields fields(entry, place, with({"shape", "mass", "omega", "u"}, known->second));
  velocities_.insert_or_assign(
      name, Velocity{fields.array_or<3>("omega", {0, 0, 0}), fields.array_or<3>("u", {0, 0, 0}),
                     fields.has("omega") || fields.has("u"), place});
  const double mass = fields.number_or("mass", 0), density = fields.number_or("density", 0);
  if (shape == "rod") {
    const elements::Cylinder rod{
        .radius = fields.number("radius"), .density = density, .mass = mass};
    const Triple from = fields.array<3>("from"), to = fields.array<3>("to");
    return with_place(place, [&] { mechanism_.add_rod(name, from, to, rod); });
  }
  elements::Solid solid;
  if (shape == "cylinder") {
    solid = elements::Cylinder{fields.number("radius"), fields.number("length"), density, mass};
  } else if (shape == "box") {
    solid = elements::Box{fields.array<3>("edges"), density, mass};
  } else if (shape == "sphere") {
    solid = elements::Sphere{fields.number("radius"), density, mass};
  } else {
    solid = elements::GivenInertia{fields.array<3>("inertia"), mass};
  }
  const dae::BodyFrame at = frame_in(fields);
  with_place(place, [&] { mechanism_.add_body(name, solid, at); });
}

void MechanismDescription::add_joint(const std::string& name, const Json& entry,
                                     const JsonPlace& place) {
  const std::string type = kind_of(entry, "type");
  const auto known = std::ranges::find(kJoints, type, &JointKind::name);
  if (known == kJoints.end()) {
    const JsonFields fields(entry, place, with({"type", "between"}, {"point", "axis"}));
    fields.text("type");
    fields.refuse("type", dae::unknown_name_message("type of joint", type, dae::names_of(kJoints)));
  }
  const JsonFields fields(entry, place, with({"type", "between"}, known->keys));
  const std::vector<std::string> between = fields.texts("between");
  if (between.size() != 2) {
    fields.refuse("between", "the names of two bodies belong here, or of one and \"ground\"");
  }
  const std::string &a = between[0], &b = between[1];
  const auto point = [&] { return fields.array_or<3>("point", {0, 0, 0}); };
  using elements::JointType;
  if (known->type == JointType::kFixed) {
    with_place(place, [&] { mechanism_.add_fixed(name, a, b); });
  } else if (known->type == JointType::kSpherical) {
    const Triple at = point();
    with_place(place, [&] { mechanism_.add_spherical(name, a, b, at); });
  } else if (known->type == JointType::kUniversal) {
    const elements::UniversalPlace at{point(), fields.array<3>("axis_in_a"),
                                      fields.array<3>("axis_in_b")};
    with_place(place, [&] { mechanism_.add_universal(name, a, b, at); });
  } else {
    const elements::JointPlace at{point(), fields.array<3>("axis")};
    with_place(place, [&] {
      if (known->type == JointType::kRevolute) mechanism_.add_revolute(name, a, b, at);
      if (known->type == JointType::kPrismatic) mechanism_.add_prismatic(name, a, b, at);
      if (known->type == JointType::kCylindrical) mechanism_.add_cylindrical(name, a, b, at);
    });
  }
  const std::vector<std::string> coordinates = elements::joint_coordinates(known->type);
  for (const std::string& coordinate : coordinates) {
    const std::string full = name + "." + coordinate;
    coordinates_[full] = full;
    if (coordinates.size() == 1) coordinates_[name] = full;
  }
}

void MechanismDescription::add_frame(const std::string& name, const Json& entry,
                                     const JsonPlace& place) {
  const JsonFields fields(entry, place, {"on", "at", "orientation", "axis"});
  const std::string body = fields.text("on");
  const dae::BodyFrame at = frame_in(fields);
  with_place(place, [&] { mechanism_.add_frame(name, body, at); });
}

std::vector<std::string> MechanismDescription::coordinates() const {
  std::vector<std::string> names;
  for (const auto& [name, full] : coordinates_) names.push_back(name);
  return names;
}

std::string MechanismDescription::add_coordinate_node(const std::string& name,
                                                      const JsonPlace& place) {
  return with_place(place, [&] { return mechanism_.add_coordinate(name); });
}

void MechanismDescription::set_initial(const std::string& coordinate, const Json& value,
                                       const JsonPlace& place) {
  const bool is_pair =
      value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number();
  if (!is_pair && !value.is_number()) {
    place.refuse("the value of a coordinate belongs here, or [value, rate]");
  }
  const double first = is_pair ? value[0].get<double>() : value.get<double>();
  const double rate = is_pair ? value[1].get<double>() : 0;
  with_place(place, [&] { mechanism_.set_initial(coordinate, first, rate); });
}

/// Velocities are those of the file unless a joint says how the body moves.
void MechanismDescription::set_velocity(dae::System& system, const std::string& body,
                                        const Velocity& velocity) const {
  const int node = system.node_index(body);
  const lie::GroupList& space = system.configuration_space();
  const std::vector<double> q = system.initial_configuration();
  lie::Vec<double, 4> quaternion;
  for (int i = 0; i < 4; ++i) {
    quaternion(i) = q[static_cast<std::size_t>(space.coeff_offset(node) + i)];
  }
  lie::Vec<double, 3> u(velocity.u[0], velocity.u[1], velocity.u[2]);
  if (options_.group.kind == lie::GroupKind::kSE3) {
    u = lie::SO3<double>::from_coeffs(quaternion).inverse().transform_vector(u);
  }
  const std::vector<double> v = {
      velocity.omega[0], velocity.omega[1], velocity.omega[2], u(0), u(1), u(2)};
  system.set_initial_velocity(body, v);
  const std::vector<double> starts = system.initial_velocity();
  if (!std::equal(v.begin(), v.end(), starts.begin() + space.dof_offset(node))) {
    velocity.place.refuse("the velocity of '" + body +
                          "' follows from the joint it hangs on; give the rate of that joint in " +
                          "\"initial\", as [value, rate]");
  }
}

dae::System MechanismDescription::make_system(const JsonPlace& place) const {
  dae::System system = with_place(place, [&] { return mechanism_.make_system(); });
  for (const auto& [body, velocity] : velocities_) {
    if (velocity.is_given) set_velocity(system, body, velocity);
  }
  return system;
}

}  // namespace liegrad::models
