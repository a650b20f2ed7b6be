#pragma once

#include "liegrad/dae/system/element_interface.hpp"

namespace liegrad::elements {

/// A body-fixed point whose motion is observed, such as a marker: no force, the outputs p = x + R X and its
/// velocity.
struct TrackedPoint {
  dae::ElementShape shape() const {
    return {.type = "tracked_point",
            .nodes = {{dae::NodeRole::kRigidBody}},
            .parameters = {{"X1", 0, "m", "the point in the body"},
                           {"X2", 0, "m", "second component"},
                           {"X3", 0, "m", "third component"}},
            .outputs = {{"p", 3, "its position in the inertial frame"},
                        {"u", 3, "its velocity in the inertial frame"}}};
  }
  template <class S>
  lie::Vec<S, 6> outputs(const dae::Motion<S>& at) const {
    lie::Vec<S, 6> values;
    values << at.frame(0).point(at.parameter3("X")), at.point_velocity(0, at.parameter3("X"));
    return values;
  }
};

}  // namespace liegrad::elements

// Compiled in bodies.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::TrackedPoint>
    : liegrad::dae::CompiledElement<liegrad::elements::TrackedPoint> {};
