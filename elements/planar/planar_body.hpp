#pragma once

#include <cmath>
#include <string>

#include "liegrad/dae/system/element_interface.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::elements {

/// A rigid body in the plane whose node is its centre of mass, under gravity: m u̇ = m γ, J ω̇ = 0.
struct PlanarBody {
  enum Parameter { kMass, kInertia, kGravity };

  dae::ElementShape shape() const {
    return {.type = "planar_body",
            .nodes = {{dae::NodeRole::kPlanarBody}},
            .parameters = {{"m", 1, "kg", "mass"},
                           {"J", 1, "kg m^2", "inertia about the centre of mass"},
                           {"gravity1", 0, "m/s^2", "gravity along x"},
                           {"gravity2", 0, "m/s^2", "gravity along y"}}};
  }

  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const lie::Vec<S, 2> acceleration = at.planar_acceleration(0) - gravity<S>(at);
    balance.add_planar_force(0, at.parameter(kMass) * acceleration);
    balance.add_planar_torque(0, at.parameter(kInertia) * at.planar_omega_dot(0));
  }

  template <class S>
  S kinetic_energy(const dae::Motion<S>& at) const {
    const lie::Vec<S, 2> u = at.planar_velocity(0);
    const S omega = at.planar_omega(0);
    return S(0.5) * (at.parameter(kMass) * (u(0) * u(0) + u(1) * u(1)) +
                     at.parameter(kInertia) * omega * omega);
  }
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    const lie::Vec<S, 2> x = at.planar_frame(0).position, g = gravity<S>(at);
    return -at.parameter(kMass) * (g(0) * x(0) + g(1) * x(1));
  }
  /// In space, z normal to the plane.
  template <class S>
  dae::Momentum<S> momentum(const dae::Motion<S>& at) const {
    const lie::Vec<S, 2> x = at.planar_frame(0).position;
    const lie::Vec<S, 2> p = at.parameter(kMass) * at.planar_velocity(0);
    const S spin = at.parameter(kInertia) * at.planar_omega(0);
    return {{p(0), p(1), S(0)}, {S(0), S(0), spin + x(0) * p(1) - x(1) * p(0)}};
  }

  std::string validation_message(const dae::Position<double>& at) const {
    const double m = at.parameter(kMass), inertia = at.parameter(kInertia);
    if (!(m > 0)) return "has mass " + dae::number_text(m) + "; it must be positive";
    if (inertia > 0) return {};
    return "has inertia J = " + dae::number_text(inertia) + "; it must be positive";
  }
  /// A small disk at the centre of mass; joints add lines to their points.
  dae::Drawing drawing(const dae::Position<double>& at) const {
    const double radius = 0.2 * std::sqrt(at.parameter(kInertia) / at.parameter(kMass));
    const lie::Vec<double, 3> half(0, 0, 0.2 * radius);
    return {.rods = {{0, -half, half, radius}}};
  }

 private:
  template <class S>
  static lie::Vec<S, 2> gravity(const dae::Motion<S>& at) {
    return {at.parameter(kGravity), at.parameter(kGravity + 1)};
  }
};

}  // namespace liegrad::elements

// Compiled in planar.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlanarBody>
    : liegrad::dae::CompiledElement<liegrad::elements::PlanarBody> {};
