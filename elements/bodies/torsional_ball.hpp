#pragma once

#include <string>

#include "liegrad/dae/system/element_interface.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/elements/bodies/inertia_drawing.hpp"
#include "liegrad/elements/bodies/inertia_validation.hpp"

namespace liegrad::elements {

/// A homogeneous ball with a damped torsional spring, in the body frame: m ω̇ + d ω + k log(R) = 0,
/// [RotatingBallTestProblem, Eq. (1)].
struct TorsionalBall {
  dae::ElementShape shape() const {
    return {.type = "torsional_ball",
            .nodes = {{dae::NodeRole::kRotation}},
            .parameters = {{"m", 1, "kg m^2", "inertia about any axis"},
                           {"d", 0.1, "N m s", "damping"},
                           {"k", 10, "N m", "stiffness"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.add_torque(0, at.parameter("m") * at.omega_dot(0) + at.parameter("d") * at.omega(0) +
                              at.parameter("k") * turn<S>(at));
  }
  template <class S>
  S kinetic_energy(const dae::Motion<S>& at) const {
    return S(0.5) * at.parameter("m") * lie::rotation::dot<S>(at.omega(0), at.omega(0));
  }
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    const lie::Vec<S, 3> theta = turn<S>(at);
    return S(0.5) * at.parameter("k") * lie::rotation::dot<S>(theta, theta);
  }
  std::string validation_message(const dae::Position<double>& at) const {
    if (at.parameter("m") > 0) return {};
    return "has inertia m = " + dae::number_text(at.parameter("m")) + "; it must be positive";
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return solid_of_inertia(lie::Vec<double, 3>::Constant(at.parameter("m")));
  }

 private:
  template <class S>
  static lie::Vec<S, 3> turn(const dae::Motion<S>& at) {
    return lie::SO3<S>::from_matrix(at.rotation(0)).log();
  }
};

}  // namespace liegrad::elements

// Compiled in bodies.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::TorsionalBall>
    : liegrad::dae::CompiledElement<liegrad::elements::TorsionalBall> {};
