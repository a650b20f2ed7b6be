#pragma once

#include "liegrad/elements/planar/attached_planar_frame.hpp"

namespace liegrad::elements {

/// A point of a planar body whose motion is observed: no force.
struct PlanarTrackedPoint {
  dae::ElementShape shape() const {
    return {.type = "planar_tracked_point",
            .nodes = {{dae::NodeRole::kPlanarPoint, 0, "a"}},
            .parameters = planar_point_parameters("a"),
            .outputs = {{"p", 2, "its position in the inertial frame"},
                        {"u", 2, "its velocity"},
                        {"u_dot", 2, "its acceleration"}}};
  }
  /// Of a point at the arm r from the origin the acceleration is u̇ + ω̇ Jr - ω² r, J a right angle.
  template <class S>
  lie::Vec<S, 6> outputs(const dae::Motion<S>& at) const {
    const lie::Vec<S, 2> in_body = point_in_planar_body<S>(at, 0);
    const lie::Vec<S, 2> p = at.planar_frame(0).point(in_body);
    const lie::Vec<S, 2> arm = at.planar_frame(0).direction(in_body);
    const lie::Vec<S, 2> u = at.planar_point_velocity(0, in_body);
    const lie::Vec<S, 2> origin = at.planar_acceleration(0);
    const S omega = at.planar_omega(0), omega_dot = at.planar_omega_dot(0);
    lie::Vec<S, 6> out;
    out << p(0), p(1), u(0), u(1), origin(0) - omega_dot * arm(1) - omega * omega * arm(0),
        origin(1) + omega_dot * arm(0) - omega * omega * arm(1);
    return out;
  }
};

}  // namespace liegrad::elements

// Compiled in planar.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlanarTrackedPoint>
    : liegrad::dae::CompiledElement<liegrad::elements::PlanarTrackedPoint> {};
