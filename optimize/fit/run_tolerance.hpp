#pragma once

#include <memory>

#include "liegrad/optimize/fit/noise_rounds.hpp"

namespace liegrad::optimize {

/// How far, in standard deviations, the error of integration may move estimates.
inline constexpr double kAllowedShift = 0.05;

/// Options of runs before the search: where the tolerance is left open, the largest one.
FitOptions with_first_tolerance(const FitOptions& options);

/// Searches with runs whose error does not matter, see FitOptions::run. Moves x from the start to the minimum.
std::unique_ptr<NoiseRounds> search(const FitProblem& problem, const FitOptions& options,
                                    Eigen::VectorXd& x, FitResult& result);

}  // namespace liegrad::optimize
