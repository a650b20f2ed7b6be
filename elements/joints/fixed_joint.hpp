#pragma once

#include "liegrad/elements/joints/aligned_axes.hpp"
#include "liegrad/elements/joints/joint_drawing.hpp"
#include "liegrad/elements/joints/reaction.hpp"

namespace liegrad::elements {

/// Two frames coincide, so that their bodies move as one:
///
///     Φ = (x_a - x_b, y_a·z_b, -x_a·z_b, x_a·y_b),
///
/// where behind the first comma x_a and y_a are axes of frame a; aligned_axes.hpp explains the choice. The
/// multipliers are the force on b in the inertial frame, and the torque on b in the axes of frame a.
struct FixedJoint {
  dae::ElementShape shape() const {
    return {.type = "fixed_joint",
            .nodes = {{dae::NodeRole::kFrame, 0, "a"}, {dae::NodeRole::kFrame, 0, "b"}},
            .parameters = joined(frame_parameters("a"), frame_parameters("b")),
            .constraints = 6,
            .outputs = reaction_force_and_torque()};
  }
  template <class S>
  lie::Vec<S, 6> constraint(const dae::Position<S>& at) const {
    const lie::Frame<S> a = attached_frame(at, 0, 0), b = attached_frame(at, 1, kFrameParameters);
    lie::Vec<S, 6> phi;
    phi << a.position - b.position, tilt_of_axes<S>(a, b), turn_about_axis<S>(a, b);
    return phi;
  }
  template <class S>
  lie::Vec<S, 6> outputs(const dae::Motion<S>& at) const {
    const lie::Frame<S> a = attached_frame<S>(at, 0, 0),
                        b = attached_frame<S>(at, 1, kFrameParameters);
    const lie::Vec<S, 3> force = at.multiplier3(0);
    return force_and_torque<S>(force, tilt_torque<S>(a, b, at.multiplier(3), at.multiplier(4)) +
                                          turn_torque<S>(a, b, at.multiplier(5)));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return two_frames_validation_message(at);
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return frame_joint_drawing(at, dae::Drawing::JointKind::kRigid);
  }
};

}  // namespace liegrad::elements

// Compiled in joints.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::FixedJoint>
    : liegrad::dae::CompiledElement<liegrad::elements::FixedJoint> {};
