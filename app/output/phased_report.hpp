#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "liegrad/control/solve_phases.hpp"

namespace liegrad::app {

/// The summary of an optimal control of several phases and its certificate, with those of the phases.
nlohmann::ordered_json phased_json(const control::PhasedProblem& problem,
                                   const control::PhasedSolution& solution);
/// The same for a reader.
void print_phases(const control::PhasedProblem& problem, const control::PhasedSolution& solution,
                  bool verbose);
/// Times of the whole, the number of the phase, then outputs and controls of all systems; what a phase does not have is
/// left empty. A link is written twice, before and behind it.
void write_phased_motion(const control::PhasedProblem& problem,
                         const control::PhasedSolution& solution, const std::string& file);

}  // namespace liegrad::app
