#pragma once

#include "liegrad/optimize/fit/fit.hpp"

namespace liegrad::optimize {

struct MultipleShootingOptions {
  /// Length of a segment; a twentieth of each trial unless given.
  double segment = 0;
  int max_iterations = 100;
  /// Of the gaps between the end of a segment and the start of the next, in the units of the outputs of nodes.
  double gap_tolerance = 1e-9;
};

/// The same as fit() for long, unstable or chaotic records, on which the run from the start alone loses the data.
///
/// Each trial is cut into segments with initial values of their own, which start from the data. A constrained
/// Gauss–Newton method [Bock1987] then minimises the residuals of all segments subject to continuity: configuration
/// on the group, and velocity. Steps are in the null space of the linearised conditions, and are shortened until an exact
/// penalty function falls. At the end the conditions hold to the tolerance, so that the minimum is that of one run.
///
/// The initial values of the system must be parameters, and all of them unknown. Throws InvalidArgument where they
/// are not, or do not reach the states of its motion.
FitResult fit_by_multiple_shooting(const FitProblem& problem, const FitOptions& options,
                                   const MultipleShootingOptions& shooting = {});

}  // namespace liegrad::optimize
