#pragma once

// The one list of elements at which formulas of Lie groups break, and a few ordinary ones.

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "values.hpp"

namespace liegrad::test {

/// A rotation angle, and whether the rest of the tangent is as small as it.
struct HostileAngle {
  Value angle;
  const char* why;
};

inline const std::vector<HostileAngle>& hostile_angles() {
  constexpr Value kPi = std::numbers::pi_v<Value>;
  static const std::vector<HostileAngle> angles = {
      {0, "zero"},
      {1e-300L, "its square underflows"},
      {1e-16L, "below the precision of double"},
      {1e-8L, "its square is the precision of double"},
      {0.5L, "ordinary"},
      {0.9799L, "tan(θ/4)² just below the arctangent's switch, 1/16"},
      {0.9800L, "just above it"},
      {1.3L, "ordinary"},
      {2 - 1e-6L, "θ² just below the Stumpff switch, 4"},
      {2, "θ² at the switch"},
      {2 + 1e-6L, "θ² just above it"},
      {3, "ordinary, large"},
      {kPi - 1e-8L, "the logarithm's sign is about to change"},
      {kPi, "either sign is a logarithm"},
      {4 - 1e-6L, "θ²/4 just below the Stumpff switch"},
      {4 + 1e-6L, "θ²/4 just above it"},
      {2 * kPi - 1e-6L, "T is nearly singular"},
      {30, "several turns"},
  };
  return angles;
}

/// Tangents of a group with `dof` coordinates of which `rotations` are rotation vectors or angles:
/// each hostile angle about several axes, with the other coordinates ordinary; the whole tangent
/// scaled to tiny and to |v| = 30; a few random ones from a fixed seed.
inline std::vector<Values> hostile_tangents(int dof, const std::vector<RotationPart>& rotations) {
  using Axis = Eigen::Matrix<Value, 3, 1>;
  // A generic axis, a coordinate axis (zeros in the formulas), a negative one, nearly parallel ones.
  static const std::vector<Axis> axes = {Axis(0.36L, -0.48L, 0.8L), Axis(0, 0, -1),
                                         Axis(-1, 1e-9L, 0).normalized()};
  const auto ordinary = [](int i) { return std::cos(Value(1.3L) + 2 * i); };

  std::vector<Values> tangents;
  for (std::size_t a = 0; a < hostile_angles().size(); ++a) {
    Values v(dof, 1);
    for (int i = 0; i < dof; ++i) v(i) = ordinary(i);
    for (std::size_t r = 0; r < rotations.size(); ++r) {
      const Axis& axis = axes[(a + r) % axes.size()];
      for (int i = 0; i < rotations[r].size; ++i) {
        v(rotations[r].at + i) =
            hostile_angles()[a].angle * (rotations[r].size == 1 ? (r % 2 == 0 ? 1 : -1) : axis(i));
      }
    }
    tangents.push_back(v);
  }

  Values direction(dof, 1);
  for (int i = 0; i < dof; ++i) direction(i) = ordinary(i + 1);
  direction /= direction.norm();
  for (const Value size : {0.0L, 1e-300L, 1e-16L, 1e-8L, 30.0L})
    tangents.push_back(size * direction);

  std::mt19937 rng(20240229);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  for (int k = 0; k < 4; ++k) {
    Values v(dof, 1);
    for (int i = 0; i < dof; ++i) v(i) = uniform(rng);
    tangents.push_back(v);
  }
  return tangents;
}

}  // namespace liegrad::test
