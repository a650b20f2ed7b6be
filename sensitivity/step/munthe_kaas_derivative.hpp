#pragma once

#include <memory>

#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"
#include "liegrad/sensitivity/step/derivative.hpp"

namespace liegrad::sensitivity {

/// Derivatives of Munthe-Kaas steps, see dae/runge_kutta/munthe_kaas.hpp. With rates (p_j, u_j) = (θ', v̇) a stage is
///
///     θ_i = h Σ_j a_ij p_j,   v_i = v_n + h Σ_j a_ij u_j,   q_i = q_n∘exp(θ_i),
///     p_i = T⁻¹(θ_i) v_i,     M u_i + g = 0 at (q_i, v_i, t_n + c_i h),
///
/// and the end of the step is one with weights b_j, at t_{n+1}, unless it is the last stage of an implicit
/// tableau. Stages are found again from the start of a step: the first of an explicit tableau is the
/// (v_n, v̇_n) of the state, all others follow from those before; those of an implicit one are solved for
/// together, and differentiated by the implicit function theorem.
///
/// Controls are variables at both ends of a step, and so at stages with c_i = 0 or 1. Between them they are what the law
/// says, zero without one, and move with those of the end, as where they are constant in a step.
///
/// With constraints or algebraic states u_i is that of (19) and the end is projected, see
/// constrained_munthe_kaas_derivative().
///
/// Throws InvalidArgument where make_munthe_kaas() does.
std::unique_ptr<StepDerivative> munthe_kaas_derivative(const dae::Model& system,
                                                       const dae::ButcherTableau& tableau,
                                                       const dae::NewtonOptions& newton);

}  // namespace liegrad::sensitivity
