#pragma once

#include <cmath>

#include "liegrad/elements/sensors/sensor_frame.hpp"

namespace liegrad::elements {

/// The distance between a point of a and a point of b, gain |x_b - x_a| + bias.
struct DistanceSensor {
  enum Parameter { kA, kB = kPointParameters, kReading = 2 * kPointParameters };

  dae::ElementShape shape() const {
    return {.type = "distance_sensor",
            .nodes = {{dae::NodeRole::kPoint, 0, "a"}, {dae::NodeRole::kPoint, 0, "b"}},
            .parameters =
                joined(point_parameters("a"), point_parameters("b"), reading_parameters(1, "m")),
            .outputs = {{"distance", 1, "between both points"}}};
  }
  template <class S>
  lie::Vec<S, 1> outputs(const dae::Motion<S>& at) const {
    using std::sqrt;
    const lie::Vec<S, 3> d = attached_point<S>(at, 1, kB) - attached_point<S>(at, 0, kA);
    return reading_of<1, S>(at, kReading, lie::Vec<S, 1>(S(sqrt(lie::rotation::dot<S>(d, d)))));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    const lie::Vec<double, 3> d =
        attached_point<double>(at, 1, kB) - attached_point<double>(at, 0, kA);
    if (d.norm() > 0) return {};
    return "has both points at the same place, where a distance has no derivative; move one of "
           "them";
  }
};

}  // namespace liegrad::elements

// Compiled in sensors.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::DistanceSensor>
    : liegrad::dae::CompiledElement<liegrad::elements::DistanceSensor> {};
