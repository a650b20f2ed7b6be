#pragma once

#include <cmath>

#include "liegrad/elements/attached_frame.hpp"
#include "liegrad/elements/forces/checks.hpp"
#include "liegrad/elements/joints/joint_drawing.hpp"

// Arms of a pendulum: planar bodies whose node is their centre of mass, with a pivot at -a and a second one
// at l - a on their x axis, so that lengths are measured from the pivot and are one parameter each.

namespace liegrad::elements {

/// Torque of a joint with viscous and Coulomb friction, the latter with a smooth transition:
/// -d ω - f tanh(ω/ω_s), ω the rate of b relative to a.
template <class S>
S pivot_friction(const S& rate, const S& viscous, const S& coulomb) {
  using std::tanh;
  constexpr double kTransitionRate = 0.05;  // rad/s
  return -viscous * rate - coulomb * tanh(rate / S(kTransitionRate));
}

inline std::vector<dae::ParameterSpec> pivot_friction_parameters() {
  return {{"viscous", 0, "N m s/rad", "viscous friction"},
          {"coulomb", 0, "N m", "Coulomb friction, f tanh(rate/0.05 rad/s)"}};
}

/// Holds the pivot of an arm b at the origin of a planar frame a: Φ = x_a - x_b, with friction. The multiplier is
/// the force on b.
struct ArmOnGround {
  enum Parameter { kCentre, kViscous, kCoulomb };

  dae::ElementShape shape() const {
    return {.type = "arm_on_ground",
            .nodes = {{dae::NodeRole::kPlanarFrame}, {dae::NodeRole::kPlanarBody}},
            .parameters =
                joined(std::vector<dae::ParameterSpec>{{"a", 0.1, "m",
                                                        "from the pivot to the centre of mass"}},
                       pivot_friction_parameters()),
            .constraints = 2};
  }
  template <class S>
  lie::Vec<S, 2> constraint(const dae::Position<S>& at) const {
    return at.planar_frame(0).position -
           at.planar_frame(1).point(lie::Vec<S, 2>(-at.parameter(kCentre), S(0)));
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const S torque = pivot_friction<S>(at.planar_omega(1) - at.planar_omega(0),
                                       at.parameter(kViscous), at.parameter(kCoulomb));
    balance.apply_planar_torque(0, -torque);
    balance.apply_planar_torque(1, torque);
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return negative_parameter(shape(), at, {kViscous, kCoulomb});
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return hinge_drawing(at, lie::Vec<double, 2>::Zero(), {-at.parameter(kCentre), 0});
  }
};

/// Holds the pivot of an arm b at the distance l from that of an arm a: Φ = x_a - x_b, with friction on the
/// relative rate. The multiplier is the force on b.
struct ArmOnArm {
  enum Parameter { kLength, kCentreA, kCentreB, kViscous, kCoulomb };

  dae::ElementShape shape() const {
    return {.type = "arm_on_arm",
            .nodes = {{dae::NodeRole::kPlanarBody}, {dae::NodeRole::kPlanarBody}},
            .parameters = joined(
                std::vector<dae::ParameterSpec>{
                    {"l", 0.2, "m", "between the pivots of the first arm"},
                    {"a1", 0.1, "m", "from the pivot to the centre of the first arm"},
                    {"a2", 0.1, "m", "from the pivot to the centre of the second arm"}},
                pivot_friction_parameters()),
            .constraints = 2};
  }
  template <class S>
  lie::Vec<S, 2> constraint(const dae::Position<S>& at) const {
    const S tip = at.parameter(kLength) - at.parameter(kCentreA);
    return at.planar_frame(0).point(lie::Vec<S, 2>(tip, S(0))) -
           at.planar_frame(1).point(lie::Vec<S, 2>(-at.parameter(kCentreB), S(0)));
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const S torque = pivot_friction<S>(at.planar_omega(1) - at.planar_omega(0),
                                       at.parameter(kViscous), at.parameter(kCoulomb));
    balance.apply_planar_torque(0, -torque);
    balance.apply_planar_torque(1, torque);
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return negative_parameter(shape(), at, {kViscous, kCoulomb});
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return hinge_drawing(at, {at.parameter(kLength) - at.parameter(kCentreA), 0},
                         {-at.parameter(kCentreB), 0});
  }
};

/// Angle and rate of an arm in (x, y, θ), counted over all turns.
struct ArmAngle {
  dae::ElementShape shape() const {
    return {.type = "arm_angle",
            .nodes = {{dae::NodeRole::kCoordinates, 3}},
            .outputs = {{"theta", 1, "angle from hanging"}, {"rate", 1, "its rate"}}};
  }
  template <class S>
  lie::Vec<S, 2> outputs(const dae::Motion<S>& at) const {
    return {S(at.coordinates(0)(2)), S(at.velocity_coordinates(0)(2))};
  }
};

}  // namespace liegrad::elements

// Compiled in planar.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::ArmOnGround>
    : liegrad::dae::CompiledElement<liegrad::elements::ArmOnGround> {};
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::ArmOnArm>
    : liegrad::dae::CompiledElement<liegrad::elements::ArmOnArm> {};
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::ArmAngle>
    : liegrad::dae::CompiledElement<liegrad::elements::ArmAngle> {};
