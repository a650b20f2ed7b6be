#pragma once

#include "liegrad/elements/joints/joint_drawing.hpp"
#include "liegrad/elements/joints/reaction.hpp"

namespace liegrad::elements {

/// Two shafts on a cross with arms at a right angle, one along the x axis of frame a, the other along the
/// y axis of frame b; the origins, where the arms meet, coincide:
///
///     Φ = (x_a - x_b, e_a·d_b),   e_a the x axis of frame a, d_b the y axis of frame b.
///
/// The shafts are in line when both frames have the same orientation, and may then be the z axes. The
/// multipliers are the force on b in the inertial frame, and the torque on b about e_a×d_b, the normal of
/// the cross.
struct UniversalJoint {
  dae::ElementShape shape() const {
    return {.type = "universal_joint",
            .nodes = {{dae::NodeRole::kFrame, 0, "a"}, {dae::NodeRole::kFrame, 0, "b"}},
            .parameters = joined(frame_parameters("a"), frame_parameters("b")),
            .constraints = 4,
            .outputs = reaction_force_and_torque()};
  }
  template <class S>
  lie::Vec<S, 4> constraint(const dae::Position<S>& at) const {
    const lie::Frame<S> a = attached_frame(at, 0, 0), b = attached_frame(at, 1, kFrameParameters);
    lie::Vec<S, 4> phi;
    phi << a.position - b.position, lie::rotation::dot<S>(a.rotation.col(0), b.rotation.col(1));
    return phi;
  }
  template <class S>
  lie::Vec<S, 6> outputs(const dae::Motion<S>& at) const {
    const lie::Frame<S> a = attached_frame<S>(at, 0, 0),
                        b = attached_frame<S>(at, 1, kFrameParameters);
    const lie::Vec<S, 3> force = at.multiplier3(0);
    return force_and_torque<S>(
        force, at.multiplier(3) * lie::rotation::cross<S>(a.rotation.col(0), b.rotation.col(1)));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return two_frames_validation_message(at);
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return frame_joint_drawing(at, dae::Drawing::JointKind::kSpherical);
  }
};

}  // namespace liegrad::elements

// Compiled in joints.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::UniversalJoint>
    : liegrad::dae::CompiledElement<liegrad::elements::UniversalJoint> {};
