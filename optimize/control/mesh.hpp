#pragma once

#include <vector>

#include "liegrad/control/solution.hpp"

namespace liegrad::control {

/// An estimate of the error that each step of a solution makes by itself, relative to the largest velocity: that of the
/// trapezoidal rule,
///
///     h³/12 |d³v/dt³|,
///
/// with the second divided difference of v̇ at three neighbouring points. It is of first order in h where controls jump.
std::vector<double> step_errors(const Solution& solution);

/// The shares of the horizon at the points of a solution, and at the middles of its steps where errors are large: of the
/// third of all steps with the largest ones, and of all whose error is more than a tenth of the largest. No step is more
/// than twice as long as its neighbours.
std::vector<double> finer_mesh(const Solution& solution);

}  // namespace liegrad::control
