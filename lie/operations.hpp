#pragma once

// Operations that follow from those of the concept, written once for every group.

#include <cmath>

#include "liegrad/lie/lie_group.hpp"

namespace liegrad::lie {

/// a∘b.
template <LieGroup G>
G compose(const G& a, const G& b) {
  return a * b;
}

/// q∘exp(w): the point reached from q along w.
template <LieGroup G>
G plus(const G& q, const typename G::Tangent& w) {
  return q * G::exp(w);
}

/// log(a⁻¹∘b): the smallest w with b = plus(a, w). (This is b ⊖ a.)
template <LieGroup G>
typename G::Tangent minus(const G& b, const G& a) {
  return (a.inverse() * b).log();
}

/// The point at fraction s of the geodesic from a to b, [ArnoldCardonaBruels2015, Remark 2.2]:
/// a∘exp(s log(a⁻¹∘b)). The same path results from either end.
template <LieGroup G>
G interpolate(const G& a, const G& b, const typename G::ScalarType& s) {
  return plus<G>(a, s * minus(b, a));
}

/// |log(a⁻¹∘b)|². Unlike the distance itself it is differentiable at a = b.
template <LieGroup G>
typename G::ScalarType squared_distance(const G& a, const G& b) {
  return minus(b, a).squaredNorm();
}

/// |log(a⁻¹∘b)|, in radians for rotations; left-invariant.
template <LieGroup G>
typename G::ScalarType distance(const G& a, const G& b) {
  using std::sqrt;
  return sqrt(squared_distance(a, b));
}

/// An element drawn with the generator `rng`: uniform (Haar measure) on the rotations, standard
/// normal on the translations, which have no uniform distribution.
template <LieGroup G, class Rng>
G random(Rng& rng) {
  return G::random(rng);
}

}  // namespace liegrad::lie
