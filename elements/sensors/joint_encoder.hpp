#pragma once

#include <cmath>

#include "liegrad/elements/sensors/sensor_frame.hpp"

namespace liegrad::elements {

/// An encoder: gain θ + bias, where θ between -π and π is the angle of frame b about the z axis of frame a, from x_a to
/// x_b, as in JointAngle. For angles that go on counting over turns, read the coordinate of a JointAngle.
struct JointEncoder {
  enum Parameter { kA, kB = kA + 3, kReading = kB + 3 };

  dae::ElementShape shape() const {
    std::vector<dae::ParameterSpec> a = mounting_parameters(), b = mounting_parameters();
    for (dae::ParameterSpec& one : a) one.name = "a." + one.name;
    for (dae::ParameterSpec& one : b) one.name = "b." + one.name;
    return {.type = "joint_encoder",
            .nodes = {{dae::NodeRole::kFrame}, {dae::NodeRole::kFrame}},
            .parameters = joined(a, b, reading_parameters(1, "rad")),
            .outputs = {{"angle", 1, "angle of the joint"}}};
  }
  template <class S>
  lie::Vec<S, 1> outputs(const dae::Motion<S>& at) const {
    using std::atan;
    const auto frame = [&at](int node, int parameter) {
      return lie::Mat<S, 3>(at.rotation(node) *
                            lie::SO3<S>::exp(at.parameter3(parameter)).matrix());
    };
    const lie::Mat<S, 3> a = frame(0, kA), b = frame(1, kB);
    const auto product = [&a, &b](int i, int j) {
      return lie::rotation::dot<S>(a.col(i), b.col(j));
    };
    const S sine = product(1, 0) - product(0, 1), cosine = product(0, 0) + product(1, 1);
    const S length = S(1) + product(2, 2);
    // By the half angle, which has no branch.
    return reading_of<1, S>(at, kReading, lie::Vec<S, 1>(S(S(2) * atan(sine / (length + cosine)))));
  }
};

}  // namespace liegrad::elements

// Compiled in sensors.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::JointEncoder>
    : liegrad::dae::CompiledElement<liegrad::elements::JointEncoder> {};
