#pragma once

#include <string>
#include <vector>

#include "liegrad/elements/attached_frame.hpp"
#include "liegrad/lie/so3.hpp"

// What sensors have in common: how they are mounted, their gain and their bias. All are parameters, so that they can be
// unknowns of a fit. A reading is gain · value + bias.

namespace liegrad::elements {

/// Orientation of a sensor in its body, as a rotation vector: three numbers that are independent of each other.
inline std::vector<dae::ParameterSpec> mounting_parameters() {
  return {{"r1", 0, "rad", "orientation of the sensor in the body, a rotation vector"},
          {"r2", 0, "rad", "second component"},
          {"r3", 0, "rad", "third component"}};
}

/// "gain", and "bias" or "bias1", "bias2", … of several readings.
inline std::vector<dae::ParameterSpec> reading_parameters(int size, const std::string& unit) {
  std::vector<dae::ParameterSpec> list = {{"gain", 1, "1", "factor of all readings"}};
  for (int i = 1; i <= size; ++i) {
    list.push_back({size == 1 ? "bias" : "bias" + std::to_string(i), 0, unit, "of a reading"});
  }
  return list;
}

/// Readings of N values, whose gain and biases begin at a parameter.
template <int N, class S>
lie::Vec<S, N> reading_of(const dae::Position<S>& at, int first_parameter,
                          const lie::Vec<S, N>& value) {
  lie::Vec<S, N> reading;
  for (int i = 0; i < N; ++i) {
    reading(i) = at.parameter(first_parameter) * value(i) + at.parameter(first_parameter + 1 + i);
  }
  return reading;
}

/// A vector of the body in the axes of the sensor, whose rotation vector begins at a parameter.
template <class S>
lie::Vec<S, 3> in_sensor(const dae::Position<S>& at, int first_parameter,
                         const lie::Vec<S, 3>& in_body) {
  return lie::SO3<S>::exp(at.parameter3(first_parameter)).matrix().transpose() * in_body;
}

}  // namespace liegrad::elements
