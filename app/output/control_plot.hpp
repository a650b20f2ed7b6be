#pragma once

#include <string>

#include "liegrad/control/problem.hpp"
#include "liegrad/control/solution.hpp"

namespace liegrad::app {

/// Controls with their bounds, velocities, reactions, costates and the Hamiltonian over time, as an SVG figure.
std::string control_plot(const control::Problem& problem, const control::Solution& solution);

}  // namespace liegrad::app
