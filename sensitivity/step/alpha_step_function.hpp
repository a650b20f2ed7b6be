#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/alpha/generalized_alpha.hpp"
#include "liegrad/sensitivity/observe/node_functions.hpp"

namespace liegrad::sensitivity {

/// The relations of a generalized-α method between both ends of a step and its increment, on each part of a configuration
/// space:
///
///     (δ_n, v_n, v̇_n, a_n, Δq, f; h) → (δ_{n+1}, v_{n+1}, v̇_{n+1}, a_{n+1}),   f = B(q_n)ᵀη,
///
/// in the charts q_n∘exp(δ_n) and q_{n+1}∘exp(δ_{n+1}) around both ends of a step that was made with Δq* and h*:
///
///     δ_{n+1} = log(exp(-θ) ∘ exp(δ_n) ∘ exp(hΔq)),   θ = h*Δq*.
///
/// Arguments are Δq - Δq* and h - h* in the places of Δq and h, data are Δq*; h*, α_m, α_f, β, γ, σ. It is to be
/// differentiated, at most twice, where δ_n, Δq - Δq* and h - h* are zero: there δq_{n+1} = Ad(exp(-θ)) δq_n +
/// T(θ) d(hΔq), and in charts all further derivatives are those of an ordinary function of vectors.
NodeFunction alpha_step_function(dae::AlphaVariant variant, dae::SigmaForm form);
/// The one of these that a method has.
NodeMap alpha_step_map(dae::AlphaVariant variant, double sigma);

/// Where the arguments of these relations stand.
struct StepArguments {
  explicit StepArguments(int dof)
      : v(dof),
        v_dot(2 * dof),
        a(3 * dof),
        delta_q(4 * dof),
        force(5 * dof),
        h(6 * dof),
        size(6 * dof + 1) {}
  int q = 0, v, v_dot, a, delta_q, force, h, size;
};

/// The numbers that the relations read of a step: arguments, then data.
class StepPoint {
 public:
  StepPoint(int dof, const dae::AlphaMethod& method);

  /// `force` is B(q_n)ᵀη, or empty.
  void set(const dae::MethodState& start, std::span<const double> delta_q,
           std::span<const double> force, double h);
  std::span<const double> numbers() const { return numbers_; }

 private:
  StepArguments at_;
  std::vector<double> numbers_;
};

}  // namespace liegrad::sensitivity
