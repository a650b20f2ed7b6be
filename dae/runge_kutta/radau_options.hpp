#pragma once

#include "liegrad/dae/equations/formulation.hpp"
#include "liegrad/dae/linear/linear_solver_kind.hpp"
#include "liegrad/dae/run/newton_options.hpp"

namespace liegrad::dae {

/// How the stages of a step are solved for.
enum class RadauNewton {
  kAutomatic,  ///< simplified as long as that costs less than a full matrix
  kFull,       ///< a new matrix of all stages together in every iteration
  /// Matrices of one stage for all, one real and one complex, which are kept over steps while they are good.
  kSimplified,
};

struct RadauOptions {
  int stages = 3;  ///< 2 or 3, of order 3 and 5
  /// Others than the stabilised one lose order (docs/integrators.md).
  Formulation formulation = Formulation::kStabilized;
  RadauNewton newton = RadauNewton::kAutomatic;
  double relative_tolerance = kRoundingTolerance;  ///< as in NewtonOptions
  bool leave_out_last = true;                      ///< as in NewtonOptions
  int max_iterations = 20;
  LinearSolverKind solver = LinearSolverKind::kAutomatic;
  bool allow_redundant = false;
  /// Whether the states at the ends of steps have the unknowns of the stages, for those who look at steps again.
  bool keep_stages = false;
};

}  // namespace liegrad::dae
