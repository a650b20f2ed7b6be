#pragma once

#include "liegrad/dae/system/element_interface.hpp"
#include "liegrad/elements/bodies/inertia_drawing.hpp"
#include "liegrad/elements/bodies/inertia_validation.hpp"

namespace liegrad::elements {

/// A point with mass under gravity, on R³: m ẍ = m γ.
struct PointMass {
  enum Parameter { kMass, kGravity };

  dae::ElementShape shape() const {
    return {.type = "point_mass",
            .nodes = {{dae::NodeRole::kCoordinates, 3}},
            .parameters = {{"m", 1, "kg", "mass"},
                           {"gravity1", 0, "m/s^2", "gravity along x"},
                           {"gravity2", 0, "m/s^2", "gravity along y"},
                           {"gravity3", -9.81, "m/s^2", "gravity along z"}}};
  }

  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.add_force(0, at.parameter(kMass) * (at.acceleration(0) - at.parameter3(kGravity)));
  }

  template <class S>
  S kinetic_energy(const dae::Motion<S>& at) const {
    const lie::Vec<S, 3> u = at.velocity(0);
    return S(0.5) * at.parameter(kMass) * lie::rotation::dot<S>(u, u);
  }
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    return -at.parameter(kMass) *
           lie::rotation::dot<S>(at.parameter3(kGravity), at.frame(0).position);
  }
  template <class S>
  dae::Momentum<S> momentum(const dae::Motion<S>& at) const {
    const lie::Vec<S, 3> linear = at.parameter(kMass) * at.velocity(0);
    return {linear, lie::rotation::cross<S>(at.frame(0).position, linear)};
  }

  std::string validation_message(const dae::Position<double>& at) const {
    return mass_validation_message(at.parameter(kMass));
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return ball_of_mass(at.parameter(kMass));
  }
};

}  // namespace liegrad::elements

// Compiled in bodies.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PointMass>
    : liegrad::dae::CompiledElement<liegrad::elements::PointMass> {};
