#pragma once

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "liegrad/dae/system/system.hpp"
// What joints mostly carry.
#include "liegrad/elements/forces/coordinate_friction.hpp"
#include "liegrad/elements/forces/coordinate_spring.hpp"
#include "liegrad/elements/mechanism/joint_motion.hpp"
#include "liegrad/elements/mechanism/solids.hpp"

namespace liegrad::elements {

struct MechanismOptions {
  /// Of all bodies; the parameters gravity1, gravity2, gravity3 of the system.
  std::array<double, 3> gravity = {0, 0, -9.81};
  /// Of the nodes of the bodies.
  lie::NodeGroup group = lie::NodeGroup::so3xr3();
};

/// A point of a joint and its axis, both in the world.
struct JointPlace {
  std::array<double, 3> point = {0, 0, 0};
  std::array<double, 3> axis = {0, 0, 1};
};
/// Of a universal joint: the arms of its cross, at a right angle, one fixed in body a and one in body b.
struct UniversalPlace {
  std::array<double, 3> point = {0, 0, 0};
  std::array<double, 3> axis_in_a = {1, 0, 0}, axis_in_b = {0, 1, 0};
};

/// Builds a System of rigid bodies on joints from a drawing: all positions and axes are given in the world, as the
/// mechanism is drawn. There all coordinates of joints are zero; set_initial() gives those at the start, and
/// make_system() moves the bodies there, along the tree of the joints, or with closed loops by projection.
///
/// A body is a node and an element of its name; a joint is an element of its name on the frames name.a and name.b.
/// Coordinates of joints are called name.angle and the like (joint_coordinates()); where a joint has one only, its name
/// will do. All functions throw InvalidArgument on bad input.
class Mechanism {
 public:
  explicit Mechanism(const std::string& name, const MechanismOptions& options = {});

  /// A body with its centre at a frame in the world, whose axes are those of the body.
  void add_body(const std::string& name, const Solid& solid, const dae::BodyFrame& at = {});
  /// A cylinder from one point of the world to another; its length is their distance.
  void add_rod(const std::string& name, const std::array<double, 3>& from,
               const std::array<double, 3>& to, const Cylinder& rod);
  /// A frame of a body, or of the ground, given in the world: for sensors, springs and loads.
  void add_frame(const std::string& name, const std::string& body, const dae::BodyFrame& in_world);

  // Joints between two bodies, or a body and "ground". Coordinates and reactions are those of b relative to a.

  void add_revolute(const std::string& name, const std::string& a, const std::string& b,
                    const JointPlace& at);
  void add_prismatic(const std::string& name, const std::string& a, const std::string& b,
                     const JointPlace& at);
  void add_cylindrical(const std::string& name, const std::string& a, const std::string& b,
                       const JointPlace& at);
  void add_universal(const std::string& name, const std::string& a, const std::string& b,
                     const UniversalPlace& at);
  void add_spherical(const std::string& name, const std::string& a, const std::string& b,
                     const std::array<double, 3>& point);
  void add_fixed(const std::string& name, const std::string& a, const std::string& b);

  /// An element on a coordinate of a joint: a spring, friction, a motor, a drive. The coordinate becomes a node of the
  /// system, with its own name, such as elbow.angle. Universal and spherical joints have no such nodes.
  template <dae::Element E>
  void add_on_joint(const std::string& name, const E& element, const std::string& coordinate,
                    const dae::ElementOptions& options = {}) {
    const std::string node = add_coordinate(coordinate);
    check_new({name});
    system_.add(name, element, {node}, options);
    names_.insert(name);
  }

  /// Makes a coordinate of a joint a node of the system, if it is none yet, and returns its name.
  std::string add_coordinate(const std::string& coordinate);

  /// The coordinate of a joint at the start, and its rate. All others are zero, or where closed loops take them.
  void set_initial(const std::string& coordinate, double value, double rate = 0);

  /// The system with its initial values; more can be added to it.
  ///
  /// Without closed loops initial values are functions of the parameters elbow.angle0, elbow.angle_rate0 and so on, and
  /// of the frames of the joints, so that one can fit them and differentiate by them. With closed loops they are
  /// constants: coordinates that were set have these values, and the bodies the least velocities, in kinetic energy,
  /// that the rates allow.
  dae::System make_system() const;

 private:
  struct Body {
    std::string name;
    Solid solid;
    dae::BodyFrame at;
  };
  struct Coordinate {
    std::string name;  ///< such as elbow.angle
    bool is_set = false, is_node = false;
    double value = 0, rate = 0;
  };
  struct Joint {
    std::string name, a, b;
    JointType type = JointType::kFixed;
    dae::BodyFrame at;
    std::vector<Coordinate> coordinates = {};
  };
  /// One of the joints that lead from the ground, or from a body that floats, to all others.
  struct Branch {
    const Joint* joint = nullptr;
    bool finds_a = false;
  };

  /// Refuses names that are used, whatever for, and empty ones.
  void check_new(const std::vector<std::string>& names) const;
  const Body& body(const std::string& user, const std::string& name) const;
  /// A frame of the world as one of a body, or of the ground.
  dae::BodyFrame in_body(const std::string& user, const std::string& body,
                         const dae::BodyFrame& in_world) const;
  void add_body_to(dae::System& system, const Body& body) const;
  void add_joint(JointType type, const std::string& name, const std::string& a,
                 const std::string& b, const dae::BodyFrame& at);
  void add_joint_to(dae::System& system, const Joint& joint) const;
  std::pair<Joint*, Coordinate*> find_coordinate(const std::string& name);
  static void add_coordinate_to(dae::System& system, const Joint& joint, const Coordinate& of);

  /// The branches in the order in which they can be followed; all joints, unless some close loops.
  std::vector<Branch> tree() const;
  void set_tree_motion(dae::System& system, const std::vector<Branch>& tree) const;
  void close_loops(dae::System& system) const;

  MechanismOptions options_;
  std::vector<Body> bodies_;
  std::vector<Joint> joints_;
  std::set<std::string> names_;  ///< of all that was added
  dae::System system_;
};

}  // namespace liegrad::elements
