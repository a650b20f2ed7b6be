#pragma once

#include <string>
#include <vector>

#include "liegrad/dae/system/text.hpp"
#include "liegrad/elements/attached_frame.hpp"

namespace liegrad::elements {

/// What a joint does to b, as outputs: the force on b that acts at the joint's point of b and, of joints
/// that have one, the torque, in the inertial frame. On a act the same force, at the same point in space,
/// and torque with the other sign.
///
/// They follow from the power -λ·dΦ/dt of the forces -Bᵀλ. For Φ = e·(x_a - x_b) with an axis e of frame
/// a or of the inertial frame it is λ e·u_b + (terms of a): the force λe on b at its point. For
/// Φ = e·d with an axis e of a and d of b, dΦ/dt = ω_b·(d×e) + (terms of a): the torque λ e×d on b.
inline std::vector<dae::OutputSpec> reaction_force() {
  return {{"force", 3, "on b, in the inertial frame"}};
}
inline std::vector<dae::OutputSpec> reaction_force_and_torque() {
  return {{"force", 3, "on b at its point of the joint, in the inertial frame"},
          {"torque", 3, "on b about its point of the joint, in the inertial frame"}};
}

template <class S>
lie::Vec<S, 6> force_and_torque(const lie::Vec<S, 3>& force, const lie::Vec<S, 3>& torque) {
  lie::Vec<S, 6> both;
  both << force, torque;
  return both;
}

/// What is wrong with the orientation of an attached frame whose parameters begin there: a quaternion
/// may have any length but zero.
inline std::string frame_validation_message(const dae::Position<double>& at,
                                            const std::string& prefix, int first_parameter) {
  double square = 0;
  for (int i = kPointParameters; i < kFrameParameters; ++i) {
    square += at.parameter(first_parameter + i) * at.parameter(first_parameter + i);
  }
  if (square > 0) return {};
  return "has the quaternion (0, 0, 0, 0) as orientation of its frame " + prefix +
         "; it may have any length but zero";
}

/// Of joints between two frames, a and b.
inline std::string two_frames_validation_message(const dae::Position<double>& at) {
  const std::string of_a = frame_validation_message(at, "a", 0);
  return of_a.empty() ? frame_validation_message(at, "b", kFrameParameters) : of_a;
}

}  // namespace liegrad::elements
