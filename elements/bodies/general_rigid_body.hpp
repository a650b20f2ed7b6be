#pragma once

#include "liegrad/dae/system/element_interface.hpp"
#include "liegrad/elements/bodies/inertia_drawing.hpp"
#include "liegrad/elements/bodies/inertia_validation.hpp"

namespace liegrad::elements {

/// A rigid body whose node is anywhere in it, with its axes as the user likes. With the centre of mass X
/// in the body, the inertia J about that centre and the acceleration a of the node's origin, in body
/// coordinates,
///
///     f = m (a + ω̇×X + ω×(ω×X) - Rᵀγ) = 0,   J ω̇ + ω×Jω + X×f = 0.
///
/// J is the tensor itself: J11 = ∫(y² + z²) dm, and J12 = -∫xy dm, with the minus. (In programs whose
/// products of inertia are ∫xy dm, J12 has the other sign.)
struct GeneralRigidBody {
  enum Parameter { kMass, kCentre, kInertia = kCentre + 3, kGravity = kInertia + 6 };

  dae::ElementShape shape() const {
    return {
        .type = "general_rigid_body",
        .nodes = {{dae::NodeRole::kRigidBody}},
        .parameters = {{"m", 1, "kg", "mass"},
                       {"X1", 0, "m", "centre of mass in the body"},
                       {"X2", 0, "m", "second component"},
                       {"X3", 0, "m", "third component"},
                       {"J11", 1, "kg m^2", "inertia tensor about the centre of mass, in the body"},
                       {"J22", 1, "kg m^2", "diagonal"},
                       {"J33", 1, "kg m^2", "diagonal"},
                       {"J12", 0, "kg m^2", "entry of the tensor: minus the integral of xy dm"},
                       {"J13", 0, "kg m^2", "minus the integral of xz dm"},
                       {"J23", 0, "kg m^2", "minus the integral of yz dm"},
                       {"gravity1", 0, "m/s^2", "gravity along x"},
                       {"gravity2", 0, "m/s^2", "gravity along y"},
                       {"gravity3", -9.81, "m/s^2", "gravity along z"}}};
  }

  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using lie::rotation::cross;
    using V3 = lie::Vec<S, 3>;
    const S& m = at.parameter(kMass);
    const V3 omega = at.omega(0), omega_dot = at.omega_dot(0), centre = at.parameter3(kCentre);
    // Of the node's origin, and what the centre has in addition.
    const V3 origin = m * (at.native_acceleration(0) - at.to_native(0, at.parameter3(kGravity)));
    const V3 around = m * (cross<S>(omega_dot, centre) + cross<S>(omega, cross<S>(omega, centre)));
    balance.add_native_force(0, origin + body_to_native<S>(at, around));
    const V3 force = native_to_body<S>(at, origin) + around;
    balance.add_torque(0, inertia_times<S>(at, omega_dot) +
                              cross<S>(omega, inertia_times<S>(at, omega)) +
                              cross<S>(centre, force));
  }

  template <class S>
  S kinetic_energy(const dae::Motion<S>& at) const {
    using lie::rotation::dot;
    const lie::Vec<S, 3> omega = at.omega(0), u = centre_velocity<S>(at);
    return S(0.5) *
           (at.parameter(kMass) * dot<S>(u, u) + dot<S>(omega, inertia_times<S>(at, omega)));
  }
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    return -at.parameter(kMass) * lie::rotation::dot<S>(at.parameter3(kGravity),
                                                        at.frame(0).point(at.parameter3(kCentre)));
  }
  template <class S>
  dae::Momentum<S> momentum(const dae::Motion<S>& at) const {
    const lie::Frame<S> frame = at.frame(0);
    const lie::Vec<S, 3> linear = at.parameter(kMass) * at.from_native(0, centre_velocity<S>(at));
    const lie::Vec<S, 3> spin = frame.direction(inertia_times<S>(at, at.omega(0)));
    return {linear, spin + lie::rotation::cross<S>(frame.point(at.parameter3(kCentre)), linear)};
  }

  std::string validation_message(const dae::Position<double>& at) const {
    const std::string mass = mass_validation_message(at.parameter(kMass));
    if (!mass.empty()) return mass;
    const auto j = [&at](int i) { return at.parameter(kInertia + i); };
    lie::Mat<double, 3> inertia;
    inertia << j(0), j(3), j(4), j(3), j(1), j(5), j(4), j(5), j(2);
    return inertia_validation_message(inertia);
  }
  /// Without the products of inertia.
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return solid_of_inertia(at.parameter(kMass), at.parameter3(kInertia),
                            {0, at.parameter3(kCentre)});
  }

 private:
  /// Of the centre of mass, in the native frame.
  template <class S>
  static lie::Vec<S, 3> centre_velocity(const dae::Motion<S>& at) {
    const lie::Vec<S, 3> around = lie::rotation::cross<S>(at.omega(0), at.parameter3(kCentre));
    return at.native_velocity(0) + body_to_native<S>(at, around);
  }
  template <class S>
  static lie::Vec<S, 3> inertia_times(const dae::Motion<S>& at, const lie::Vec<S, 3>& w) {
    const auto j = [&at](int i) -> const S& { return at.parameter(kInertia + i); };
    return {j(0) * w(0) + j(3) * w(1) + j(4) * w(2), j(3) * w(0) + j(1) * w(1) + j(5) * w(2),
            j(4) * w(0) + j(5) * w(1) + j(2) * w(2)};
  }
  /// The native frame of SE(3) is the body, that of SO(3)×R³ is not.
  template <class S>
  static lie::Vec<S, 3> body_to_native(const dae::Motion<S>& at, const lie::Vec<S, 3>& x) {
    return is_native<S>(at) ? x : lie::Vec<S, 3>(at.rotation(0) * x);
  }
  template <class S>
  static lie::Vec<S, 3> native_to_body(const dae::Motion<S>& at, const lie::Vec<S, 3>& x) {
    return is_native<S>(at) ? x : lie::Vec<S, 3>(at.rotation(0).transpose() * x);
  }
  template <class S>
  static bool is_native(const dae::Motion<S>& at) {
    return at.group(0).kind == lie::GroupKind::kSE3;
  }
};

}  // namespace liegrad::elements

// Compiled in bodies.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::GeneralRigidBody>
    : liegrad::dae::CompiledElement<liegrad::elements::GeneralRigidBody> {};
