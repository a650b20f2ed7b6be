#pragma once

#include "liegrad/lie/frame.hpp"

namespace liegrad::elements {

/// The conditions that keep frame b turned like frame a, three entries of the matrix R = R_aᵀR_b:
///
///     (y_a·z_b, -x_a·z_b)     the z axes are parallel,
///     x_a·y_b                 with them: no turn about z.
///
/// With the first two, z_b is z_a or -z_a. With all three R is a triangular rotation matrix, hence diagonal:
/// the identity or a half turn about an axis of the frame. Other choices have roots nearer by: R_12, R_23 and
/// R_31 vanish together for turns by 120° about (1,1,1) too. The gradient is regular for turns by less than a
/// right angle, and Newton's method comes home from 60° (FixedJoint.HasNoOtherRootNearby). At R = I it is the
/// identity, and by the signs the multipliers are the torque on b about the axes x, y and z of a.
template <class S>
lie::Vec<S, 2> tilt_of_axes(const lie::Frame<S>& a, const lie::Frame<S>& b) {
  using lie::rotation::dot;
  return {dot<S>(a.rotation.col(1), b.rotation.col(2)),
          -dot<S>(a.rotation.col(0), b.rotation.col(2))};
}
template <class S>
S turn_about_axis(const lie::Frame<S>& a, const lie::Frame<S>& b) {
  return lie::rotation::dot<S>(a.rotation.col(0), b.rotation.col(1));
}

/// The torque on b of their multipliers, in the inertial frame.
template <class S>
lie::Vec<S, 3> tilt_torque(const lie::Frame<S>& a, const lie::Frame<S>& b, const S& lambda_x,
                           const S& lambda_y) {
  return lie::rotation::cross<S>(lambda_x * a.rotation.col(1) - lambda_y * a.rotation.col(0),
                                 b.rotation.col(2));
}
template <class S>
lie::Vec<S, 3> turn_torque(const lie::Frame<S>& a, const lie::Frame<S>& b, const S& lambda) {
  return lambda * lie::rotation::cross<S>(a.rotation.col(0), b.rotation.col(1));
}

}  // namespace liegrad::elements
