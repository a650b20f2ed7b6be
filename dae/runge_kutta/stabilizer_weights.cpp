#include "liegrad/dae/runge_kutta/stabilizer_weights.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/turn.hpp"

namespace liegrad::dae {

StabilizerWeights::StabilizerWeights(const Model& system)
    : initial_(system.initial_configuration()),
      none_(index(system.dof()), 0.0),
      weights_(index(system.dof()), 1.0) {}

std::span<const double> StabilizerWeights::find(Assembly& matrix) {
  const lie::GroupList& space = matrix.system().configuration_space();
  matrix.set_configuration(initial_);
  matrix.set_velocity(none_);
  matrix.set_acceleration(none_);
  std::ranges::fill(matrix.multipliers(), 0.0);
  std::ranges::fill(matrix.algebraic(), 0.0);
  matrix.set_identity_maps();
  matrix.coefficients() = {};
  matrix.evaluate(true);
  units_.find(matrix);
  for (int i = 0; i < space.size(); ++i) {
    const lie::NodeGroup& group = space.group(i);
    const int first = space.dof_offset(i), angles = num_angles(group.kind);
    if (group.kind == lie::GroupKind::kRn) {
      for (int k = 0; k < group.n; ++k) set(first + k, 1);
    } else {
      set(first, angles);
      set(first + angles, group.dof() - angles);
    }
  }
  return weights_;
}

void StabilizerWeights::set(int first, int count) {
  if (count == 0) return;
  const auto begin = units_.values().begin() + first;
  const double power = std::round(std::log2(*std::min_element(begin, begin + count)));
  std::fill_n(weights_.begin() + first, count, std::isfinite(power) ? std::exp2(2 * power) : 1.0);
}

}  // namespace liegrad::dae
