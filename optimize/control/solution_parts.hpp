#pragma once

#include "liegrad/control/ipopt_run.hpp"
#include "liegrad/control/nlp.hpp"

namespace liegrad::control {

/// Throws InvalidArgument for options that make no sense.
void check(const SolveOptions& options);
/// Throws InvalidArgument for a path constraint that the given start violates whatever the controls are, and for a control
/// that acts on nothing.
void check(Transcription& transcription, Nlp& nlp);

/// What was chosen where the options leave the method open.
std::string reason_for_method(const Problem& problem);

/// The motion, controls and costates of an iterate, with its cost.
void read_motion(const Transcription& transcription, Nlp& nlp, const Iterate& iterate,
                 Solution& solution);
/// The largest violation, and all of them with their names, worst first, as far as there are `count`.
double find_violations(const Transcription& transcription, Nlp& nlp, std::span<const double> x,
                       std::size_t count, std::vector<Violation>& violations);

}  // namespace liegrad::control
