#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/equations/assembly.hpp"

namespace liegrad::dae {

/// Units of the unknowns (v̇, λ, s) of (19), in which all are comparable: inertias are one, and then the largest entry of
/// each constraint. Precondition: the assembly holds the matrix of (19).
class UnknownUnits {
 public:
  /// Allocates nothing after the first time.
  void find(Assembly& assembly);
  bool empty() const { return units_.empty(); }
  void clear() { units_.clear(); }
  std::span<const double> values() const { return units_; }
  /// The largest of the unknowns, each in its unit.
  double size_of(std::span<const double> v_dot, std::span<const double> lambda,
                 std::span<const double> s) const;

 private:
  std::vector<double> units_, largest_;
};

}  // namespace liegrad::dae
