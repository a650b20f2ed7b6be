#pragma once

#include "liegrad/elements/attached_frame.hpp"

namespace liegrad::elements {

/// Two points coincide: Φ = x_a - x_b = 0, in the inertial frame. The multiplier is the force on b, and
/// with the other sign on a.
struct SphericalJoint {
  dae::ElementShape shape() const {
    return {.type = "spherical_joint",
            .nodes = {{dae::NodeRole::kPoint, 0, "a"}, {dae::NodeRole::kPoint, 0, "b"}},
            .parameters = joined(point_parameters("a"), point_parameters("b")),
            .constraints = 3};
  }
  template <class S>
  lie::Vec<S, 3> constraint(const dae::Position<S>& at) const {
    return attached_point(at, 0, 0) - attached_point(at, 1, kPointParameters);
  }
};

}  // namespace liegrad::elements
