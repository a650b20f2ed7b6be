#pragma once

#include <string>

#include "liegrad/control/solve_phases.hpp"

namespace liegrad::app {

/// Motion, controls and multipliers of a solution as JSON, with all digits: what a search can begin with.
void write_solution_file(const control::Problem& problem, const control::Solution& solution,
                         const std::string& file);
void write_solution_file(const control::PhasedProblem& problem,
                         const control::PhasedSolution& solution, const std::string& file);

/// Throws InvalidArgument for a file that is none, with the place in it, or that belongs to another system.
control::Solution read_solution_file(const control::Problem& problem, const std::string& file);
control::PhasedSolution read_solution_file(const control::PhasedProblem& problem,
                                           const std::string& file);

}  // namespace liegrad::app
