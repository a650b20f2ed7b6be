#pragma once

#include <functional>
#include <span>
#include <vector>

#include "liegrad/control/problem.hpp"
#include "liegrad/dae/state.hpp"

namespace liegrad::control {

/// The cost of a run with steps of equal length, a multiple of four, by Boole's rule over four steps each: of order 6
/// where states and controls are smooth.
double cost_of_run(const Problem& problem, std::span<const double> parameters,
                   std::span<const dae::State> states,
                   const std::function<void(double t, std::span<double> u)>& controls);

}  // namespace liegrad::control
