#pragma once

#include "liegrad/lie/so3.hpp"

namespace liegrad::lie::rotation {

/// The rotation R_aᵀR_b between two frames, as elements need it that have rotation matrices: springs, beams.
/// The matrix is not checked; rounding of its entries changes the result by as much, for all angles up to π,
/// where the rotation vector jumps to its opposite. Branches are recorded.
template <Scalar S>
struct RelativeRotation {
  /// p = tan(θ/4) n for the angle θ ≤ π about n: (x,y,z)/(1+w) of the quaternion with w ≥ 0, which is regular
  /// for all θ < 2π.
  Vec<S, 3> quarter_tangent;
  /// log R = θ n = 4 atan(|p|)/|p| p.
  Vec<S, 3> vector;

  explicit RelativeRotation(const Mat<S, 3>& r) {
    const Vec<S, 4> q = quaternion_from_matrix<S>(r);
    const S sign = select_lt(q(0), S(0), S(-1), S(1));
    const S inverse = sign / (S(1) + sign * q(0));
    quarter_tangent << inverse * q(1), inverse * q(2), inverse * q(3);
    vector = S(S(4) * arctan_ratio(dot<S>(quarter_tangent, quarter_tangent))) * quarter_tangent;
  }

  /// exp(s log R) for s = 1/2, without a series: p is the tangent of half its angle.
  Mat<S, 3> halfway() const {
    const S twice = S(2) / (S(1) + dot<S>(quarter_tangent, quarter_tangent));
    return quadratic<S>(twice, twice, quarter_tangent);
  }
};

/// log R of a rotation matrix.
template <Scalar S>
Vec<S, 3> logarithm(const Mat<S, 3>& r) {
  return RelativeRotation<S>(r).vector;
}

}  // namespace liegrad::lie::rotation
