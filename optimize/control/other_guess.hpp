#pragma once

#include "liegrad/control/phased_problem.hpp"

namespace liegrad::control {

/// The problem with another guess, drawn by a number: the motion is that of the problem's own guess with three
/// half-waves of random size in each coordinate, controls are constants within their bounds (of size 1 where there are
/// none), and a free horizon is up to twice as long or short.
Problem with_other_guess(const Problem& problem, unsigned number);
/// The same of each phase; those without a guess of their own go on from where the phase before is guessed to end.
PhasedProblem with_other_guess(const PhasedProblem& problem, unsigned number);

}  // namespace liegrad::control
