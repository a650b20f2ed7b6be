#pragma once

#include "liegrad/optimize/fit/fit.hpp"

namespace liegrad::optimize {

class FitEngine;

/// "body.q0" and "body.v0" of all nodes that move.
std::vector<std::string> all_initial_values(const dae::System& system);

/// For trials that are pieces of longer recordings, which start from what came before: initial values that are unknowns
/// become those of each trial, and where none was named all are.
void give_trials_initial_values(FitProblem& problem);

/// Starts of the unknown initial values that have no given one, trial by trial: they are fitted to the first samples,
/// with all else at its start. Kept where the whole trial, or its first piece in multiple shooting, then fits better than
/// from the values of the system.
FitProblem with_starts_from_data(const FitProblem& problem, const FitOptions& options);

/// Levels of noise with which outputs of different units are alike: the spread of what was measured.
void set_noise_to_spread(const std::vector<Recording>& recordings, FitEngine& engine);

/// A recording as the outputs themselves would be, without the offsets, gains and delays that its sensors start with.
Recording without_sensor_effects(const FitProblem& problem, int trial);

}  // namespace liegrad::optimize
