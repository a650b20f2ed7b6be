#pragma once

#include <type_traits>

#include "liegrad/lie/se3.hpp"
#include "liegrad/lie/so3xr3.hpp"

namespace liegrad::lie {

/// The pose of a rigid body as physics uses it: rotation matrix and position.
///
/// A group element stores a quaternion, which composes cheaply; a frame stores the matrix, which acts
/// and differentiates cheaply: along a perturbation q∘exp(δ) the matrix changes by R δ~, entries
/// of R with signs, while every quaternion product carries four numbers where three would do.
template <Scalar S>
struct Frame {
  Mat<S, 3> rotation;
  Vec<S, 3> position;

  template <class G>
  static Frame of(const G& pose) {
    return {pose.rotation().matrix(), pose.translation()};
  }
  template <Scalar T>
  Frame<T> cast() const {
    return {rotation.template cast<T>(), position.template cast<T>()};
  }

  /// A body-fixed point, and a body-fixed direction, in inertial coordinates.
  Vec<S, 3> point(const Vec<S, 3>& in_body) const { return position + rotation * in_body; }
  Vec<S, 3> direction(const Vec<S, 3>& in_body) const { return rotation * in_body; }
  /// An inertial direction in body coordinates.
  Vec<S, 3> in_body(const Vec<S, 3>& direction) const { return rotation.transpose() * direction; }

  /// The frame of q∘exp(δ), where this is the frame of q in the group G.
  template <template <class> class G>
  Frame displaced(const Vec<S, 6>& delta) const {
    const Vec<S, 3> omega = delta.template head<3>(), u = delta.template tail<3>();
    const auto c = rotation::stumpff_of<3, S>(omega);
    // Rodrigues' formula, [ArnoldCardonaBruels2015, Eq. (10)], and Tᵀ of (11b).
    const Mat<S, 3> turn = rotation::quadratic<S>(c(1), c(2), omega);
    if constexpr (std::is_same_v<G<S>, SE3<S>>) {
      const Mat<S, 3> shift = rotation::quadratic<S>(c(2), c(3), omega);
      return {rotation * turn, position + rotation * (shift * u)};
    } else {
      static_assert(std::is_same_v<G<S>, SO3xR3<S>>);
      return {rotation * turn, position + u};
    }
  }
};

}  // namespace liegrad::lie
