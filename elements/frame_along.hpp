#pragma once

#include <array>
#include <string>

#include "liegrad/dae/system/system.hpp"

namespace liegrad::elements {
namespace detail {

std::string vector_text(const std::array<double, 3>& v);

}  // namespace detail

/// A frame whose z axis, which is the axis of most joints, points along a vector of any length but
/// zero, both in the body. Its x axis is one of many; where it matters, see frame_with_axes().
///
/// Of all turns from z to d the shortest has the quaternion (1 + d_z, -d_y, d_x, 0), which vanishes for
/// d = -z; below the xy plane a half turn about x comes first, and the rest is again shorter than a
/// right angle.
dae::BodyFrame frame_along(const std::array<double, 3>& position,
                           const std::array<double, 3>& direction);

/// A frame with a given z axis, and an x axis in the half plane of z and the vector `x_axis`: what of that
/// vector is along z does not count.
dae::BodyFrame frame_with_axes(const std::array<double, 3>& position,
                               const std::array<double, 3>& x_axis,
                               const std::array<double, 3>& z_axis);

}  // namespace liegrad::elements
