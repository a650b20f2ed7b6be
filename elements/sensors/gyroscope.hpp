#pragma once

#include "liegrad/elements/sensors/sensor_frame.hpp"

namespace liegrad::elements {

/// A gyroscope on a body: its angular velocity in the axes of the sensor, gain Rsᵀ Ω + bias.
struct Gyroscope {
  enum Parameter { kMounting, kReading = kMounting + 3 };

  dae::ElementShape shape() const {
    return {.type = "gyroscope",
            .nodes = {{dae::NodeRole::kRigidBody}},
            .parameters = joined(mounting_parameters(), reading_parameters(3, "rad/s")),
            .outputs = {{"rate", 3, "angular velocity in the axes of the sensor"}}};
  }
  template <class S>
  lie::Vec<S, 3> outputs(const dae::Motion<S>& at) const {
    return reading_of<3, S>(at, kReading, in_sensor<S>(at, kMounting, at.omega(0)));
  }
};

}  // namespace liegrad::elements

// Compiled in sensors.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::Gyroscope>
    : liegrad::dae::CompiledElement<liegrad::elements::Gyroscope> {};
