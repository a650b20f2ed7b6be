#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <string>

#include "liegrad/dae/system/model.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

/// How many of the first coordinates of an increment of a node are angles.
inline int num_angles(lie::GroupKind kind) {
  switch (kind) {
    case lie::GroupKind::kRn: return 0;
    case lie::GroupKind::kSO2:
    case lie::GroupKind::kSE2: return 1;
    default: return 3;
  }
}

/// A first guess that turns a node by more than this starts from rest instead. Forces that see rotations by
/// their logarithm, such as those of springs and beams, have another value for each full turn: from a guess
/// beyond half a turn Newton's iteration may find the solution with the force of another turn.
inline constexpr double kLargestGuessedTurn = std::numbers::pi / 2;

/// The first node that factor·θ turns by more than `angle`.
inline std::optional<int> node_beyond(double angle, const lie::GroupList& space,
                                      std::span<const double> theta, double factor = 1) {
  const double most = angle * angle / (factor * factor);
  for (int i = 0; i < space.size(); ++i) {
    const int count = num_angles(space.group(i).kind);
    double square = 0;
    for (int k = 0; k < count; ++k) {
      const double entry = theta[index(space.dof_offset(i) + k)];
      square += entry * entry;
    }
    if (square > most) return i;
  }
  return std::nullopt;
}

/// Methods in local coordinates of exp refuse steps of more than half a turn; with error control those of more than this
/// part of it are not tried.
inline constexpr double kLongestTurn = 0.9;

/// The time in which the node that turns fastest makes half a turn; infinite where none turns.
inline double step_of_half_turn(const lie::GroupList& space, std::span<const double> v) {
  double fastest = 0;
  for (int i = 0; i < space.size(); ++i) {
    double square = 0;
    for (int k = 0; k < num_angles(space.group(i).kind); ++k) {
      const double entry = v[index(space.dof_offset(i) + k)];
      square += entry * entry;
    }
    fastest = std::max(fastest, square);
  }
  return fastest > 0 ? std::numbers::pi / std::sqrt(fastest)
                     : std::numeric_limits<double>::infinity();
}

/// Of a step of a Munthe-Kaas method, whose coordinates θ end at 2π, where T is singular.
inline std::string half_turn_message(const Model& system, int node) {
  return "node '" + system.nodes()[index(node)].name +
         "' turns by more than half a turn within one step, which is too long for this motion or, "
         "with an explicit method, for its stiffness";
}

}  // namespace liegrad::dae
