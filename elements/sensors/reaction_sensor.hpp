#pragma once

#include "liegrad/elements/sensors/sensor_frame.hpp"

namespace liegrad::elements {

/// A force sensor in a joint: gain λ + bias for N of its multipliers, the first of which is given. It has no body of its own: attach
/// it to the ground.
template <int N>
struct ReactionSensor {
  int multipliers = N;  ///< how many the joint has
  int first = 0;
  bool operator==(const ReactionSensor&) const = default;

  dae::ElementShape shape() const {
    return {.type = "reaction_sensor",
            .nodes = {{dae::NodeRole::kPoint}},
            .parameters = reading_parameters(N, "N or N m"),
            .multipliers_read = multipliers,
            .outputs = {{"reaction", N, "multipliers of the joint"}}};
  }
  template <class S>
  lie::Vec<S, N> outputs(const dae::Motion<S>& at) const {
    lie::Vec<S, N> value;
    for (int i = 0; i < N; ++i) value(i) = at.multiplier(first + i);
    return reading_of<N, S>(at, 0, value);
  }
};

}  // namespace liegrad::elements
