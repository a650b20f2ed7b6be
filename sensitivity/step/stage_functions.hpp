#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/system/model.hpp"
#include "liegrad/sensitivity/step/kernel_sum.hpp"

namespace liegrad::sensitivity {

/// Stages of Munthe-Kaas steps as functions
///
///     (δ_n, θ, v) → (δ, θ'),   δ = log(exp(-θ*)∘exp(δ_n)∘exp(θ)),   θ' = T⁻¹(θ) v,
///
/// in the charts q_n∘exp(δ_n) and q_n∘exp(θ*)∘exp(δ) around the start of a step that was made and a stage of
/// it; θ* is the θ of that stage, a constant. The numbers that are read are (θ, v). Coordinates that commute, with δ = δ_n + θ - θ*
/// and θ' = v, need no kernels. Columns stand side by side, and results are added, as those of KernelSum.
class StageFunctions {
 public:
  using Span = std::span<double>;
  using Const = std::span<const double>;

  explicit StageFunctions(const dae::Model& system);

  void tangent(Const numbers, int columns, Const arguments, Span values);
  void adjoint(Const numbers, int columns, Const values, Span arguments);
  void second(Const numbers, Const weights, Const direction, Span arguments) {
    turning_.second(numbers, weights, direction, arguments);
  }

 private:
  class Terms;
  struct Coordinates {
    int first, count;
  };

  int dof_;
  KernelSum turning_;
  std::vector<Coordinates> linear_;
};

}  // namespace liegrad::sensitivity
