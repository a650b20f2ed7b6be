#pragma once

#include <cmath>
#include <numbers>

#include "liegrad/dae/system/text.hpp"
#include "liegrad/elements/joints/reaction.hpp"

namespace liegrad::elements {

/// A coordinate s in R¹ is the angle of frame b about the z axis of frame a, from x_a to x_b:
///
///     Φ = θ(R) - s,   R = R_aᵀ R_b,
///
/// taken between -π and π. On a motion s goes on counting where θ alone would jump from π to -π.
///
/// θ is the twist of R about z: with q the quaternion of R, tan(θ/2) = q_z/q_w, and
///
///     R_21 - R_12 = r sin θ,   R_11 + R_22 = r cos θ,   r = 1 + R_33 = 2 (q_w² + q_z²),
///
/// for any tilt of the z axes against each other but half a turn. Where they are parallel, as in
/// revolute and cylindrical joints, it is the angle between the x axes, and its gradient is z.
///
/// Φ comes from the half angle, 2 atan(sin Φ/(1 + cos Φ)), smooth and without a branch for |Φ| < π.
/// (Recorded, atan2 is two of these functions and a choice between quadrants, of which those not taken
/// divide by zero on every solution, sin Φ = 0.)
///
/// The multiplier is the torque on the coordinate; frame b feels its opposite about the axis, and frame a
/// the torque itself. The coordinate has no mass, so that the sum of all that acts on it is zero.
struct JointAngle {
  enum Parameter { kA, kB = kFrameParameters };

  dae::ElementShape shape() const {
    return {.type = "joint_angle",
            .nodes = {{dae::NodeRole::kFrame, 0, "a"},
                      {dae::NodeRole::kFrame, 0, "b"},
                      {dae::NodeRole::kCoordinates, 1}},
            .parameters = joined(frame_parameters("a"), frame_parameters("b")),
            .constraints = 1};
  }

  template <class S>
  lie::Vec<S, 1> constraint(const dae::Position<S>& at) const {
    using std::atan;
    const Difference<S> d(at);
    return lie::Vec<S, 1>(S(S(2) * atan(d.sine / (d.length + d.cosine))));
  }

  std::string validation_message(const dae::Position<double>& at) const {
    if (const std::string text = two_frames_validation_message(at); !text.empty()) return text;
    const Difference<double> d(at);
    if (d.length < 1e-6) {
      return "has frames whose z axes are opposite; turn one of them by half a turn";
    }
    if (d.cosine > -0.9 * d.length) return "";
    const double s = at.coordinates(2)(0), off = std::atan2(d.sine, d.cosine);
    return "has frames at an angle of " +
           dae::number_text(std::remainder(s + off, 2 * std::numbers::pi)) +
           " rad, but its coordinate starts at " + dae::number_text(s) +
           "; start the coordinate at that angle";
  }

 private:
  /// Sine and cosine of θ - s, both times their length.
  template <class S>
  struct Difference {
    S sine, cosine, length;

    explicit Difference(const dae::Position<S>& at) {
      using std::cos, std::sin;
      const lie::Mat<S, 3> a = at.rotation(0) * attached_orientation(at, kA);
      const lie::Mat<S, 3> b = at.rotation(1) * attached_orientation(at, kB);
      const auto product = [&a, &b](int i, int j) {
        return lie::rotation::dot<S>(a.col(i), b.col(j));
      };
      const S y = product(1, 0) - product(0, 1), x = product(0, 0) + product(1, 1);
      const S s = at.coordinates(2)(0), cosine_s = cos(s), sine_s = sin(s);
      sine = y * cosine_s - x * sine_s;
      cosine = x * cosine_s + y * sine_s;
      length = S(1) + product(2, 2);
    }
  };
};

}  // namespace liegrad::elements

// Compiled in coordinates.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::JointAngle>
    : liegrad::dae::CompiledElement<liegrad::elements::JointAngle> {};
