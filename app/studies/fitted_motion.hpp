#pragma once

#include <string>

#include "liegrad/optimize/fit/fit.hpp"

namespace liegrad::app {

/// The system with the values that a fit found; of those that each trial has for itself, with those of the first.
dae::System fitted_system(const optimize::FitProblem& problem, const optimize::FitResult& result);

/// All outputs of the fitted run of a recording, as a table like that of `simulate --out`. Throws Error when the run
/// does not come to its end or the file cannot be written.
void write_motion(const dae::System& system, const optimize::Recording& recording,
                  const optimize::FittedTrial& trial, dae::IntegrateOptions options,
                  const std::string& file);

}  // namespace liegrad::app
