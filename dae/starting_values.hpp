#pragma once

#include "liegrad/dae/consistency.hpp"
#include "liegrad/dae/step_equations.hpp"

namespace liegrad::dae {

/// a_0, and for index 3 the velocity v_0, from which a generalized-α method starts.
enum class StartingValues {
  kClassical,            ///< a_0 = v̇_0: λ has errors of first order at the start
  kCorrected,            ///< Tables 1 and 2 of [ArnoldCardonaBruels2015], v̈(t_0) by AD
  kCorrectedDifference,  ///< the same, v̈(t_0) by their difference quotient
};

/// s of Table 1: the difference quotient spans 2sh.
inline constexpr double kStartingSpan = 0.1;
/// The state at q_0∘exp(τv + τ²/2 v̇), v + τv̇, t + τ, with its v̇, λ and s: steps 3 and 4 of Table 1.
State state_beside(const State& state, double tau, Consistency& consistency);

/// Changes a consistent state accordingly.
///
/// Table 1 sets a_0 = v̇_0 + Δ_α h v̈_0; Table 2, for index 3, also moves v_0 by the part of the local
/// error h²(C_q v̈ + c v̂v̇) that the constraints feel, so that they do not answer it with oscillating
/// multipliers; c = ¼(⅓ - σβ/γ) of [HolzingerArnoldGerstmayr2025, Eq. (40)] is 1/12 for σ = 0.
void set_starting_values(StartingValues kind, const AlphaMethod& method, Formulation formulation,
                         double h, Consistency& consistency, State& state);

}  // namespace liegrad::dae
