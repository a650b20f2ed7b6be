#pragma once

// A body with all that equations may have and the models have not: a constraint that depends on time, forces that are not
// linear in multipliers, first-order and algebraic states, a control.

#include <cmath>

#include <Eigen/Geometry>

#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/system.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"

namespace liegrad::testing {

/// A point of a body moves along a given path: a constraint that depends on time.
struct GuidedPoint {
  dae::ElementShape shape() const {
    return {.type = "guided_point",
            .nodes = {{dae::NodeRole::kRigidBody}},
            .parameters = {{"X1", 0.3}, {"X2", -0.2}, {"X3", 0.5}, {"amplitude", 0.4}, {"rate", 3}},
            .constraints = 3};
  }
  template <class S>
  lie::Vec<S, 3> constraint(const dae::Position<S>& at) const {
    using std::cos, std::sin;
    const lie::Frame<S> frame = at.frame(0);
    const S phase = at.parameter(4) * at.time();
    const lie::Vec<S, 3> path(at.parameter(3) * sin(phase), at.parameter(3) * (cos(phase) - S(1)),
                              S(0));
    return frame.position + frame.rotation * at.parameter3(0) - path;
  }
};

/// Forces that depend on everything that they may depend on: a first-order state ċ = x_1 - c/τ, an algebraic
/// state s + s³ = x_2 + c, multipliers of the guide, a control and time.
struct BusyForce {
  dae::ElementShape shape() const {
    return {.type = "busy_force",
            .nodes = {{dae::NodeRole::kRigidBody}, {dae::NodeRole::kCoordinates, 1}},
            .parameters = {{"tau", 0.5}, {"stiffness", 20}, {"friction", 0.05}},
            .controls = {"torque"},
            .algebraic = 1,
            .multipliers_read = 3,
            .outputs = {{"effort", 1, "of the control"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using std::sin;
    const S c = at.velocity_coordinates(1)(0), &s = at.algebraic(0);
    balance.row(1, 0) +=
        at.acceleration_coordinates(1)(0) + c / at.parameter(0) - at.frame(0).position(0);
    // In the coordinates of the node, so that these are other forces for each group.
    balance.row(0, 1) -= at.control(0) * sin(at.time() + S(0.3));
    const S& pressed = at.multiplier(2);
    balance.row(0, 0) +=
        at.parameter(2) * pressed * (S(1) + S(0.1) * pressed) * at.velocity_coordinates(0)(0);
    balance.row(0, 5) += at.parameter(1) * s;
  }
  template <class S>
  lie::Vec<S, 1> algebraic(const dae::Motion<S>& at) const {
    const S& s = at.algebraic(0);
    const lie::Vec<S, 3> x = at.frame(0).position;
    return lie::Vec<S, 1>(S(s + s * s * s - x(1) - at.velocity_coordinates(1)(0)));
  }
  template <class S>
  lie::Vec<S, 1> outputs(const dae::Motion<S>& at) const {
    return lie::Vec<S, 1>(S(at.control(0) * at.velocity_coordinates(0)(1)));
  }
};

inline dae::System workshop(const lie::NodeGroup& group) {
  dae::System system("workshop");
  system.add_node("body", group);
  system.add_first_order_state("lag", 1);
  system.add("body", elements::RigidBody{}, {"body"},
             {.values = {{"m", 2}, {"J1", 0.3}, {"J2", 0.5}, {"J3", 0.4}, {"gravity3", -9.81}}});
  system.add("guide", GuidedPoint{}, {"body"});
  system.add("force", BusyForce{}, {"body", "lag"}, {.reads_multipliers_of = {"guide"}});
  // The point is at the beginning of its path, and has the velocity that the path has there.
  const Eigen::Vector3d point(0.3, -0.2, 0.5), omega(1, 2, -1.5), path(0.4 * 3, 0, 0);
  const Eigen::Vector3d u = path - omega.cross(point);
  system.set_initial_configuration("body", {1, 0, 0, 0, -point(0), -point(1), -point(2)});
  system.set_initial_velocity("body", {omega(0), omega(1), omega(2), u(0), u(1), u(2)});
  system.set_initial_velocity("lag", {0.7});
  return system;
}

}  // namespace liegrad::testing
