#pragma once

#include "liegrad/elements/joints/joint_drawing.hpp"
#include "liegrad/elements/planar/attached_planar_frame.hpp"

namespace liegrad::elements {

/// Two points of the plane coincide: Φ = x_a - x_b = 0, in the inertial frame. The multiplier is the force
/// on b, and with the other sign on a.
struct PlanarRevoluteJoint {
  dae::ElementShape shape() const {
    return {.type = "planar_revolute_joint",
            .nodes = {{dae::NodeRole::kPlanarPoint, 0, "a"}, {dae::NodeRole::kPlanarPoint, 0, "b"}},
            .parameters = joined(planar_point_parameters("a"), planar_point_parameters("b")),
            .constraints = 2};
  }
  template <class S>
  lie::Vec<S, 2> constraint(const dae::Position<S>& at) const {
    return attached_planar_point(at, 0, 0) - attached_planar_point(at, 1, kPlanarPointParameters);
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return hinge_drawing(at, point_in_planar_body<double>(at, 0),
                         point_in_planar_body<double>(at, kPlanarPointParameters));
  }
};

}  // namespace liegrad::elements

// Compiled in planar.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlanarRevoluteJoint>
    : liegrad::dae::CompiledElement<liegrad::elements::PlanarRevoluteJoint> {};
