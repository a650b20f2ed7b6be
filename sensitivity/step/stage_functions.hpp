#pragma once

#include "liegrad/dae/system/model.hpp"
#include "liegrad/sensitivity/step/kernel_sum.hpp"

namespace liegrad::sensitivity {

/// Stages of Munthe-Kaas steps as functions
///
///     (δ_n, θ, v) → (δ, θ'),   δ = log(exp(-θ*)∘exp(δ_n)∘exp(θ)),   θ' = T⁻¹(θ) v,
///
/// in the charts q_n∘exp(δ_n) and q_n∘exp(θ*)∘exp(δ) around the start of a step that was made and a stage of
/// it; θ* is the θ of that stage, a constant. The numbers that are read are (θ, v).
KernelSum stage_functions(const dae::Model& system);

}  // namespace liegrad::sensitivity
