#pragma once

#include "liegrad/dae/system/element_interface.hpp"

namespace liegrad::elements {

/// A constant torque on b, positive from x to y, and its reaction on a.
struct PlanarTorque {
  dae::ElementShape shape() const {
    return {.type = "planar_torque",
            .nodes = {{dae::NodeRole::kPlanarFrame}, {dae::NodeRole::kPlanarFrame}},
            .parameters = {{"T", 0, "N m", "torque on the second body"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.apply_planar_torque(0, -at.parameter(0));
    balance.apply_planar_torque(1, at.parameter(0));
  }
};

/// The same with a torque that is a control.
struct PlanarMotor {
  dae::ElementShape shape() const {
    return {.type = "planar_motor",
            .nodes = {{dae::NodeRole::kPlanarFrame}, {dae::NodeRole::kPlanarFrame}},
            .controls = {"torque"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.apply_planar_torque(0, -at.control(0));
    balance.apply_planar_torque(1, at.control(0));
  }
};

}  // namespace liegrad::elements

// Compiled in planar.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlanarTorque>
    : liegrad::dae::CompiledElement<liegrad::elements::PlanarTorque> {};
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlanarMotor>
    : liegrad::dae::CompiledElement<liegrad::elements::PlanarMotor> {};
