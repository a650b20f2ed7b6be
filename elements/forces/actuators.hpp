#pragma once

// Loads whose components are controls of the system.

#include "liegrad/elements/attached_frame.hpp"
#include "liegrad/elements/forces/load_axes.hpp"

namespace liegrad::elements {

/// A force at a point of a body.
struct ActuatorForce {
  LoadAxes axes = LoadAxes::kInertial;
  bool operator==(const ActuatorForce&) const = default;

  dae::ElementShape shape() const {
    return {.type = "actuator_force",
            .nodes = {{dae::NodeRole::kPoint, 0, "a"}},
            .parameters = point_parameters("a"),
            .controls = {"f1", "f2", "f3"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const lie::Vec<S, 3> force(at.control(0), at.control(1), at.control(2));
    balance.apply_force_at(0, at.parameter3("a.X"), load_in_inertial<S>(at, axes, force));
  }
};

/// A torque on a body.
struct ActuatorTorque {
  LoadAxes axes = LoadAxes::kInertial;
  bool operator==(const ActuatorTorque&) const = default;

  dae::ElementShape shape() const {
    return {.type = "actuator_torque",
            .nodes = {{dae::NodeRole::kFrame, 0, "a"}},
            .controls = {"m1", "m2", "m3"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const lie::Vec<S, 3> torque(at.control(0), at.control(1), at.control(2));
    balance.apply_torque(0, load_in_body<S>(at, axes, torque));
  }
};

/// A force on a coordinate: of a joint's angle the torque on frame b, with its reaction on frame a; of a
/// displacement the force along the axis.
struct CoordinateActuator {
  dae::ElementShape shape() const {
    return {.type = "coordinate_actuator",
            .nodes = {{dae::NodeRole::kCoordinates, 1}},
            .controls = {"f"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) -= at.control(0);
  }
};

}  // namespace liegrad::elements

// Compiled in forces.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::ActuatorForce>
    : liegrad::dae::CompiledElement<liegrad::elements::ActuatorForce> {};
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::ActuatorTorque>
    : liegrad::dae::CompiledElement<liegrad::elements::ActuatorTorque> {};
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::CoordinateActuator>
    : liegrad::dae::CompiledElement<liegrad::elements::CoordinateActuator> {};
