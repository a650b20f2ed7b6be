#pragma once

#include <string>
#include <vector>

namespace liegrad::dae {

struct ConsistencyOptions {
  /// Move inconsistent initial values to Φ = 0 and dΦ/dt = 0, by the least change in the metric of
  /// the mass matrix; otherwise they are an error.
  bool project = false;
  /// Accept constraints that depend on others, with the multipliers of least norm.
  bool allow_redundant = false;
  /// Ask elements whether their parameters make sense.
  bool check_elements = true;
  /// Values are consistent when |Φ| and |dΦ/dt| are below this part of the magnitudes of their terms, see
  /// EquationScales.
  double tolerance = 1e-9;
};

struct ConsistencyReport {
  double position_change = 0, velocity_change = 0;  ///< largest, in the coordinates of the nodes
  std::vector<std::string> redundant_constraints;
};

}  // namespace liegrad::dae
