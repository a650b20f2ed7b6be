#pragma once

#include "liegrad/dae/alpha/generalized_alpha.hpp"
#include "liegrad/sensitivity/step/kernel_sum.hpp"
#include "liegrad/sensitivity/step/motion_layout.hpp"

namespace liegrad::sensitivity {

/// Arguments of the relations between both ends of a step and its increment, see step_functions().
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

/// The numbers that step functions read of a step.
class StepPoint {
 public:
  StepPoint(int dof, const dae::AlphaMethod& method);

  /// `force` is B(q_n)ᵀη, or empty.
  void set(const dae::State& start, std::span<const double> delta_q, std::span<const double> force,
           double h);
  std::span<const double> numbers() const { return numbers_; }

  struct Places {
    int v, v_dot, a, delta_q, force, theta, h, method, size;
  };
  const Places& places() const { return at_; }

 private:
  Places at_;
  std::vector<double> numbers_;
};

/// The relations of a generalized-α method as a function of StepArguments:
///
///     (δ_n, v_n, v̇_n, a_n, Δq, f, h) → (δ_{n+1}, v_{n+1}, v̇_{n+1}, a_{n+1}),   f = B(q_n)ᵀη,
///
/// in the charts q_n∘exp(δ_n) and q_{n+1}∘exp(δ_{n+1}) around both ends of a step that was made:
///
///     δ_{n+1} = log(exp(-θ) ∘ exp(δ_n) ∘ exp(hΔq)),   θ = hΔq of that step, a constant.
///
/// Its derivatives at δ = 0 are δq_{n+1} = Ad(exp(-θ)) δq_n + T(θ) d(hΔq), and in charts all further ones are
/// those of an ordinary function of vectors.
///
/// Values stand as in StateLayout, whose λ and s are left alone.
KernelSum step_functions(const dae::Model& system, dae::AlphaVariant variant, double sigma);

}  // namespace liegrad::sensitivity
