#pragma once

#include "liegrad/elements/sensors/sensor_frame.hpp"

namespace liegrad::elements {

/// An accelerometer on a body, at a lever arm X from its origin. It feels the specific force: the acceleration of its
/// place less gravity, in its own axes,
///
///     gain Rsᵀ (Rᵀ(u̇ - γ) + Ω̇×X + Ω×(Ω×X)) + bias,
///
/// with u̇ and Ω̇ as the equations of motion have them, not differences of velocities.
struct Accelerometer {
  enum Parameter { kArm, kMounting = kArm + 3, kReading = kMounting + 3, kGravity = kReading + 4 };

  dae::ElementShape shape() const {
    return {.type = "accelerometer",
            .nodes = {{dae::NodeRole::kRigidBody}},
            .parameters = joined(
                std::vector<dae::ParameterSpec>{{"X1", 0, "m", "place of the sensor in the body"},
                                                {"X2", 0, "m", "second component"},
                                                {"X3", 0, "m", "third component"}},
                mounting_parameters(), reading_parameters(3, "m/s^2"),
                std::vector<dae::ParameterSpec>{{"gravity1", 0, "m/s^2", "gravity along x"},
                                                {"gravity2", 0, "m/s^2", "along y"},
                                                {"gravity3", 0, "m/s^2", "along z"}}),
            .outputs = {{"force", 3, "specific force in the axes of the sensor"}}};
  }
  template <class S>
  lie::Vec<S, 3> outputs(const dae::Motion<S>& at) const {
    using lie::rotation::cross;
    const lie::Vec<S, 3> arm = at.parameter3(kArm), omega = at.omega(0);
    const lie::Vec<S, 3> origin =
        at.rotation(0).transpose() * (at.acceleration(0) - at.parameter3(kGravity));
    const lie::Vec<S, 3> in_body =
        origin + cross<S>(at.omega_dot(0), arm) + cross<S>(omega, cross<S>(omega, arm));
    return reading_of<3, S>(at, kReading, in_sensor<S>(at, kMounting, in_body));
  }
};

}  // namespace liegrad::elements

// Compiled in sensors.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::Accelerometer>
    : liegrad::dae::CompiledElement<liegrad::elements::Accelerometer> {};
