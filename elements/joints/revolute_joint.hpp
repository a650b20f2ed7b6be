#pragma once

#include "liegrad/elements/joints/aligned_axes.hpp"
#include "liegrad/elements/joints/joint_drawing.hpp"
#include "liegrad/elements/joints/reaction.hpp"

namespace liegrad::elements {

/// Two bodies turn about a common axis, the z axis of both frames, and their origins coincide:
///
///     Φ = (x_a - x_b, y_a·z_b, -x_a·z_b),
///
/// where behind the comma x_a and y_a are the axes of frame a. The multipliers are the force on b in the
/// inertial frame, and the torque on b about the x and y axes of frame a.
struct RevoluteJoint {
  dae::ElementShape shape() const {
    return {.type = "revolute_joint",
            .nodes = {{dae::NodeRole::kFrame, 0, "a"}, {dae::NodeRole::kFrame, 0, "b"}},
            .parameters = joined(frame_parameters("a"), frame_parameters("b")),
            .constraints = 5,
            .outputs = reaction_force_and_torque()};
  }
  template <class S>
  lie::Vec<S, 5> constraint(const dae::Position<S>& at) const {
    const lie::Frame<S> a = attached_frame(at, 0, 0), b = attached_frame(at, 1, kFrameParameters);
    lie::Vec<S, 5> phi;
    phi << a.position - b.position, tilt_of_axes<S>(a, b);
    return phi;
  }
  template <class S>
  lie::Vec<S, 6> outputs(const dae::Motion<S>& at) const {
    const lie::Frame<S> a = attached_frame<S>(at, 0, 0),
                        b = attached_frame<S>(at, 1, kFrameParameters);
    const lie::Vec<S, 3> force = at.multiplier3(0);
    return force_and_torque<S>(force, tilt_torque<S>(a, b, at.multiplier(3), at.multiplier(4)));
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
struct liegrad::dae::ElementModelOf<liegrad::elements::RevoluteJoint>
    : liegrad::dae::CompiledElement<liegrad::elements::RevoluteJoint> {};
