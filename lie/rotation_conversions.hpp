#pragma once

// Rotation matrices and quaternions as users have them, checked before they become group elements.

#include <cmath>
#include <sstream>

#include "liegrad/lie/error.hpp"
#include "liegrad/lie/rotation_tangent.hpp"

namespace liegrad::lie::rotation {

/// How far from exact a user's rotation may be: enough for numbers printed with six digits, far too
/// little for a rotation that is not one.
inline constexpr double kRotationTolerance = 1e-5;

/// Throws InvalidArgument unless |(w,x,y,z)| = 1 up to kRotationTolerance.
template <Scalar S>
void require_unit_quaternion(const Vec<S, 4>& q) {
  using std::abs, std::sqrt;
  const double norm = static_cast<double>(sqrt(value_of<S>(q.squaredNorm())));
  if (abs(norm - 1) <= kRotationTolerance) return;
  std::ostringstream message;
  message << "quaternion (" << value_of<S>(q(0)) << ", " << value_of<S>(q(1)) << ", "
          << value_of<S>(q(2)) << ", " << value_of<S>(q(3)) << ") in the order w, x, y, z has norm "
          << norm << " instead of 1; normalise it, and check the order of its components";
  throw InvalidArgument(message.str());
}

/// Throws InvalidArgument unless RᵀR = I and det R = 1 up to kRotationTolerance.
template <Scalar S>
void require_rotation_matrix(const Mat<S, 3>& matrix) {
  const Mat<double, 3> r =
      matrix.unaryExpr([](const S& x) { return static_cast<double>(value_of<S>(x)); });
  const double defect = (r.transpose() * r - Mat<double, 3>::Identity()).cwiseAbs().maxCoeff();
  if (!(defect <= kRotationTolerance)) {
    std::ostringstream message;
    message << "rotation matrix is not orthonormal: an entry of RᵀR - I has size " << defect
            << "; orthonormalise it first";
    throw InvalidArgument(message.str());
  }
  if (dot<double>(cross<double>(r.col(0), r.col(1)), r.col(2)) < 0) {
    throw InvalidArgument(
        "rotation matrix has determinant -1 (a reflection); swap or negate one of its axes");
  }
}

/// The unit quaternion (w,x,y,z) of a rotation matrix. Each of the four components can be found
/// from the diagonal; the largest is, for it is at least 1/2 and safe to divide by [Shepperd1978].
/// `weight(i)` is four times the square of component i.
template <Scalar S>
Vec<S, 4> quaternion_from_matrix(const Mat<S, 3>& r) {
  using std::sqrt;
  const S one(1);
  const Vec<S, 4> weight(one + r(0, 0) + r(1, 1) + r(2, 2), one + r(0, 0) - r(1, 1) - r(2, 2),
                         one - r(0, 0) + r(1, 1) - r(2, 2), one - r(0, 0) - r(1, 1) + r(2, 2));

  // 4 q_i (q_w, q_x, q_y, q_z) for each i, off-diagonal parts shared.
  const S wx = r(2, 1) - r(1, 2), wy = r(0, 2) - r(2, 0), wz = r(1, 0) - r(0, 1);
  const S xy = r(1, 0) + r(0, 1), xz = r(0, 2) + r(2, 0), yz = r(2, 1) + r(1, 2);
  Vec<S, 4> scaled(weight(0), wx, wy, wz);
  S largest = weight(0);
  const auto take_if_larger = [&](const S& other, const Vec<S, 4>& candidate) {
    scaled = select_lt(largest, other, candidate, scaled);
    largest = select_lt(largest, other, other, largest);
  };
  take_if_larger(weight(1), Vec<S, 4>(wx, weight(1), xy, xz));
  take_if_larger(weight(2), Vec<S, 4>(wy, xy, weight(2), yz));
  take_if_larger(weight(3), Vec<S, 4>(wz, xz, yz, weight(3)));
  return scaled * (S(0.5) / sqrt(largest));
}

}  // namespace liegrad::lie::rotation
