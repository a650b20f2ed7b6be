#pragma once

#include "liegrad/dae/system/element_interface.hpp"
#include "liegrad/elements/bodies/inertia_drawing.hpp"
#include "liegrad/elements/bodies/inertia_validation.hpp"

namespace liegrad::elements {

/// A top on its fixed point, on SO(3) alone: with the inertia J_f = J + m(|X|²I - XXᵀ) about that point,
///
///     J_f ω̇ + ω×J_f ω = m X×Rᵀγ.
struct SpinningTop {
  enum Parameter { kMass, kInertia, kCentre = kInertia + 3, kGravity = kCentre + 3 };

  dae::ElementShape shape() const {
    return {
        .type = "spinning_top",
        .nodes = {{dae::NodeRole::kRotation}},
        .parameters = {{"m", 15, "kg", "mass"},
                       {"J1", 0.234375, "kg m^2", "inertia about the centre of mass, first axis"},
                       {"J2", 0.46875, "kg m^2", "second axis"},
                       {"J3", 0.234375, "kg m^2", "third axis"},
                       {"X1", 0, "m", "centre of mass from the fixed point, in the body"},
                       {"X2", 1, "m", "second component"},
                       {"X3", 0, "m", "third component"},
                       {"gravity1", 0, "m/s^2", "gravity along x"},
                       {"gravity2", 0, "m/s^2", "gravity along y"},
                       {"gravity3", -9.81, "m/s^2", "gravity along z"}}};
  }

  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using lie::rotation::cross;
    const lie::Vec<S, 3> omega = at.omega(0);
    const lie::Vec<S, 3> weight = at.parameter(kMass) * at.parameter3(kGravity);
    balance.add_torque(
        0, inertia_times<S>(at, at.omega_dot(0)) + cross<S>(omega, inertia_times<S>(at, omega)));
    balance.apply_torque(0, cross<S>(at.parameter3(kCentre), at.rotation(0).transpose() * weight));
  }

  template <class S>
  S kinetic_energy(const dae::Motion<S>& at) const {
    return S(0.5) * lie::rotation::dot<S>(at.omega(0), inertia_times<S>(at, at.omega(0)));
  }
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    return -at.parameter(kMass) *
           lie::rotation::dot<S>(at.parameter3(kGravity), at.rotation(0) * at.parameter3(kCentre));
  }

  std::string validation_message(const dae::Position<double>& at) const {
    const std::string mass = mass_validation_message(at.parameter(kMass));
    return mass.empty() ? principal_inertia_validation_message(at.parameter3(kInertia)) : mass;
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    const lie::Vec<double, 3> centre = at.parameter3(kCentre), fixed = lie::Vec<double, 3>::Zero();
    dae::Drawing drawing =
        solid_of_inertia(at.parameter(kMass), at.parameter3(kInertia), {0, centre});
    drawing.rods.push_back({0, fixed, centre});
    drawing.joints.push_back({dae::Drawing::JointKind::kSpherical, {0, fixed}});
    drawing.supports.push_back({dae::Drawing::kWorld, fixed});
    return drawing;
  }

 private:
  /// J w + m X×(w×X).
  template <class S>
  static lie::Vec<S, 3> inertia_times(const dae::Motion<S>& at, const lie::Vec<S, 3>& w) {
    using lie::rotation::cross;
    const lie::Vec<S, 3> centre = at.parameter3(kCentre);
    const lie::Vec<S, 3> own(at.parameter(kInertia) * w(0), at.parameter(kInertia + 1) * w(1),
                             at.parameter(kInertia + 2) * w(2));
    return own + at.parameter(kMass) * cross<S>(centre, cross<S>(w, centre));
  }
};

}  // namespace liegrad::elements

// Compiled in bodies.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::SpinningTop>
    : liegrad::dae::CompiledElement<liegrad::elements::SpinningTop> {};
