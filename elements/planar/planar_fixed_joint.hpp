#pragma once

#include "liegrad/elements/planar/planar_prismatic_joint.hpp"

namespace liegrad::elements {

/// Two frames coincide: Φ = (x_a - x_b, -y_a·d_b) = 0, d_b the x axis of b. The multipliers are the force
/// on b in the inertial frame and the torque on b, with the other sign on a.
struct PlanarFixedJoint {
  dae::ElementShape shape() const {
    return {.type = "planar_fixed_joint",
            .nodes = {{dae::NodeRole::kPlanarFrame, 0, "a"}, {dae::NodeRole::kPlanarFrame, 0, "b"}},
            .parameters = joined(planar_frame_parameters("a"), planar_frame_parameters("b")),
            .constraints = 3};
  }
  template <class S>
  lie::Vec<S, 3> constraint(const dae::Position<S>& at) const {
    const lie::PlanarFrame<S> a = attached_planar_frame(at, 0, 0);
    const lie::PlanarFrame<S> b = attached_planar_frame(at, 1, kPlanarFrameParameters);
    const lie::Vec<S, 2> gap = a.position - b.position;
    return {gap(0), gap(1), sine_between<S>(a, b)};
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return parallel_frames_validation_message(at);
  }
};

}  // namespace liegrad::elements

// Compiled in planar.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlanarFixedJoint>
    : liegrad::dae::CompiledElement<liegrad::elements::PlanarFixedJoint> {};
