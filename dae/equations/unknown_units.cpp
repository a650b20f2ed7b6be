#include "liegrad/dae/equations/unknown_units.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

void UnknownUnits::find(Assembly& assembly) {
  const int dof = assembly.multiplier_offset();
  std::vector<double>& units = units_;
  units.assign(index(assembly.size()), 0.0);
  for (int i = 0; i < dof; ++i) {
    const double inertia = std::abs(assembly.entry(i, i));
    if (inertia > 0) units[index(i)] = 1 / std::sqrt(inertia);
  }
  // Multipliers by velocities that have a unit; what has no inertia by multipliers.
  for (int round = 0; round < 2; ++round) {
    std::vector<double>& largest = largest_;
    largest.assign(units.size(), 0.0);
    for (const auto& [row, column] : assembly.pattern()) {
      const double entry = std::abs(assembly.entry(row, column));
      largest[index(row)] = std::max(largest[index(row)], entry * units[index(column)]);
    }
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (units[i] == 0 && largest[i] > 0) units[i] = 1 / largest[i];
    }
  }
  std::ranges::replace(units, 0.0, 1.0);
}

double UnknownUnits::size_of(std::span<const double> v_dot, std::span<const double> lambda,
                             std::span<const double> s) const {
  double largest = 0;
  const double* unit = units_.data();
  for (const std::span<const double> list : {v_dot, lambda, s}) {
    for (const double entry : list) largest = std::max(largest, std::abs(entry) / *unit++);
  }
  return largest;
}

}  // namespace liegrad::dae
