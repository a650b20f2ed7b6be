#pragma once

#include "liegrad/optimize/fit/least_squares.hpp"

namespace liegrad::optimize {

/// As minimise(), for minima that may lie at bounds.
///
/// Ceres cuts a step off at the bounds, coordinate by coordinate. What is left of a Gauss–Newton step is no descent
/// direction worth the name when unknowns depend on each other, and the search crawls along the bound. Here an unknown at
/// a bound whose gradient points out of it is fixed there, the search goes on in the others, and one whose gradient
/// points inwards at the end is let go: at the result the projected gradient vanishes.
LeastSquaresSummary minimise_within_bounds(const LeastSquaresProblem& problem,
                                           const LeastSquaresOptions& options, Eigen::VectorXd& x);

/// Whether an unknown is at a bound that the negative gradient leads out of.
bool is_held_by_bound(double value, double lower, double upper, double gradient);

}  // namespace liegrad::optimize
