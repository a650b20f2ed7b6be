#include "liegrad/elements/frame_along.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/text.hpp"
#include "liegrad/lie/rotation_conversions.hpp"

namespace liegrad::elements {

namespace detail {

std::string vector_text(const std::array<double, 3>& v) {
  return "(" + dae::number_text(v[0]) + ", " + dae::number_text(v[1]) + ", " +
         dae::number_text(v[2]) + ")";
}

}  // namespace detail

namespace {

/// The vector with length one; of any length that can be written.
lie::Vec<double, 3> unit_vector(const std::string& what, const std::array<double, 3>& v) {
  const double largest = std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
  if (!std::isfinite(v[0] + v[1] + v[2]) || !(largest > 0)) {
    throw InvalidArgument(what + " of a frame is " + detail::vector_text(v) +
                          "; it must be a vector of finite length other than zero");
  }
  const lie::Vec<double, 3> scaled(v[0] / largest, v[1] / largest, v[2] / largest);
  return scaled / scaled.norm();
}

}  // namespace

dae::BodyFrame frame_along(const std::array<double, 3>& position,
                           const std::array<double, 3>& direction) {
  const lie::Vec<double, 3> d = unit_vector("the z axis", direction);
  lie::Vec<double, 4> e(1 + d(2), -d(1), d(0), 0);
  if (d(2) < 0) e << -d(1), 1 - d(2), 0, d(0);
  e /= e.norm();
  return {.position = position, .orientation = {e(0), e(1), e(2), e(3)}};
}

dae::BodyFrame frame_with_axes(const std::array<double, 3>& position,
                               const std::array<double, 3>& x_axis,
                               const std::array<double, 3>& z_axis) {
  const lie::Vec<double, 3> z = unit_vector("the z axis", z_axis);
  lie::Vec<double, 3> x = unit_vector("the x axis", x_axis);
  x -= z.dot(x) * z;
  constexpr double kParallel = 1e-8;
  if (!(x.norm() > kParallel)) {
    throw InvalidArgument("the x axis " + detail::vector_text(x_axis) + " and the z axis " +
                          detail::vector_text(z_axis) +
                          " of a frame are parallel; give two different directions");
  }
  // Twice, since what is left of x may be short.
  x.normalize();
  x = (x - z.dot(x) * z).normalized();
  lie::Mat<double, 3> axes;
  axes << x, lie::rotation::cross<double>(z, x), z;
  const lie::Vec<double, 4> e = lie::rotation::quaternion_from_matrix<double>(axes);
  return {.position = position, .orientation = {e(0), e(1), e(2), e(3)}};
}

}  // namespace liegrad::elements
