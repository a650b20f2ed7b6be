#include "liegrad/models/file/beam_description.hpp"

#include <cmath>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/elements/beams/straight_beam.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/fixed_joint.hpp"
#include "liegrad/models/file/mechanism_description.hpp"

namespace liegrad::models {
namespace {

using V3 = lie::Vec<double, 3>;
using Pose = lie::SE3<double>;

V3 vector_of(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }

Pose pose_of(const dae::BodyFrame& frame) {
  const auto& e = frame.orientation;
  const lie::Vec<double, 4> quaternion(e[0], e[1], e[2], e[3]);
  return Pose(lie::SO3<double>::from_coeffs(quaternion.normalized()), vector_of(frame.position));
}

/// The first section: x along the beam, y as given; unless it is, horizontal.
Pose first_section(const JsonFields& fields, const V3& along) {
  const V3 up = std::hypot(along(0), along(1)) > 1e-9 * along.norm() ? V3(0, 0, 1) : V3(1, 0, 0);
  const V3 y = fields.has("y") ? vector_of(fields.array<3>("y")) : V3(up.cross(along));
  const V3 z = along.cross(y);
  if (!(z.norm() > 1e-9 * along.norm() * y.norm())) {
    fields.refuse("y", "it is along the beam or zero; give a direction across it");
  }
  return pose_of(elements::frame_with_axes(fields.array<3>("from"), {along(0), along(1), along(2)},
                                           {z(0), z(1), z(2)}));
}

/// All parameters of the elements but `parts`, as those of the beam; gravity is that of the system.
std::map<std::string, std::string> shared_parameters(const std::string& name,
                                                     const JsonFields& fields,
                                                     const dae::ElementShape& shape, double length,
                                                     dae::System& system) {
  std::map<std::string, std::string> bind;
  std::vector<std::string> known;
  for (const dae::ParameterSpec& parameter : shape.parameters) {
    if (parameter.name != "parts") known.push_back(parameter.name);
  }
  const JsonPlace place = fields.place("values");
  const JsonFields values(fields.names_in("values"), place, known);
  for (dae::ParameterSpec parameter : shape.parameters) {
    const std::string own = parameter.name;
    if (own == "parts") continue;
    bind[own] = own.starts_with("gravity") && own.size() == 8 ? own : name + "." + own;
    if (values.has(own) && values.at(own).is_string()) {
      bind[own] = values.text(own);
    } else if (values.has(own) || bind[own] != own) {
      parameter.name = bind[own] = name + "." + own;
      parameter.value = values.number_or(own, own == "L" ? length : parameter.value);
      with_place(place, [&] { system.add_parameter(parameter); });
    }
  }
  return bind;
}

/// Joins an end with a body or the ground, as it is drawn.
void add_clamp(const std::string& name, const JsonFields& fields, const std::string& key,
               const std::string& node, const Pose& section, dae::System& system) {
  if (!fields.has(key)) return;
  const std::string body = fields.text(key);
  Pose in_body = section;
  with_place(fields.place(key), [&] {
    if (body != "ground") {
      const auto offset = system.configuration_space().coeff_offset(system.node_index(body));
      const std::vector<double> q = system.initial_configuration();
      lie::Vec<double, 7> coeffs;
      for (int i = 0; i < 7; ++i) coeffs(i) = q[static_cast<std::size_t>(offset + i)];
      in_body = Pose::from_coeffs(coeffs).inverse() * section;
    }
    const auto c = in_body.coeffs();
    system.add_frame(name + ".a", body, {{c(4), c(5), c(6)}, {c(0), c(1), c(2), c(3)}});
    system.add(name, elements::FixedJoint{}, {name + ".a", node});
  });
}

}  // namespace

void add_beam(const std::string& name, const JsonFields::Json& entry, const JsonPlace& place,
              const lie::NodeGroup& group, dae::System& system) {
  const JsonFields fields(entry, place,
                          {"from", "to", "y", "elements", "interpolation", "damped", "values",
                           "clamp_from", "clamp_to"});
  const V3 along = vector_of(fields.array<3>("to")) - vector_of(fields.array<3>("from"));
  if (!(along.norm() > 0)) fields.refuse("to", "the beam ends where it begins");
  constexpr int kDefault = 8, kMost = 100000;
  elements::StraightBeam row{.name = name,
                             .elements = fields.integer_or("elements", kDefault, 1, kMost),
                             .from = {elements::beam_node_name(name, 0)},
                             .to = {},
                             .group = group,
                             .start = first_section(fields, along),
                             .length = along.norm()};
  row.to = {elements::beam_node_name(name, row.elements)};
  const Pose end = row.start * Pose(lie::SO3<double>::identity(), {row.length, 0, 0});
  const auto add_end = [&](const std::string& node, const Pose& pose) {
    const auto c = pose.coeffs();
    system.add_node(node, group);
    system.set_initial_configuration(node, {c.begin(), c.end()});
  };
  with_place(place, [&] {
    add_end(row.from.name, row.start);
    add_beam_nodes(system, row);
    add_end(row.to.name, end);
  });
  // Straight lines and turns belong to SO(3)×R³, helices to SE(3).
  const bool is_helical = group.kind == lie::GroupKind::kSE3;
  const std::vector<std::string> names = {is_helical ? "helicoidal" : "linear",
                                          is_helical ? "linear" : "helicoidal"};
  const bool damped = fields.flag_or("damped", false);
  const auto add_row = [&](const auto& element) {
    row.bind = shared_parameters(name, fields, element.shape(), row.length, system);
    with_place(place, [&] { add_straight_beam(system, row, element); });
  };
  using elements::SectionFrames;
  if (fields.choice_or_first("interpolation", names) == "linear") {
    add_row(elements::Beam<elements::LinearInterpolation>{SectionFrames::kNodes, damped});
  } else {
    add_row(elements::Beam<>{SectionFrames::kNodes, damped});
  }
  add_clamp(name + ".from", fields, "clamp_from", row.from.name, row.start, system);
  add_clamp(name + ".to", fields, "clamp_to", row.to.name, end, system);
}

}  // namespace liegrad::models
