#pragma once

#include "liegrad/elements/joints/across_axis.hpp"
#include "liegrad/elements/joints/aligned_axes.hpp"
#include "liegrad/elements/joints/joint_drawing.hpp"
#include "liegrad/elements/joints/reaction.hpp"

namespace liegrad::elements {

/// Two bodies turn about and slide along a common axis, the z axis of both frames. With r = x_a - x_b from
/// origin to origin and the axes x, y of frame a
///
///     Φ = (x·r, y·r, y·z_b, -x·z_b).
///
/// The multipliers are the force on b along x and y, and the torque on b about x and y, at the origin of
/// frame b.
struct CylindricalJoint {
  dae::ElementShape shape() const {
    return {.type = "cylindrical_joint",
            .nodes = {{dae::NodeRole::kFrame, 0, "a"}, {dae::NodeRole::kFrame, 0, "b"}},
            .parameters = joined(frame_parameters("a"), frame_parameters("b")),
            .constraints = 4,
            .outputs = reaction_force_and_torque()};
  }
  template <class S>
  lie::Vec<S, 4> constraint(const dae::Position<S>& at) const {
    const lie::Frame<S> a = attached_frame(at, 0, 0), b = attached_frame(at, 1, kFrameParameters);
    lie::Vec<S, 4> phi;
    phi << across_axis<S>(a, b.position), tilt_of_axes<S>(a, b);
    return phi;
  }
  template <class S>
  lie::Vec<S, 6> outputs(const dae::Motion<S>& at) const {
    const lie::Frame<S> a = attached_frame<S>(at, 0, 0),
                        b = attached_frame<S>(at, 1, kFrameParameters);
    const lie::Vec<S, 3> force = across_axis_force<S>(a, at.multiplier(0), at.multiplier(1));
    return force_and_torque<S>(force, tilt_torque<S>(a, b, at.multiplier(2), at.multiplier(3)));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return two_frames_validation_message(at);
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return frame_joint_drawing(at, dae::Drawing::JointKind::kRevolute);
  }
};

}  // namespace liegrad::elements

// Compiled in joints.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::CylindricalJoint>
    : liegrad::dae::CompiledElement<liegrad::elements::CylindricalJoint> {};
