#pragma once

#include <type_traits>

#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "liegrad/dae/alpha/alpha_options.hpp"
#include "liegrad/dae/equations/step_equations.hpp"
#include "liegrad/dae/start/consistency.hpp"

namespace liegrad::dae {

/// s of Table 1: the difference quotient spans 2sh.
inline constexpr double kStartingSpan = 0.1;
/// The state at q_0∘exp(τv + τ²/2 v̇), v + τv̇, t + τ, with its v̇, λ and s: steps 3 and 4 of Table 1.
State state_beside(const State& state, double tau, Consistency& consistency);

/// The terms by which starting values differ between methods.
///
/// A step is generalized-α in coordinates whose third derivative at its start is
///
///     w = v̈ + a v̂v̇ + c |Ω|²Ω,
///
/// and its local error in q is h³(C_q w + b v̂v̇).
/// - Lie-group methods: a = c = 0, b = ¼(⅓ - σβ/γ) [HolzingerArnoldGerstmayr2025, Eq. (40)].
/// - Updated Lagrangian methods are linear in x with q = q_n∘μ(x), v = T(x)ẋ
///   [BruelsCardonaArnold2012, Eqs. (73), (74)], so that w = d³x/dt³ and b = 0. T = I - x̂/2 + O(x²) gives
///   v̈ = w - ½ v̂v̇, where the second-order term of exp has no share as x̂ẋ = 0 for x = tẋ. Conformal
///   rotation vectors, Eq. (81), are longer than rotation vectors by |x|²x/48, of which the third
///   derivative is ⅛|Ω|²Ω.
struct StartingTerms {
  double commutator = 0;        ///< a
  double cube = 0;              ///< c
  double error_commutator = 0;  ///< b
};
StartingTerms starting_terms(const AlphaMethod& method, AlphaVariant variant);

/// Adds factor |Ω|²Ω to the parts that are rotations.
template <lie::Scalar S>
struct AddCube {
  const S& factor;
  std::span<const S> v;
  std::span<S> sum;

  template <template <class> class G>
  void turning(int /*node*/, int dof) const {
    if constexpr (std::is_same_v<G<S>, lie::SO3<S>>) {
      const Eigen::Map<const lie::Vec<S, 3>> omega(v.data() + dof);
      Eigen::Map<lie::Vec<S, 3>>(sum.data() + dof) += factor * omega.squaredNorm() * omega;
    }
  }
  void linear(int /*dof*/, int /*count*/) const {}
};

/// v̈ + commutator v̂v̇ + cube |Ω|²Ω.
template <lie::Scalar S>
std::vector<S> local_jerk(const lie::GroupList& space, const S& commutator, const S& cube,
                          std::span<const S> v, std::span<const S> v_dot,
                          std::span<const S> v_ddot) {
  std::vector<S> jerk(v.size());
  space.apply_ad<S>(v, v_dot, jerk);
  for (std::size_t i = 0; i < jerk.size(); ++i) jerk[i] = v_ddot[i] + commutator * jerk[i];
  for_each_part(space, AddCube<S>{cube, v, jerk});
  return jerk;
}

/// Changes a consistent state accordingly, which begin_alpha() has begun.
///
/// Table 1 sets a_0 = v̇_0 + Δ_α h w; Table 2, for index 3, also moves v_0 by the part of the local
/// error h²(C_q w + b v̂v̇) that the constraints feel, so that they do not answer it with oscillating
/// multipliers. The paper has both for Lie-group methods with σ = 0.
void set_starting_values(StartingValues kind, const AlphaMethod& method, AlphaVariant variant,
                         Formulation formulation, double h, Consistency& consistency,
                         MethodState& state);

}  // namespace liegrad::dae
