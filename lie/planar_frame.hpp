#pragma once

#include "liegrad/lie/scalar.hpp"

namespace liegrad::lie {

/// The pose of a planar body as physics uses it: cosine and sine of its angle, and its position.
template <Scalar S>
struct PlanarFrame {
  S cosine, sine;
  Vec<S, 2> position;

  /// A body-fixed point, and a body-fixed direction, in inertial coordinates.
  Vec<S, 2> point(const Vec<S, 2>& in_body) const { return position + direction(in_body); }
  Vec<S, 2> direction(const Vec<S, 2>& in_body) const {
    return {cosine * in_body(0) - sine * in_body(1), sine * in_body(0) + cosine * in_body(1)};
  }
  /// An inertial direction in body coordinates.
  Vec<S, 2> in_body(const Vec<S, 2>& direction) const {
    return {cosine * direction(0) + sine * direction(1),
            cosine * direction(1) - sine * direction(0)};
  }
};

}  // namespace liegrad::lie
