#pragma once

#include "liegrad/control/nlp.hpp"

namespace liegrad::control {

/// How the cost to go changes along q_n∘exp(δ) at points 1 … N of a solution with Radau steps, from the multipliers of the
/// equations that follow a point; at the last one, of those that lead there.
std::vector<std::vector<double>> radau_costates(const Transcription& transcription, Nlp& nlp,
                                                const Solution& solution);

}  // namespace liegrad::control
