#pragma once

#include "liegrad/elements/coordinates/laws.hpp"

namespace liegrad::elements {

/// A coordinate that follows a law of time: Φ = law(t) - s. The multiplier is the force of the drive on
/// the coordinate: of a joint's angle the torque of the motor, on frame b.
///
/// Velocity and acceleration of the coordinate are those of the law, so that it must have both without
/// jumps.
template <class Law>
struct DrivenCoordinate {
  static_assert(
      Law::kContinuousDerivatives >= 2,
      "the acceleration of a drive is the second derivative of its law, which must not jump");

  Law law = {};
  bool operator==(const DrivenCoordinate&) const = default;

  dae::ElementShape shape() const {
    return {.type = "driven_coordinate",
            .nodes = {{dae::NodeRole::kCoordinates, 1}},
            .parameters = law.parameters("rad or m"),
            .constraints = 1};
  }
  template <class S>
  lie::Vec<S, 1> constraint(const dae::Position<S>& at) const {
    return lie::Vec<S, 1>(law_value(law, at, 0) - S(at.coordinates(0)(0)));
  }
  std::string complaint(const dae::Position<double>& at) const { return law_complaint(law, at, 0); }
};

}  // namespace liegrad::elements
