#pragma once

#include <limits>
#include <optional>

namespace liegrad::dae {

enum class NewtonKind {
  kFull,        ///< a new matrix in every iteration
  kModified,    ///< the matrix is kept, over steps too, while it contracts well
  kSimplified,  ///< the same, without the damping, stiffness and curvature terms D, K, Z
};

/// What rounding leaves of an equation, as a part of the magnitudes of its terms.
inline constexpr double kRoundingTolerance = 8 * std::numeric_limits<double>::epsilon();

struct NewtonOptions {
  NewtonKind kind = NewtonKind::kFull;
  /// Equations are solved until each is below this part of the magnitudes of its terms, see EquationScales.
  double relative_tolerance = kRoundingTolerance;
  /// When given, the iteration stops instead as soon as |M v̇ + g + Bᵀλ| and |Φ| are below it.
  std::optional<double> residual_tolerance;
  /// Leaves out the evaluation after a correction that is expected to reach rounding. Differences of runs can see that.
  bool leave_out_last = true;
  int max_iterations = 20;
  /// Armijo's rule: a correction that does not reduce the residual is halved.
  bool line_search = true;
  /// A kept matrix is renewed when corrections shrink by less than this factor, or when more than
  /// max_kept_iterations are to be expected.
  double kept_contraction = 0.5;
  int max_kept_iterations = 4;
};

}  // namespace liegrad::dae
