#include "liegrad/elements/mechanism/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/elements/coordinates/joint_angle.hpp"
#include "liegrad/elements/coordinates/joint_displacement.hpp"
#include "liegrad/elements/frame_along.hpp"
#include "liegrad/elements/joints/cylindrical_joint.hpp"
#include "liegrad/elements/joints/fixed_joint.hpp"
#include "liegrad/elements/joints/prismatic_joint.hpp"
#include "liegrad/elements/joints/revolute_joint.hpp"
#include "liegrad/elements/joints/spherical_joint.hpp"
#include "liegrad/elements/joints/universal_joint.hpp"

namespace liegrad::elements {
namespace {

using Pose = lie::SE3<double>;
using V3 = lie::Vec<double, 3>;
using Triple = std::array<double, 3>;

const char* const kGround = "ground";

V3 vector_of(const Triple& x) { return {x[0], x[1], x[2]}; }
Triple triple_of(const V3& x) { return {x(0), x(1), x(2)}; }

Pose pose_of(const dae::BodyFrame& frame) {
  const auto& e = frame.orientation;
  const lie::Vec<double, 4> quaternion(e[0], e[1], e[2], e[3]);
  return Pose(lie::SO3<double>::from_coeffs(quaternion.normalized()), vector_of(frame.position));
}
dae::BodyFrame frame_of(const Pose& pose) {
  const auto c = pose.coeffs();
  return {.position = {c(4), c(5), c(6)}, .orientation = {c(0), c(1), c(2), c(3)}};
}

/// `user` as in "body 'upper'".
void check_frame(const std::string& user, const dae::BodyFrame& frame) {
  const auto& x = frame.position;
  const auto& e = frame.orientation;
  const double length = std::hypot(std::hypot(e[0], e[1]), std::hypot(e[2], e[3]));
  if (!std::isfinite(x[0] + x[1] + x[2])) {
    throw InvalidArgument(user + " is at " + detail::vector_text(x) + "; give finite numbers");
  }
  if (!std::isfinite(length) || length == 0) {
    throw InvalidArgument(user + " has an orientation of length " + dae::number_text(length) +
                          "; give a quaternion w, x, y, z");
  }
}
V3 checked_axis(const std::string& joint, const Triple& axis) {
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  if (!std::isfinite(length) || length == 0) {
    throw InvalidArgument("joint '" + joint + "' has the axis " + detail::vector_text(axis) +
                          "; give a direction of finite length other than zero");
  }
  return vector_of(axis) / length;
}

}  // namespace

Mechanism::Mechanism(const std::string& name, const MechanismOptions& options)
    : options_(options), system_(name) {
  if (options.group.kind != lie::GroupKind::kSO3xR3 && options.group.kind != lie::GroupKind::kSE3) {
    throw InvalidArgument("mechanism '" + name + "' has bodies on a group of another kind; take " +
                          "SO(3)xR^3 or SE(3)");
  }
  const char* const along[] = {"gravity along x", "gravity along y", "gravity along z"};
  for (std::size_t i = 0; i < 3; ++i) {
    system_.add_parameter(
        {"gravity" + std::to_string(i + 1), options.gravity[i], "m/s^2", along[i]});
  }
}

void Mechanism::check_new(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    if (name.empty()) {
      throw InvalidArgument("something in mechanism '" + system_.name() +
                            "' has an empty name; give it one");
    }
    if (name == kGround || names_.contains(name)) {
      throw InvalidArgument("mechanism '" + system_.name() + "' has '" + name +
                            "' already; names must differ");
    }
  }
}

// ---------------------------------------------------------------- bodies

void Mechanism::add_body_to(dae::System& system, const Body& body) const {
  const SolidInertia inertia = inertia_of(body.name, body.solid);
  system.add_node(body.name, options_.group);
  const auto c = pose_of(body.at).coeffs();
  system.set_initial_configuration(body.name, {c.begin(), c.end()});
  system.add(
      body.name, SolidBody::of(body.solid), {body.name},
      {.values = {{"m", inertia.mass},
                  {"J1", inertia.principal[0]},
                  {"J2", inertia.principal[1]},
                  {"J3", inertia.principal[2]}},
       .bind = {{"gravity1", "gravity1"}, {"gravity2", "gravity2"}, {"gravity3", "gravity3"}}});
}

void Mechanism::add_body(const std::string& name, const Solid& solid, const dae::BodyFrame& at) {
  check_new({name});
  check_frame("body '" + name + "'", at);
  const Body body{name, solid, at};
  add_body_to(system_, body);
  bodies_.push_back(body);
  names_.insert(name);
}

void Mechanism::add_rod(const std::string& name, const Triple& from, const Triple& to,
                        const Cylinder& rod) {
  const V3 along = vector_of(to) - vector_of(from);
  Cylinder solid = rod;
  solid.length = along.norm();
  if (!std::isfinite(solid.length) || solid.length == 0) {
    throw InvalidArgument("rod '" + name + "' goes from " + detail::vector_text(from) + " to " +
                          detail::vector_text(to) + "; give two different points");
  }
  if (rod.length != 0) {
    throw InvalidArgument("rod '" + name + "' has the length " + dae::number_text(rod.length) +
                          "; leave it out, as it is the distance of its ends");
  }
  const V3 middle = (vector_of(from) + vector_of(to)) / 2;
  add_body(name, solid, frame_along(triple_of(middle), triple_of(along)));
}

const Mechanism::Body& Mechanism::body(const std::string& user, const std::string& name) const {
  const auto found = std::ranges::find(bodies_, name, &Body::name);
  if (found != bodies_.end()) return *found;
  std::vector<std::string> known = dae::names_of(bodies_);
  known.push_back(kGround);
  throw InvalidArgument(user + ": " + dae::unknown_name_message("body", name, known));
}

dae::BodyFrame Mechanism::in_body(const std::string& user, const std::string& name,
                                  const dae::BodyFrame& in_world) const {
  if (name == kGround) return in_world;
  return frame_of(pose_of(body(user, name).at).inverse() * pose_of(in_world));
}

void Mechanism::add_frame(const std::string& name, const std::string& body,
                          const dae::BodyFrame& in_world) {
  const std::string user = "frame '" + name + "'";
  check_new({name});
  check_frame(user, in_world);
  system_.add_frame(name, body, in_body(user, body, in_world));
  names_.insert(name);
}

// ---------------------------------------------------------------- joints

void Mechanism::add_joint_to(dae::System& system, const Joint& joint) const {
  const std::string user = "joint '" + joint.name + "'";
  const std::vector<std::string> frames = {joint.name + ".a", joint.name + ".b"};
  system.add_frame(frames[0], joint.a, in_body(user, joint.a, joint.at));
  system.add_frame(frames[1], joint.b, in_body(user, joint.b, joint.at));
  switch (joint.type) {
    case JointType::kFixed: system.add(joint.name, FixedJoint{}, frames); break;
    case JointType::kRevolute: system.add(joint.name, RevoluteJoint{}, frames); break;
    case JointType::kPrismatic: system.add(joint.name, PrismaticJoint{}, frames); break;
    case JointType::kCylindrical: system.add(joint.name, CylindricalJoint{}, frames); break;
    case JointType::kUniversal: system.add(joint.name, UniversalJoint{}, frames); break;
    case JointType::kSpherical: system.add(joint.name, SphericalJoint{}, frames); break;
  }
}

void Mechanism::add_joint(JointType type, const std::string& name, const std::string& a,
                          const std::string& b, const dae::BodyFrame& at) {
  if (a == b) {
    throw InvalidArgument("joint '" + name + "' connects '" + a +
                          "' with itself; give two bodies, or a body and 'ground'");
  }
  const std::string user = "joint '" + name + "'";
  check_new({name, name + ".a", name + ".b"});
  check_frame(user, at);
  for (const std::string& end : {a, b}) {
    if (end != kGround) body(user, end);
  }
  Joint joint{.name = name, .a = a, .b = b, .type = type, .at = at};
  for (const std::string& coordinate : joint_coordinates(type)) {
    joint.coordinates.push_back({.name = name + "." + coordinate});
  }
  add_joint_to(system_, joint);
  joints_.push_back(joint);
  names_.insert({name, name + ".a", name + ".b"});
}

void Mechanism::add_revolute(const std::string& name, const std::string& a, const std::string& b,
                             const JointPlace& at) {
  add_joint(JointType::kRevolute, name, a, b,
            frame_along(at.point, triple_of(checked_axis(name, at.axis))));
}
void Mechanism::add_prismatic(const std::string& name, const std::string& a, const std::string& b,
                              const JointPlace& at) {
  add_joint(JointType::kPrismatic, name, a, b,
            frame_along(at.point, triple_of(checked_axis(name, at.axis))));
}
void Mechanism::add_cylindrical(const std::string& name, const std::string& a, const std::string& b,
                                const JointPlace& at) {
  add_joint(JointType::kCylindrical, name, a, b,
            frame_along(at.point, triple_of(checked_axis(name, at.axis))));
}
void Mechanism::add_universal(const std::string& name, const std::string& a, const std::string& b,
                              const UniversalPlace& at) {
  constexpr double kRightAngle = 1e-6;
  const V3 in_a = checked_axis(name, at.axis_in_a), in_b = checked_axis(name, at.axis_in_b);
  const double cosine = in_a.dot(in_b);
  if (std::abs(cosine) > kRightAngle) {
    throw InvalidArgument("joint '" + name + "' has axes at an angle of " +
                          dae::number_text(std::acos(std::clamp(cosine, -1.0, 1.0))) +
                          " rad; those of a universal joint are at a right angle");
  }
  // UniversalJoint has its arms along x of frame a and y of frame b.
  add_joint(JointType::kUniversal, name, a, b,
            frame_with_axes(at.point, triple_of(in_a), triple_of(in_a.cross(in_b))));
}
void Mechanism::add_spherical(const std::string& name, const std::string& a, const std::string& b,
                              const Triple& point) {
  add_joint(JointType::kSpherical, name, a, b, {.position = point});
}
void Mechanism::add_fixed(const std::string& name, const std::string& a, const std::string& b) {
  // Where b is drawn, or a.
  const std::string& at = b == kGround ? a : b;
  add_joint(JointType::kFixed, name, a, b,
            {.position = body("joint '" + name + "'", at).at.position});
}

// ---------------------------------------------------------------- coordinates

std::pair<Mechanism::Joint*, Mechanism::Coordinate*> Mechanism::find_coordinate(
    const std::string& name) {
  std::vector<std::string> known;
  for (Joint& joint : joints_) {
    for (Coordinate& coordinate : joint.coordinates) {
      const bool is_only_one = joint.coordinates.size() == 1;
      if (coordinate.name == name || (is_only_one && joint.name == name)) {
        return {&joint, &coordinate};
      }
      known.push_back(is_only_one ? joint.name : coordinate.name);
    }
    if (joint.name != name) continue;
    if (joint.coordinates.empty()) {
      throw InvalidArgument("joint '" + name + "' is fixed; it has no coordinate");
    }
    throw InvalidArgument("joint '" + name + "' has " + std::to_string(joint.coordinates.size()) +
                          " coordinates; name one of them, such as '" + joint.coordinates[0].name +
                          "'");
  }
  throw InvalidArgument(dae::unknown_name_message("joint coordinate", name, known));
}

void Mechanism::add_coordinate_to(dae::System& system, const Joint& joint, const Coordinate& of) {
  const std::vector<std::string> nodes = {joint.name + ".a", joint.name + ".b", of.name};
  system.add_node(of.name, lie::NodeGroup::rn(1));
  if (of.name.ends_with(".angle")) {
    system.add(of.name, JointAngle{}, nodes);
  } else {
    system.add(of.name, JointDisplacement{}, nodes);
  }
}

std::string Mechanism::add_coordinate(const std::string& name) {
  const auto [joint, coordinate] = find_coordinate(name);
  if (joint->type == JointType::kUniversal || joint->type == JointType::kSpherical) {
    throw InvalidArgument("'" + coordinate->name + "' cannot carry an element; only angles and " +
                          "displacements of revolute, prismatic and cylindrical joints can");
  }
  if (!coordinate->is_node) {
    check_new({coordinate->name});
    add_coordinate_to(system_, *joint, *coordinate);
    names_.insert(coordinate->name);
  }
  coordinate->is_node = true;
  return coordinate->name;
}

void Mechanism::set_initial(const std::string& coordinate, double value, double rate) {
  Coordinate& found = *find_coordinate(coordinate).second;
  if (!std::isfinite(value) || !std::isfinite(rate)) {
    throw InvalidArgument("'" + found.name + "' starts at " + dae::number_text(value) +
                          " with the rate " + dae::number_text(rate) + "; give finite numbers");
  }
  found.value = value;
  found.rate = rate;
  found.is_set = true;
}

}  // namespace liegrad::elements
