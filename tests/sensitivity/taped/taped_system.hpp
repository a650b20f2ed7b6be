#pragma once

// The equations and the outputs of a system on recorded numbers, from the elements themselves.

#include "liegrad/dae/system/system.hpp"
#include "taped_numbers.hpp"

namespace liegrad::testing {

/// A system at one time, and what else its equations depend on.
struct TapedState {
  Taped t;
  Tapes q, v, v_dot, a, lambda, s, parameters, controls;
};

/// The sums that the equations of a system consist of, at a state.
struct Rows {
  Tapes motion, algebraic;                 ///< M v̇ + g + Bᵀλ, h_s
  Tapes position, velocity, acceleration;  ///< Φ, dΦ/dt, d²Φ/dt²
};
Rows rows_at(const dae::System& system, const TapedState& at);

/// All outputs but the residuals, in the order of dae::Outputs.
Tapes outputs_at(const dae::System& system, const TapedState& at);

}  // namespace liegrad::testing
