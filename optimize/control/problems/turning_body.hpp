#pragma once

#include "liegrad/control/problem.hpp"
#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/system.hpp"
#include "liegrad/elements/bodies/inertia_drawing.hpp"
#include "liegrad/elements/bodies/inertia_validation.hpp"

namespace liegrad::control {

/// A body that turns about its centre of mass under a torque u about its own axes: J ω̇ + ω×Jω = u.
struct TurningBody {
  dae::ElementShape shape() const {
    return {.type = "turning_body",
            .nodes = {{dae::NodeRole::kRotation}},
            .parameters = {{"J1", 1, "kg m^2", "inertia about the first axis of the body"},
                           {"J2", 1, "kg m^2", "inertia about the second axis"},
                           {"J3", 1, "kg m^2", "inertia about the third axis"}},
            .controls = {"u1", "u2", "u3"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using V3 = lie::Vec<S, 3>;
    const V3 j = at.parameter3(0), omega = at.omega(0), omega_dot = at.omega_dot(0);
    const V3 spin = j.cwiseProduct(omega), u(at.control(0), at.control(1), at.control(2));
    balance.add_torque(0, j.cwiseProduct(omega_dot) + lie::rotation::cross<S>(omega, spin) - u);
  }
  template <class S>
  S kinetic_energy(const dae::Motion<S>& at) const {
    const lie::Vec<S, 3> omega = at.omega(0), j = at.parameter3(0);
    return S(0.5) * lie::rotation::dot<S>(omega, j.cwiseProduct(omega));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return elements::principal_inertia_validation_message(at.parameter3(0));
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return elements::solid_of_inertia(at.parameter3(0));
  }
};

/// A system of one such body, called "body".
inline dae::System turning_body() {
  dae::System system("turning_body");
  system.add_node("body", lie::NodeGroup::so3());
  system.add("body", TurningBody{}, {"body"});
  return system;
}

/// |u|².
struct TorqueSquare {
  template <class At>
  auto operator()(const At& at) const {
    const auto &u1 = at.control("body.u1"), &u2 = at.control("body.u2"),
               &u3 = at.control("body.u3");
    using S = std::decay_t<decltype(u1)>;
    return S(u1 * u1 + u2 * u2 + u3 * u3);
  }
};

inline void set_torque_units(Problem& problem) {
  for (const char* const control : {"body.u1", "body.u2", "body.u3"}) {
    problem.set_control_unit(control, "N m");
  }
}

}  // namespace liegrad::control
