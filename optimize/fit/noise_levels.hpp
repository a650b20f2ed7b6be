#pragma once

#include "liegrad/optimize/fit/statistics.hpp"

namespace liegrad::optimize {

/// First levels of noise: the spread of what was measured, so that outputs of any unit count alike.
void set_first_noise(const FitProblem& problem, FitEngine& engine);

/// Levels of noise from residuals: the root of their mean square with the degrees of freedom that the fit left, or, with
/// a robust loss, from the median of their magnitudes. Given levels stay.
///
/// Other levels move the minimum, and with it residuals. Where residuals are squared that is followed to its end as far
/// as they are linear, so that few searches have to be repeated.
std::vector<double> estimated_noise(const FitProblem& problem, FitEngine& engine,
                                    const FitStatistics& statistics);

}  // namespace liegrad::optimize
