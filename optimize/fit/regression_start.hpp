#pragma once

#include <string>

#include "liegrad/optimize/fit/fit.hpp"

namespace liegrad::optimize {

/// Starts of the shared unknowns from the equations of motion on smoothed data, for guesses from which a run over a whole
/// trial says nothing, see AccelerationRegression: without runs, so that nothing is lost on the way, and nearly linear in
/// inertial parameters, so that no good guess is needed. What data do not determine keeps its start.
///
/// Where what was measured does not determine the configuration, starts come from fits to short pieces of the data, each
/// with a free initial state on the constraints, and the remark says so. Sensor unknowns and unknowns of single trials stay
/// at their starts.
FitProblem start_by_regression(const FitProblem& problem, const FitOptions& options,
                               std::string& remark);

}  // namespace liegrad::optimize
