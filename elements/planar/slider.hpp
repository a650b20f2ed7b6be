#pragma once

#include <string>

#include "liegrad/dae/system/text.hpp"
#include "liegrad/elements/forces/checks.hpp"

// Bodies on a line that cannot turn: the node is their place on it, in R¹.

namespace liegrad::elements {

/// m s̈ = 0.
struct Slider {
  dae::ElementShape shape() const {
    return {.type = "slider",
            .nodes = {{dae::NodeRole::kCoordinates, 1}},
            .parameters = {{"m", 1, "kg", "mass"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) += at.parameter(0) * at.acceleration_coordinates(0)(0);
  }
  template <class S>
  S kinetic_energy(const dae::Motion<S>& at) const {
    const S u = at.velocity_coordinates(0)(0);
    return S(0.5) * at.parameter(0) * u * u;
  }
  std::string validation_message(const dae::Position<double>& at) const {
    if (at.parameter(0) > 0) return {};
    return "has mass " + dae::number_text(at.parameter(0)) + "; it must be positive";
  }
};

/// A spring and a damper between two sliders of one line: the force on a, and with the other sign on b, is
/// k (s_b - s_a - l0) + d (ṡ_b - ṡ_a).
struct SliderSpring {
  enum Parameter { kStiffness, kDamping, kRestLength };

  dae::ElementShape shape() const {
    return {.type = "slider_spring",
            .nodes = {{dae::NodeRole::kCoordinates, 1}, {dae::NodeRole::kCoordinates, 1}},
            .parameters = {{"k", 1, "N/m", "stiffness"},
                           {"d", 0, "N s/m", "damping"},
                           {"l0", 0, "m", "s_b - s_a without force"}},
            .outputs = {{"force", 1, "force that pulls the sliders together"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const S force = outputs<S>(at)(0);
    balance.row(0, 0) -= force;
    balance.row(1, 0) += force;
  }
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    const S x = elongation<S>(at);
    return S(0.5) * at.parameter(kStiffness) * x * x;
  }
  template <class S>
  lie::Vec<S, 1> outputs(const dae::Motion<S>& at) const {
    const S rate = at.velocity_coordinates(1)(0) - at.velocity_coordinates(0)(0);
    return lie::Vec<S, 1>(at.parameter(kStiffness) * elongation<S>(at) +
                          at.parameter(kDamping) * rate);
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return negative_parameter(shape(), at, {kStiffness, kDamping});
  }

 private:
  template <class S>
  static S elongation(const dae::Motion<S>& at) {
    return at.coordinates(1)(0) - at.coordinates(0)(0) - at.parameter(kRestLength);
  }
};

}  // namespace liegrad::elements

// Compiled in planar.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::Slider>
    : liegrad::dae::CompiledElement<liegrad::elements::Slider> {};
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::SliderSpring>
    : liegrad::dae::CompiledElement<liegrad::elements::SliderSpring> {};
