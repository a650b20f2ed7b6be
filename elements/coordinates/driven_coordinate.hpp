#pragma once

#include "liegrad/dae/system/element_interface.hpp"
#include "liegrad/elements/coordinates/law_jumps.hpp"
#include "liegrad/elements/coordinates/laws.hpp"

namespace liegrad::elements {

/// A coordinate that follows a law of time: Φ = law(t) - s. The multiplier is the force of the drive on
/// the coordinate: of a joint's angle the torque of the motor, on frame b.
///
/// Velocity and acceleration of the coordinate are those of the law, so that it must have both without
/// jumps. One that jumps is refused when a run starts.
template <class Law>
struct DrivenCoordinate {
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
  std::string validation_message(const dae::Position<double>& at) const {
    if (const std::string text = law_validation_message(law, at, 0); !text.empty()) return text;
    const std::vector<double> p = law_parameters(law, at, 0);
    if (const std::string text = jump_validation_message(law, p, at.time()); !text.empty())
      return text;
    if (Law::kContinuousDerivatives >= 2) return "";
    return "has a law with " + std::to_string(Law::kContinuousDerivatives) +
           " continuous derivatives; a drive needs two, as its acceleration must not jump";
  }
};

}  // namespace liegrad::elements

// Compiled in coordinates.cpp.
template <>
struct liegrad::dae::ElementModelOf<
    liegrad::elements::DrivenCoordinate<liegrad::elements::ConstantLaw>>
    : liegrad::dae::CompiledElement<
          liegrad::elements::DrivenCoordinate<liegrad::elements::ConstantLaw>> {};
template <>
struct liegrad::dae::ElementModelOf<
    liegrad::elements::DrivenCoordinate<liegrad::elements::HarmonicLaw>>
    : liegrad::dae::CompiledElement<
          liegrad::elements::DrivenCoordinate<liegrad::elements::HarmonicLaw>> {};
template <>
struct liegrad::dae::ElementModelOf<
    liegrad::elements::DrivenCoordinate<liegrad::elements::PolynomialLaw>>
    : liegrad::dae::CompiledElement<
          liegrad::elements::DrivenCoordinate<liegrad::elements::PolynomialLaw>> {};
template <>
struct liegrad::dae::ElementModelOf<
    liegrad::elements::DrivenCoordinate<liegrad::elements::SmoothStartLaw>>
    : liegrad::dae::CompiledElement<
          liegrad::elements::DrivenCoordinate<liegrad::elements::SmoothStartLaw>> {};
