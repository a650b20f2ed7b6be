#pragma once

#include <functional>
#include <span>
#include <vector>

#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"
#include "taped_balance.hpp"

namespace liegrad::testing {

/// Where a step of a Munthe-Kaas method leads.
struct TapedStepEnd {
  Taped h;
  Tapes controls;
  /// Controls between both ends, by the part c of the step.
  std::function<Tapes(double c)> controls_between;
  /// v̇, λ and s of some state nearby.
  std::vector<double> guess;
};

/// A step with an explicit tableau: v̇ of each stage by (19) of [ArnoldCardonaBruels2015], the result moved onto Φ = 0
/// and dΦ/dt = 0 along M⁻¹Bᵀ, as dae::ConstraintProjection says.
TapedState taped_munthe_kaas_step(const dae::System& system, const dae::ButcherTableau& tableau,
                                  const TapedState& start, const TapedStepEnd& to,
                                  TapedBalance& balance);

}  // namespace liegrad::testing
