#pragma once

#include "liegrad/sensitivity/step/step_part.hpp"

namespace liegrad::sensitivity {

// The relations between the start and the stages of a Munthe-Kaas step as residuals, in charts q̄_n∘exp(δ_n) and q̄_i∘exp(δ_i)
// whose origins need not be the motion of a step. With rates (p, u) = (θ', v̇) and θ_i = increment_between(δ_n, θ̄_i, δ_i)
//
//     θ_i - h Σ_j a_ij p_j = 0,     v_i - v_n - h Σ_j a_ij u_j = 0,     T(θ_i) p_i - v_i = 0,
//
// in summands, so that nothing is recorded for all stages at once. The step is h = φT.

/// ȳ + y_b - y_a of one number. Inputs y_a, y_b, ȳ.
ad::Recording difference_recording();

/// -h a r of one number. Inputs r, T, φ, a.
ad::Recording increment_share_recording();

/// θ of a part that turns. Inputs δ_a, δ_b, θ̄.
ad::Recording increment_recording(StepPart part);

/// T(θ) p - v of a part that turns. Inputs δ_a, δ_b, θ̄, p, v.
ad::Recording increment_rate_recording(StepPart part);

}  // namespace liegrad::sensitivity
