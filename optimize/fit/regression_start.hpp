#pragma once

#include "liegrad/optimize/fit/fit.hpp"

namespace liegrad::optimize {

/// Starts of the shared unknowns without a given one from a regression on short pieces of the data, for guesses from which
/// a run over a whole trial says nothing.
///
/// Inertial parameters enter the equations of motion linearly, M(q) v̇ + g = Σ p_i φ_i(q, v, v̇). In a piece of a few samples
/// the motion is nearly that of its own initial state, and what parameters change of it is nearly linear in them: least
/// squares over all pieces, each with a free initial state on the constraints, need no good guess. The states smooth the
/// data, so that no accelerations have to be found from differences. Sensor unknowns of the whole trial stay at their starts.
FitProblem start_by_regression(const FitProblem& problem, const FitOptions& options);

}  // namespace liegrad::optimize
