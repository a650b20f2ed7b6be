#pragma once

#include "liegrad/dae/system/element_interface.hpp"

namespace liegrad::elements {

/// A body-fixed point, at -X from the centre of mass, held at the origin: Φ = X - Rᵀx = 0,
/// [ArnoldCardonaBruels2015, Eq. (64)]. The multiplier is a force in the body frame.
struct FixedPoint {
  dae::ElementShape shape() const {
    return {.type = "fixed_point",
            .nodes = {{dae::NodeRole::kRigidBody}},
            .parameters = {{"X1", 0, "m", "centre of mass from the fixed point, in the body"},
                           {"X2", 1, "m", "second component"},
                           {"X3", 0, "m", "third component"}},
            .constraints = 3};
  }

  template <class S>
  lie::Vec<S, 3> constraint(const dae::Position<S>& at) const {
    const lie::Frame<S> frame = at.frame(0);
    return at.parameter3("X") - frame.in_body(frame.position);
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    const dae::Drawing::Point fixed = {0, -at.parameter3("X")};
    return {.rods = {{0, lie::Vec<double, 3>::Zero(), fixed.in_body}},
            .joints = {{dae::Drawing::JointKind::kSpherical, fixed}},
            .supports = {{dae::Drawing::kWorld}},
            .forces = {{"lambda", fixed, true}}};
  }
};

}  // namespace liegrad::elements

// Compiled in joints.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::FixedPoint>
    : liegrad::dae::CompiledElement<liegrad::elements::FixedPoint> {};
