#pragma once

#include <string>

#include "liegrad/control/problem.hpp"
#include "liegrad/control/solve_phases.hpp"

namespace liegrad::app {

/// Controls with their bounds, velocities, reactions, costates and the Hamiltonian over time, as an SVG figure.
std::string control_plot(const control::Problem& problem, const control::Solution& solution);

/// The same of several phases, one behind the other; dotted lines stand between them.
std::string control_plot(const control::PhasedProblem& problem,
                         const control::PhasedSolution& solution);

}  // namespace liegrad::app
