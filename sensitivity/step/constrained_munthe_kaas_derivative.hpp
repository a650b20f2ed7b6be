#pragma once

#include <memory>

#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"
#include "liegrad/sensitivity/step/derivative.hpp"

namespace liegrad::sensitivity {

/// Derivatives of the steps of dae::ConstrainedMuntheKaas: explicit stages
///
///     θ_i = h Σ_j a_ij p_j,   v_i = v_n + h Σ_j a_ij u_j,   q_i = q_n∘exp(θ_i),
///     p_i = T⁻¹(θ_i) v_i,     (u, λ, s)_i by (19), [ArnoldCardonaBruels2015], at (q_i, v_i, t_n + c_i h),
///
/// a result (q̃, ṽ) with weights b_j that is projected onto the constraints, and v̇, λ and s of (19) there. Each part is a
/// function of those before it: StageMotion, AccelerationDerivative, ProjectionDerivative. Stages are found again from the
/// start of a step, as in munthe_kaas_derivative(), and controls are what they are there.
std::unique_ptr<StepDerivative> constrained_munthe_kaas_derivative(
    const dae::Model& system, const dae::ButcherTableau& tableau);

}  // namespace liegrad::sensitivity
