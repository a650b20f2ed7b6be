#pragma once

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/lie/so3.hpp"

namespace liegrad::control {

/// The coefficients of exp(r) in SO(3).
inline std::vector<double> rotation_coeffs(const lie::Vec<double, 3>& r) {
  const auto c = lie::SO3<double>::exp(r).coeffs();
  return {c(0), c(1), c(2), c(3)};
}

/// The unit vector of axis1, axis2, axis3. Throws InvalidArgument when they are zero.
inline lie::Vec<double, 3> axis_of(const Settings& settings) {
  const lie::Vec<double, 3> axis(settings("axis1"), settings("axis2"), settings("axis3"));
  if (!(axis.norm() > 0)) {
    throw InvalidArgument("the axis (axis1, axis2, axis3) is zero; name a direction to turn about");
  }
  return axis.normalized();
}

}  // namespace liegrad::control
