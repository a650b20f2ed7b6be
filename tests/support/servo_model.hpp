#pragma once

// Driven masses with first-order states, without constraints: one with an algebraic state, which implicit Munthe-Kaas methods
// refuse, and one without.

#include <cmath>

#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/system.hpp"

namespace liegrad::testing {

/// A driven mass on a spring whose force s is the root of s + s³ = x, pushed by a first-order state c.
struct Servo {
  dae::ElementShape shape() const {
    return {.type = "servo",
            .nodes = {{dae::NodeRole::kCoordinates, 1}, {dae::NodeRole::kCoordinates, 1}},
            .parameters = {{"tau", 0.5, "s", "time constant"}},
            .controls = {"u"},
            .algebraic = 1};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const S x = at.coordinates(0)(0), c = at.velocity_coordinates(1)(0);
    balance.row(0, 0) +=
        at.acceleration_coordinates(0)(0) + at.algebraic(0) + c * x - at.control(0) * at.time();
    balance.row(1, 0) += at.acceleration_coordinates(1)(0) + c / at.parameter("tau") - x;
  }
  template <class S>
  lie::Vec<S, 1> algebraic(const dae::Motion<S>& at) const {
    const S& s = at.algebraic(0);
    return lie::Vec<S, 1>(s + s * s * s - at.coordinates(0)(0));
  }
};

/// The same with a force sin x.
struct Follower {
  dae::ElementShape shape() const {
    return {.type = "follower",
            .nodes = {{dae::NodeRole::kCoordinates, 1}, {dae::NodeRole::kCoordinates, 1}},
            .parameters = {{"tau", 0.5, "s", "time constant"}},
            .controls = {"u"}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using std::sin;
    const S x = at.coordinates(0)(0), c = at.velocity_coordinates(1)(0);
    balance.row(0, 0) +=
        at.acceleration_coordinates(0)(0) + sin(x) + c * x - at.control(0) * sin(at.time() + S(1));
    balance.row(1, 0) += at.acceleration_coordinates(1)(0) + c / at.parameter("tau") - x;
  }
};

template <class Element>
dae::System driven_mass(const Element& element) {
  const std::string type = element.shape().type;
  dae::System system(type);
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add_first_order_state("c", 1);
  system.add(type, element, {"x", "c"});
  system.set_initial_configuration("x", {1});
  return system;
}
inline dae::System servo() { return driven_mass(Servo{}); }
inline dae::System follower() { return driven_mass(Follower{}); }

}  // namespace liegrad::testing
