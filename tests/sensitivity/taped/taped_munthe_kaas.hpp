#pragma once

#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"
#include "taped_balance.hpp"
#include "taped_step_end.hpp"

namespace liegrad::testing {

/// A step with an explicit tableau: v̇ of each stage by (19) of [ArnoldCardonaBruels2015], the result moved onto Φ = 0
/// and dΦ/dt = 0 along M⁻¹Bᵀ, as dae::ConstraintProjection says.
TapedState taped_munthe_kaas_step(const dae::System& system, const dae::ButcherTableau& tableau,
                                  const TapedState& start, const TapedStepEnd& to,
                                  TapedBalance& balance);

}  // namespace liegrad::testing
