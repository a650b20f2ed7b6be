#pragma once

#include "liegrad/elements/joints/reaction.hpp"

namespace liegrad::elements {

/// A coordinate s in R¹ is the displacement of the origin of frame b along the z axis of frame a:
///
///     Φ = z_a·(x_b - x_a) - s.
///
/// The multiplier is the force on the coordinate; b feels its opposite along z_a, and a the force itself,
/// acting at the origin of frame b. The coordinate has no mass.
struct JointDisplacement {
  dae::ElementShape shape() const {
    return {.type = "joint_displacement",
            .nodes = {{dae::NodeRole::kFrame, 0, "a"},
                      {dae::NodeRole::kPoint, 0, "b"},
                      {dae::NodeRole::kCoordinates, 1}},
            .parameters = joined(frame_parameters("a"), point_parameters("b")),
            .constraints = 1};
  }
  template <class S>
  lie::Vec<S, 1> constraint(const dae::Position<S>& at) const {
    const lie::Frame<S> a = attached_frame(at, 0, 0);
    const lie::Vec<S, 3> distance = attached_point(at, 1, kFrameParameters) - a.position;
    return lie::Vec<S, 1>(lie::rotation::dot<S>(a.rotation.col(2), distance) -
                          S(at.coordinates(2)(0)));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return frame_validation_message(at, "a", 0);
  }
};

}  // namespace liegrad::elements

// Compiled in coordinates.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::JointDisplacement>
    : liegrad::dae::CompiledElement<liegrad::elements::JointDisplacement> {};
