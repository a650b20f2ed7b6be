#pragma once

#include "liegrad/elements/forces/checks.hpp"

namespace liegrad::elements {

/// A spring and a damper on a coordinate, with the force -k (s - s0) - d ṡ: torsional about the axis of a
/// joint, or along it.
struct CoordinateSpring {
  enum Parameter { kStiffness, kDamping, kRest };

  dae::ElementShape shape() const {
    return {.type = "coordinate_spring",
            .nodes = {{dae::NodeRole::kCoordinates, 1}},
            .parameters = {{"k", 1, "N m/rad or N/m", "stiffness"},
                           {"d", 0, "N m s/rad or N s/m", "damping"},
                           {"s0", 0, "rad or m", "coordinate without force"}},
            .outputs = {{"force", 1, "force or torque on the coordinate"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) -= force(at);
  }
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    const S deflection = S(at.coordinates(0)(0)) - at.parameter(kRest);
    return S(0.5) * at.parameter(kStiffness) * deflection * deflection;
  }
  template <class S>
  lie::Vec<S, 1> outputs(const dae::Motion<S>& at) const {
    return lie::Vec<S, 1>(force(at));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return negative_parameter(shape(), at, {kStiffness, kDamping});
  }

 private:
  template <class S>
  static S force(const dae::Motion<S>& at) {
    return at.parameter(kStiffness) * (at.parameter(kRest) - S(at.coordinates(0)(0))) -
           at.parameter(kDamping) * S(at.velocity_coordinates(0)(0));
  }
};

}  // namespace liegrad::elements

// Compiled in forces.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::CoordinateSpring>
    : liegrad::dae::CompiledElement<liegrad::elements::CoordinateSpring> {};
