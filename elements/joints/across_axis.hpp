#pragma once

#include "liegrad/lie/frame.hpp"

namespace liegrad::elements {

/// A point is on the z axis of frame a: (x·r, y·r) with the axes x, y of the frame and r from the point to
/// its origin. Measured along axes that move with a, both numbers are distances in every configuration.
template <class S>
lie::Vec<S, 2> across_axis(const lie::Frame<S>& a, const lie::Vec<S, 3>& point) {
  using lie::rotation::dot;
  const lie::Vec<S, 3> r = a.position - point;
  return {dot<S>(a.rotation.col(0), r), dot<S>(a.rotation.col(1), r)};
}

/// The force of their multipliers at the point, in the inertial frame.
template <class S>
lie::Vec<S, 3> across_axis_force(const lie::Frame<S>& a, const S& lambda_x, const S& lambda_y) {
  return lambda_x * a.rotation.col(0) + lambda_y * a.rotation.col(1);
}

}  // namespace liegrad::elements
