#pragma once

#include <functional>
#include <span>
#include <vector>

#include "liegrad/control/problem.hpp"
#include "liegrad/dae/state.hpp"

namespace liegrad::control {

/// Controls at a time, of the piece of them that another time is in.
using PiecewiseControls = std::function<void(double t, double within, std::span<double> u)>;

/// The cost of a run with steps of equal length, a multiple of four, by Boole's rule over four steps each: of order 6
/// where states and controls are smooth in these.
double cost_of_run(const Problem& problem, std::span<const double> parameters,
                   std::span<const dae::State> states, const PiecewiseControls& controls);

}  // namespace liegrad::control
