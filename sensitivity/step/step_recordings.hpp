#pragma once

#include <type_traits>

#include "liegrad/ad/kernel_list.hpp"
#include "liegrad/dae/alpha/generalized_alpha.hpp"
#include "liegrad/dae/equations/step_equations.hpp"
#include "liegrad/lie/se2.hpp"
#include "liegrad/lie/se3.hpp"

namespace liegrad::sensitivity {

/// Parts of a configuration space that move by themselves, see for_each_part().
enum class StepPart { kLinear, kSO3, kSE3, kSE2 };

/// That of a node that turns.
template <template <class> class G>
constexpr StepPart step_part_of() {
  if constexpr (std::is_same_v<G<double>, lie::SE3<double>>) return StepPart::kSE3;
  if constexpr (std::is_same_v<G<double>, lie::SE2<double>>) return StepPart::kSE2;
  return StepPart::kSO3;
}

int step_part_dof(StepPart part);

/// α_m, α_f, β, γ, σ.
inline constexpr int kNumMethodNumbers = 5;

/// The relations of step_functions() for one part with d coordinates: variables (δ_n, v_n, v̇_n, a_n, Δq, f, h),
/// data (θ, method), values (δ_{n+1}, v_{n+1}, v̇_{n+1}, a_{n+1}). A coordinate that commutes has the same
/// relations in all variants.
ad::Recording step_recording(StepPart part, dae::AlphaVariant variant, dae::SigmaForm form);

/// Adds the kernels of Lie-group methods to those compiled when a program is built, for second derivatives only
/// those with σ = 0.
void list_step_kernels(ad::KernelList& list);

}  // namespace liegrad::sensitivity
