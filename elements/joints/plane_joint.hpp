#pragma once

#include "liegrad/elements/joints/aligned_axes.hpp"
#include "liegrad/elements/joints/reaction.hpp"

namespace liegrad::elements {

/// One body slides and turns on a plane of the other: the xy planes of both frames coincide. With
/// r = x_a - x_b from origin to origin and the axes x, y, z of frame a
///
///     Φ = (z·r, y·z_b, -x·z_b).
///
/// The multipliers are the force on b along z, and the torque on b about x and y, at the origin of frame b.
struct PlaneJoint {
  dae::ElementShape shape() const {
    return {.type = "plane_joint",
            .nodes = {{dae::NodeRole::kFrame, 0, "a"}, {dae::NodeRole::kFrame, 0, "b"}},
            .parameters = joined(frame_parameters("a"), frame_parameters("b")),
            .constraints = 3,
            .outputs = reaction_force_and_torque()};
  }
  template <class S>
  lie::Vec<S, 3> constraint(const dae::Position<S>& at) const {
    const lie::Frame<S> a = attached_frame(at, 0, 0), b = attached_frame(at, 1, kFrameParameters);
    lie::Vec<S, 3> phi;
    phi << lie::rotation::dot<S>(a.rotation.col(2), a.position - b.position), tilt_of_axes<S>(a, b);
    return phi;
  }
  template <class S>
  lie::Vec<S, 6> outputs(const dae::Motion<S>& at) const {
    const lie::Frame<S> a = attached_frame<S>(at, 0, 0),
                        b = attached_frame<S>(at, 1, kFrameParameters);
    const lie::Vec<S, 3> force = at.multiplier(0) * a.rotation.col(2);
    return force_and_torque<S>(force, tilt_torque<S>(a, b, at.multiplier(1), at.multiplier(2)));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return two_frames_validation_message(at);
  }
};

}  // namespace liegrad::elements

// Compiled in joints.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlaneJoint>
    : liegrad::dae::CompiledElement<liegrad::elements::PlaneJoint> {};
