#include "liegrad/dae/equations/unknown_units.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

std::vector<double> unknown_units(Assembly& assembly) {
  const int dof = assembly.multiplier_offset();
  std::vector<double> units(index(assembly.size()), 0.0);
  for (int i = 0; i < dof; ++i) {
    const double inertia = std::abs(assembly.entry(i, i));
    if (inertia > 0) units[index(i)] = 1 / std::sqrt(inertia);
  }
  // Multipliers by velocities that have a unit; what has no inertia by multipliers.
  for (int round = 0; round < 2; ++round) {
    std::vector<double> largest(units.size(), 0.0);
    for (const auto& [row, column] : assembly.pattern()) {
      const double entry = std::abs(assembly.entry(row, column));
      largest[index(row)] = std::max(largest[index(row)], entry * units[index(column)]);
    }
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (units[i] == 0 && largest[i] > 0) units[i] = 1 / largest[i];
    }
  }
  std::ranges::replace(units, 0.0, 1.0);
  return units;
}

double size_in_units(std::span<const double> units, std::span<const double> v_dot,
                     std::span<const double> lambda, std::span<const double> s) {
  double largest = 0;
  const double* unit = units.data();
  for (const std::span<const double> list : {v_dot, lambda, s}) {
    for (const double entry : list) largest = std::max(largest, std::abs(entry) / *unit++);
  }
  return largest;
}

}  // namespace liegrad::dae
