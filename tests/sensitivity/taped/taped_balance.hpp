#pragma once

#include <functional>
#include <optional>
#include <span>

#include "implicit_functions.hpp"
#include "taped_system.hpp"

namespace liegrad::testing {

/// Equations (19) of [ArnoldCardonaBruels2015] on recorded numbers, and what is solved with their derivative by (v̇, λ, s).
class TapedBalance {
 public:
  TapedBalance(const dae::System& system, ImplicitFunctions& implicit)
      : system_(system), implicit_(implicit) {}

  void set_accelerations(std::span<const double> guess, TapedState& at);
  /// The velocity x across the constraints with B x = y, from K (x, ν, σ) = (0, y, 0), where K is the
  /// derivative of (19) by (v̇, λ, s): M x + Bᵀν = 0 where forces do not depend on λ.
  Tapes normal_velocity(const TapedState& at, const Tapes& y);
  /// The x for which constraints(x) = 0, as many as there are, and the other rows of K (x, ν, σ) are zero.
  Tapes normal_change(const TapedState& at, const std::function<Tapes(TapeSpan x)>& constraints);
  /// v̈ from d/dτ of (19) along q∘exp(τv), v + τv̇, t + τ, (v̇, λ, s) + τ(v̈, λ', s'). The equations were
  /// recorded in the first pass as a function of all of these; here that tape is run on recorded numbers.
  Tapes jerk(const TapedState& now);

 private:
  std::size_t dof() const { return dae::index(system_.dof()); }
  std::size_t constraints() const { return dae::index(system_.num_multipliers()); }
  Tapes balance(const TapedState& at) const;
  /// The first part of the z for which change(K z, z) = 0.
  Tapes solve_with_matrix(const TapedState& at,
                          const std::function<void(Tapes& rows, TapeSpan z)>& change);
  /// The inputs of the recorded equations (19): v̇, λ, s, δ, v, t, q, parameters, controls.
  Tapes balance_inputs(const TapedState& at) const;
  /// Equations (19) at q∘exp(δ). Recorded in the first pass, in which all numbers are constants.
  void record_balance(const TapedState& now);

  const dae::System& system_;
  ImplicitFunctions& implicit_;
  std::optional<CppAD::ADFun<Taped, double>> balance_;
};

}  // namespace liegrad::testing
