#pragma once

#include "liegrad/ad/recording.hpp"
#include "liegrad/dae/alpha/generalized_alpha.hpp"
#include "liegrad/dae/equations/step_equations.hpp"
#include "liegrad/sensitivity/check/taped_parameters.hpp"
#include "liegrad/sensitivity/step/step_part.hpp"

namespace liegrad::sensitivity {

/// The relations of dae/equations/step_equations.hpp between both ends of a generalized-α step as residuals, for one part of a
/// configuration space with d coordinates, in charts q̄_n∘exp(δ_n) and q̄_{n+1}∘exp(δ_{n+1}) whose origins need not
/// be the ends of a step:
///
///     h (β/γ P v_{n+1} - T(θ) y),   θ = log(exp(-δ_n) ∘ exp(θ̄) ∘ exp(δ_{n+1}))   [Holzinger…, Eqs. (12), (13)]
///     v_{n+1} - v_n - h((1-γ) a_n + γ a_{n+1})                                   [Holzinger…, Eq. (14)]
///     (1-α_m) a_{n+1} + α_m a_n - (1-α_f) v̇_{n+1} - α_f v̇_n                      [Holzinger…, Eq. (15)]
///
/// with exp(θ̄) = q̄_n⁻¹∘q̄_{n+1}; for σ = 0 the first without T and P. A stabilised step has -h B(q_n)ᵀη in addition in
/// its first residuals.
///
/// Inputs (δ, v, v̇, a)_n, (δ, v, v̇, a)_{n+1}, T, φ, θ̄, then the numbers of the method as in TapedParameters; the
/// step is h = φT, a fixed share of a horizon.
ad::Recording defect_recording(StepPart part, dae::SigmaForm form);

}  // namespace liegrad::sensitivity
