#pragma once

#include "liegrad/dae/system/element_interface.hpp"
#include "liegrad/elements/bodies/inertia_drawing.hpp"
#include "liegrad/elements/bodies/inertia_validation.hpp"

namespace liegrad::elements {

/// A rigid body whose node is its centre of mass, under gravity:
///
///     m u̇ = m γ,   J ω̇ + ω×Jω = 0.
struct RigidBody {
  enum Parameter { kMass, kInertia, kGravity = kInertia + 3 };

  dae::ElementShape shape() const {
    return {.type = "rigid_body",
            .nodes = {{dae::NodeRole::kRigidBody}},
            .parameters = {{"m", 1, "kg", "mass"},
                           {"J1", 1, "kg m^2", "inertia about the first axis of the body"},
                           {"J2", 1, "kg m^2", "inertia about the second axis"},
                           {"J3", 1, "kg m^2", "inertia about the third axis"},
                           {"gravity1", 0, "m/s^2", "gravity along x"},
                           {"gravity2", 0, "m/s^2", "gravity along y"},
                           {"gravity3", -9.81, "m/s^2", "gravity along z"}}};
  }

  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const lie::Vec<S, 3> omega = at.omega(0);
    const lie::Vec<S, 3> spin = inertia_times<S>(at, omega);
    balance.add_torque(
        0, inertia_times<S>(at, at.omega_dot(0)) + lie::rotation::cross<S>(omega, spin));
    const S& m = at.parameter(kMass);
    const lie::Vec<S, 3> weight = m * at.parameter3(kGravity);
    balance.add_native_force(0, m * at.native_acceleration(0) - at.to_native(0, weight));
  }

  template <class S>
  S kinetic_energy(const dae::Motion<S>& at) const {
    const lie::Vec<S, 3> omega = at.omega(0), u = at.native_velocity(0);
    return S(0.5) * (at.parameter(kMass) * lie::rotation::dot<S>(u, u) +
                     lie::rotation::dot<S>(omega, inertia_times<S>(at, omega)));
  }
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    return -at.parameter(kMass) *
           lie::rotation::dot<S>(at.parameter3(kGravity), at.frame(0).position);
  }
  template <class S>
  dae::Momentum<S> momentum(const dae::Motion<S>& at) const {
    const lie::Frame<S> frame = at.frame(0);
    const lie::Vec<S, 3> linear = at.parameter(kMass) * at.velocity(0);
    return {linear, frame.direction(inertia_times<S>(at, at.omega(0))) +
                        lie::rotation::cross<S>(frame.position, linear)};
  }

  std::string validation_message(const dae::Position<double>& at) const {
    const std::string mass = mass_validation_message(at.parameter(kMass));
    return mass.empty() ? principal_inertia_validation_message(at.parameter3(kInertia)) : mass;
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return solid_of_inertia(at.parameter(kMass), at.parameter3(kInertia));
  }

 private:
  template <class S>
  static lie::Vec<S, 3> inertia_times(const dae::Motion<S>& at, const lie::Vec<S, 3>& w) {
    return {at.parameter(kInertia) * w(0), at.parameter(kInertia + 1) * w(1),
            at.parameter(kInertia + 2) * w(2)};
  }
};

}  // namespace liegrad::elements

// Compiled in bodies.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::RigidBody>
    : liegrad::dae::CompiledElement<liegrad::elements::RigidBody> {};
