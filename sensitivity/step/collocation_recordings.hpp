#pragma once

#include "liegrad/sensitivity/step/step_part.hpp"

namespace liegrad::sensitivity {

// The relations between the start and the stages of a Radau step as residuals, in charts q̄_n∘exp(δ_n) and q̄_i∘exp(δ_i)
// whose origins need not be the motion of a step. With K = A⁻¹ and θ_i = log(exp(-δ_n)∘exp(θ̄_i)∘exp(δ_i)), where
// exp(θ̄_i) = q̄_n⁻¹∘q̄_i, RadauKinematics says
//
//     T(θ_i) Σ_j K_ij θ_j - h v_i + h W B(q_n)ᵀη_i = 0,     Σ_j K_ij (v_j - v_n) - h v̇_i = 0.
//
// The first are divided by the diagonal W, so that elements add B(q_n)ᵀ(hη_i) as it is: w = 1/W. They are recorded in
// summands, since T(θ)θ = θ, so that nothing is recorded for all stages at once. The step is h = φT.

/// w (Σ_j K_ij (ȳ_j + y_j - y_n) - h r) of one number. Inputs y_n, y_1 …, ȳ_1 …, r, T, φ, K_i1 …, w.
ad::Recording rate_recording(int stages);

/// w (K_ii θ_i - h v_i) of a part that turns. Inputs δ_n, δ_i, v_i, θ̄_i, T, φ, K_ii, w.
ad::Recording own_turn_recording(StepPart part);

/// w K_ij T(θ_i) θ_j of a part that turns. Inputs δ_n, δ_i, δ_j, θ̄_i, θ̄_j, K_ij, w.
ad::Recording other_turn_recording(StepPart part);

}  // namespace liegrad::sensitivity
