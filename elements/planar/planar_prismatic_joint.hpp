#pragma once

#include "liegrad/elements/joints/joint_drawing.hpp"
#include "liegrad/elements/planar/planar_point_on_line.hpp"

namespace liegrad::elements {

/// The sine of the angle from the frame b to the frame a: -y_a·d_b for the unit vector d_b along the x axis
/// of b.
template <class S>
S sine_between(const lie::PlanarFrame<S>& a, const lie::PlanarFrame<S>& b) {
  return a.sine * b.cosine - a.cosine * b.sine;
}

/// The frame b slides along the x axis of the frame a without turning: its origin stays on that axis,
/// Φ_1 = y_a·(x_a - x_b) = 0, and its own x axis, the unit vector d_b, points the same way,
/// Φ_2 = -y_a·d_b = 0. The multipliers are the force on b along y_a, at the origin of b, and the torque
/// on b; with the other sign they act on a, the force at the same place.
struct PlanarPrismaticJoint {
  dae::ElementShape shape() const {
    return {.type = "planar_prismatic_joint",
            .nodes = {{dae::NodeRole::kPlanarFrame, 0, "a"}, {dae::NodeRole::kPlanarFrame, 0, "b"}},
            .parameters = joined(planar_frame_parameters("a"), planar_frame_parameters("b")),
            .constraints = 2};
  }
  template <class S>
  lie::Vec<S, 2> constraint(const dae::Position<S>& at) const {
    const lie::PlanarFrame<S> a = attached_planar_frame(at, 0, 0);
    const lie::PlanarFrame<S> b = attached_planar_frame(at, 1, kPlanarFrameParameters);
    return {right_of_axis<S>(a, b.position), sine_between<S>(a, b)};
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return parallel_frames_validation_message(at);
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    const int b = kPlanarFrameParameters;
    const lie::Vec<double, 3> axis(at.parameter(b + 2), at.parameter(b + 3), 0);
    return {.joints = {{dae::Drawing::JointKind::kPrismatic,
                        {1, in_space(point_in_planar_body<double>(at, b))},
                        axis}}};
  }
};

}  // namespace liegrad::elements

// Compiled in planar.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlanarPrismaticJoint>
    : liegrad::dae::CompiledElement<liegrad::elements::PlanarPrismaticJoint> {};
