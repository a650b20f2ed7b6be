#pragma once

#include "liegrad/elements/attached_frame.hpp"
#include "liegrad/elements/joints/joint_drawing.hpp"

namespace liegrad::elements {

/// Two points coincide: Φ = x_a - x_b = 0, in the inertial frame. The multiplier is the force on b, and
/// with the other sign on a.
struct SphericalJoint {
  dae::ElementShape shape() const {
    return {.type = "spherical_joint",
            .nodes = {{dae::NodeRole::kPoint, 0, "a"}, {dae::NodeRole::kPoint, 0, "b"}},
            .parameters = joined(point_parameters("a"), point_parameters("b")),
            .constraints = 3};
  }
  template <class S>
  lie::Vec<S, 3> constraint(const dae::Position<S>& at) const {
    return attached_point(at, 0, 0) - attached_point(at, 1, kPointParameters);
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return joint_drawing(at, dae::Drawing::JointKind::kSpherical, at.parameter3("a.X"),
                         at.parameter3("b.X"), lie::Vec<double, 3>::UnitZ(), "lambda");
  }
};

}  // namespace liegrad::elements

// Compiled in joints.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::SphericalJoint>
    : liegrad::dae::CompiledElement<liegrad::elements::SphericalJoint> {};
