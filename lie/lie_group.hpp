#pragma once

#include <concepts>

#include "liegrad/lie/scalar.hpp"

namespace liegrad::lie {

/// A matrix Lie group with left-trivialised (body-frame) velocities.
///
/// Tangent vectors are coordinates of the Lie algebra; velocities and perturbations act from the
/// right, q∘exp(v), as in [ArnoldCardonaBruels2015]. Laws, checked for every model and every scalar
/// in tests/lie/group_laws_test.cpp under these labels:
///
///     (G1) g∘e = e∘g = g                     (G2) g∘g⁻¹ = g⁻¹∘g = e
///     (G3) (g∘h)∘k = g∘(h∘k)                 (G4) matrix(g∘h) = matrix(g) matrix(h)
///     (L1) exp(log(g)) = g                   (L2) log(exp(v)) = v      inside the injectivity radius
///     (L3) matrix(exp(v)) = expm(hat(v))     (L4) exp(sv)∘exp(tv) = exp((s+t)v)
///     (A1) g∘exp(v)∘g⁻¹ = exp(Ad(g) v)       (A2) Ad(g∘h) = Ad(g) Ad(h)
///     (A3) ad(v)w = vee([v~, w~])            (A4) Ad(exp(v)) = expm(ad(v))
///     (T1) d/dε exp(v+εw) = exp(v)∘T(v)w     (T2) T(v)v = v
///     (T3) T(v) T⁻¹(v) = I                   (T4) T(v) = Σ (-1)ⁱ ad(v)ⁱ/(i+1)!
///     (T5) D(T(v)w)[d] is the derivative     (T6) Ad(exp(-v)) T(-v) = T(v)
///     (B1) exp(sv)exp(sw) = exp(sv + sw + ½ s² ad(v)w + O(s³))      Lemma 2.5
///     (C1) ∂/∂v h(q∘exp(v)) = H(q∘exp(v)) T(v)                      Corollary 2.7
template <class G>
concept LieGroup = Scalar<typename G::ScalarType> &&
    requires(const G g, const typename G::Tangent v, const typename G::Coeffs c) {
  { G::kDof } -> std::convertible_to<int>;        // dimension of the group
  { G::kNumCoeffs } -> std::convertible_to<int>;  // numbers that store an element
  { g* g } -> std::same_as<G>;
  { g.inverse() } -> std::same_as<G>;
  { G::exp(v) } -> std::same_as<G>;
  { g.log() } -> std::same_as<typename G::Tangent>;
  { g.Ad() } -> std::same_as<typename G::TangentMap>;
  { G::ad(v) } -> std::same_as<typename G::TangentMap>;
  { G::tangent_operator(v) } -> std::same_as<typename G::TangentMap>;
  { G::tangent_operator_inverse(v) } -> std::same_as<typename G::TangentMap>;
  { G::tangent_operator_derivative(v, v, v) } -> std::same_as<typename G::Tangent>;
  { g.coeffs() } -> std::convertible_to<typename G::Coeffs>;
  { G::from_coeffs(c) } -> std::same_as<G>;
};

/// A group whose dimension is known at compile time: it has an identity without being asked how
/// large. Only R^n of run-time n is a LieGroup but not this.
template <class G>
concept FixedLieGroup = LieGroup<G> &&(G::kDof >= 0) && requires {
  { G::identity() } -> std::same_as<G>;
};

}  // namespace liegrad::lie
