#pragma once

#include <algorithm>
#include <cmath>

#include "liegrad/elements/forces/checks.hpp"

namespace liegrad::elements {

/// Coulomb's law with a smooth transition, and viscous friction, on a coordinate:
///
///     -f_c tanh(ṡ/v_s) - d ṡ.
///
/// Sticking is creeping: a load f < f_c moves the coordinate with v_s atanh(f/f_c), so that v_s should be
/// small against the speeds of interest.
struct CoordinateFriction {
  enum Parameter { kCoulomb, kDamping, kSmoothing };

  dae::ElementShape shape() const {
    return {.type = "coordinate_friction",
            .nodes = {{dae::NodeRole::kCoordinates, 1}},
            .parameters = {{"f_c", 1, "N m or N", "Coulomb friction"},
                           {"d", 0, "N m s/rad or N s/m", "viscous friction"},
                           {"v_s", 1e-3, "rad/s or m/s", "speed of the transition"}},
            .outputs = {{"force", 1, "force or torque on the coordinate"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) -= force(at);
  }
  template <class S>
  lie::Vec<S, 1> outputs(const dae::Motion<S>& at) const {
    return lie::Vec<S, 1>(force(at));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    const std::string text = negative_parameter(shape(), at, {kCoulomb, kDamping});
    return text.empty() ? not_positive_parameter(shape(), at, {kSmoothing}) : text;
  }

 private:
  template <class S>
  static S force(const dae::Motion<S>& at) {
    using std::tanh;
    const S rate = at.velocity_coordinates(0)(0);
    return -at.parameter(kCoulomb) * tanh(rate / at.parameter(kSmoothing)) -
           at.parameter(kDamping) * rate;
  }
};

/// The same with a Coulomb part in proportion to the reaction of a joint, whose multipliers it reads:
///
///     -μ r N tanh(ṡ/v_s) - d ṡ,   N = √(λ_first² + … + ε²).
///
/// r is the radius at which the surfaces touch, or 1 for a displacement. N has no corner where the reaction
/// changes its direction; without a reaction a friction of μ r ε remains.
struct ReactionFriction {
  enum Parameter { kCoefficient, kRadius, kDamping, kSmoothing, kSmallForce };

  int multipliers = 1;  ///< how many the joint has
  int first = 0;        ///< those that press surfaces together: the first of them,
  int count = 1;        ///< and how many
  bool operator==(const ReactionFriction&) const = default;

  dae::ElementShape shape() const {
    return {.type = "reaction_friction",
            .nodes = {{dae::NodeRole::kCoordinates, 1}},
            .parameters = {{"mu", 0.1, "1", "coefficient of friction"},
                           {"r", 1, "m or 1", "radius at which the surfaces touch"},
                           {"d", 0, "N m s/rad or N s/m", "viscous friction"},
                           {"v_s", 1e-3, "rad/s or m/s", "speed of the transition"},
                           {"eps", 1e-3, "N", "force below which the reaction is smoothed"}},
            .multipliers_read = multipliers,
            .outputs = {{"force", 1, "force or torque on the coordinate"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) -= force(at);
  }
  template <class S>
  lie::Vec<S, 1> outputs(const dae::Motion<S>& at) const {
    return lie::Vec<S, 1>(force(at));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    if (count < 1) {
      return "reads " + std::to_string(count) + " multipliers of its joint; it needs at least one";
    }
    if (first < 0 || first + count > multipliers) {
      return "reads the multipliers " + std::to_string(first) + " to " +
             std::to_string(first + count - 1) + " of a joint with " + std::to_string(multipliers) +
             ", which are counted from 0; they must be among them";
    }
    const std::string text = negative_parameter(shape(), at, {kCoefficient, kRadius, kDamping});
    return text.empty() ? not_positive_parameter(shape(), at, {kSmoothing, kSmallForce}) : text;
  }

 private:
  template <class S>
  S force(const dae::Motion<S>& at) const {
    using std::sqrt, std::tanh;
    S square = at.parameter(kSmallForce) * at.parameter(kSmallForce);
    // Of those that there are: that others are asked for is a validation message, at the start of a run.
    for (int i = std::max(first, 0); i < std::min(first + count, multipliers); ++i) {
      square += at.multiplier(i) * at.multiplier(i);
    }
    const S rate = at.velocity_coordinates(0)(0);
    return -at.parameter(kCoefficient) * at.parameter(kRadius) * sqrt(square) *
               tanh(rate / at.parameter(kSmoothing)) -
           at.parameter(kDamping) * rate;
  }
};

}  // namespace liegrad::elements

// Compiled in forces.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::CoordinateFriction>
    : liegrad::dae::CompiledElement<liegrad::elements::CoordinateFriction> {};
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::ReactionFriction>
    : liegrad::dae::CompiledElement<liegrad::elements::ReactionFriction> {};
