#include "liegrad/elements/bodies/inertia_drawing.hpp"

#include <algorithm>
#include <cmath>

namespace liegrad::elements {

dae::Drawing solid_of_inertia(double mass, const lie::Vec<double, 3>& inertia,
                              const dae::Drawing::Point& centre) {
  using V3 = lie::Vec<double, 3>;
  constexpr double kEqual = 1e-9;
  const auto equal = [&](int i, int j) {
    return std::abs(inertia(i) - inertia(j)) <= kEqual * inertia.maxCoeff();
  };
  for (int axis = 0; axis < 3; ++axis) {
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    if (!equal(i, j) || equal(axis, i)) continue;
    // J_axis = m r²/2, J_i = m (3r² + l²)/12.
    const double r = std::sqrt(2 * inertia(axis) / mass);
    const double l = std::sqrt(std::max(0.0, 12 * inertia(i) / mass - 3 * r * r));
    const double least = kLeastThickness * std::max(2 * r, l);
    const V3 half = V3::Unit(axis) * std::max(l, least) / 2;
    return {.rods = {{centre.node, centre.in_body - half, centre.in_body + half,
                      std::max(r, least / 2)}}};
  }
  // J_i = m (l_j² + l_k²)/12.
  V3 edges;
  for (int i = 0; i < 3; ++i) {
    edges(i) = std::sqrt(std::max(0.0, 6 / mass * (inertia.sum() - 2 * inertia(i))));
  }
  return {.boxes = {{centre, edges.cwiseMax(kLeastThickness * edges.maxCoeff())}}};
}

dae::Drawing solid_of_inertia(const lie::Vec<double, 3>& inertia) {
  return solid_of_inertia(2 * inertia.sum(), inertia);
}

dae::Drawing ball_of_mass(double mass) {
  constexpr double kDensity = 1000, kVolumeOfUnitBall = 4.18879;
  return {.spheres = {{{}, std::cbrt(mass / kDensity / kVolumeOfUnitBall)}}};
}

}  // namespace liegrad::elements
