#pragma once

#include "liegrad/elements/sensors/sensor_frame.hpp"

namespace liegrad::elements {

/// A marker fixed in a body, as a camera sees it: p = gain (x + R X) + bias, in the inertial frame.
struct Marker {
  enum Parameter { kReading = kPointParameters };

  dae::ElementShape shape() const {
    return {.type = "marker",
            .nodes = {{dae::NodeRole::kPoint, 0, "a"}},
            .parameters = joined(point_parameters("a"), reading_parameters(3, "m")),
            .outputs = {{"p", 3, "position of the marker in the inertial frame"}}};
  }
  template <class S>
  lie::Vec<S, 3> outputs(const dae::Motion<S>& at) const {
    return reading_of<3, S>(at, kReading, attached_point<S>(at, 0, 0));
  }
};

}  // namespace liegrad::elements

// Compiled in sensors.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::Marker>
    : liegrad::dae::CompiledElement<liegrad::elements::Marker> {};
