#pragma once

#include "liegrad/control/nlp.hpp"
#include "liegrad/control/solution.hpp"

namespace liegrad::control {

/// The feedback that keeps a disturbed motion optimal to first order, see Solution::gains; empty where there is none
/// because the solution is no minimum. Moves the reference of the transcription to the solution; at the start of periodic
/// nodes, whose reference stays, δ counts from the initial values of the system.
///
/// Let s be the unknowns of a point as the start of a step and e those of its end, and ½ eᵀV_{n+1}e the cost to go beyond
/// it. Elimination of a step from the last one on,
///
///     H_ee + Σ + V_{n+1}   J_eᵀ     e       H_es
///     J_e                 -Σ_g⁻¹    y  = -( J_s  ) s,     V_n = H_ss + H_se de/ds + J_sᵀ dy/ds,
///
/// with barrier terms Σ of active bounds, leaves G_n = du_{n+1}/ds_n.
std::vector<std::vector<double>> feedback_gains(Transcription& transcription, Nlp& nlp,
                                                const Solution& solution);

}  // namespace liegrad::control
