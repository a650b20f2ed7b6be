#pragma once

#include <cmath>
#include <string>

#include "liegrad/dae/system/element_interface.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/elements/bodies/inertia_drawing.hpp"
#include "liegrad/elements/bodies/inertia_validation.hpp"

namespace liegrad::elements {

/// A point mass in the plane, y upwards: m ẍ = 0, m ÿ = -m g.
struct PlanarPointMass {
  dae::ElementShape shape() const {
    return {.type = "planar_point_mass",
            .nodes = {{dae::NodeRole::kCoordinates, 2}},
            .parameters = {{"m", 1, "kg", "mass"}, {"g", 9.81, "m/s^2", "gravity, downwards"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const auto acceleration = at.acceleration_coordinates(0);
    balance.row(0, 0) += at.parameter(0) * acceleration(0);
    balance.row(0, 1) += at.parameter(0) * (acceleration(1) + at.parameter(1));
  }
  template <class S>
  S kinetic_energy(const dae::Motion<S>& at) const {
    const auto v = at.velocity_coordinates(0);
    return S(0.5) * at.parameter(0) * (v(0) * v(0) + v(1) * v(1));
  }
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    return at.parameter(0) * at.parameter(1) * at.coordinates(0)(1);
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return mass_validation_message(at.parameter(0));
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return ball_of_mass(at.parameter(0));
  }
};

/// A massless rod of length l from the origin: Φ = (x² + y² - l²)/2, [ArnoldCardonaBruels2015,
/// Example 3.2].
struct PlanarRod {
  dae::ElementShape shape() const {
    return {.type = "planar_rod",
            .nodes = {{dae::NodeRole::kCoordinates, 2}},
            .parameters = {{"l", 1, "m", "length"}},
            .constraints = 1};
  }
  template <class S>
  lie::Vec<S, 1> constraint(const dae::Position<S>& at) const {
    const auto x = at.coordinates(0);
    const S& l = at.parameter(0);
    return lie::Vec<S, 1>(S(0.5) * (x(0) * x(0) + x(1) * x(1) - l * l));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    const double l = at.parameter(0);
    if (!(l > 0)) {
      return "has length l = " + dae::number_text(l) + "; it must be positive";
    }
    // The gradient of Φ is the rod itself.
    constexpr double kCoincident = 1e-9;
    if (std::hypot(at.coordinates(0)(0), at.coordinates(0)(1)) > kCoincident * l) return {};
    return "has its point at the origin at the start, so that the rod has no direction; place it " +
           dae::number_text(l) + " away";
  }
  dae::Drawing drawing(const dae::Position<double>&) const {
    const dae::Drawing::Point origin = {dae::Drawing::kWorld};
    return {.supports = {origin}, .links = {{origin, {0}}}};
  }
};

}  // namespace liegrad::elements

// Compiled in planar.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlanarPointMass>
    : liegrad::dae::CompiledElement<liegrad::elements::PlanarPointMass> {};
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlanarRod>
    : liegrad::dae::CompiledElement<liegrad::elements::PlanarRod> {};
