#pragma once

// Independent, slow and obviously right: what the groups' closed forms are compared with. Only
// matrix products in long double, from the definitions.

#include <cmath>

#include <Eigen/LU>

#include "values.hpp"

namespace liegrad::test::slow {

/// Σ Aⁿ/n! for A halved until it is small, then squared back.
inline Values expm(Values a) {
  int halvings = 0;
  for (; largest_entry(a) * Value(a.rows()) > 0.5L; ++halvings) a *= 0.5L;
  Values term = Values::Identity(a.rows(), a.cols()), sum = term;
  for (int n = 1; n <= 24; ++n) {
    term = term * a / Value(n);
    sum += term;
  }
  for (; halvings > 0; --halvings) sum = sum * sum;
  return sum;
}

/// [ArnoldCardonaBruels2015, Eq. (30)]: T = Σ (-1)ⁱ adⁱ/(i+1)!, the matrix of ∫₀¹ exp(-s ad) ds.
/// The series is summed for ad halved until small; splitting the integral in its middle gives
/// T(2v) = (I + exp(-ad(v))) T(v) / 2.
inline Values tangent_operator(const Values& ad_v) {
  Values a = ad_v;
  int halvings = 0;
  for (; largest_entry(a) * Value(a.rows()) > 0.5L; ++halvings) a *= 0.5L;
  const Values one = Values::Identity(a.rows(), a.cols());
  Values term = one, sum = one;
  for (int i = 1; i <= 24; ++i) {
    term = -term * a / Value(i + 1);
    sum += term;
  }
  for (; halvings > 0; --halvings) {
    sum = 0.5L * (one + expm(-a)) * sum;
    a *= 2;
  }
  return sum;
}

/// The same sum term by term, as printed. Cancellation limits it to |ad(v)| of a few units.
inline Values tangent_operator_by_plain_series(const Values& ad_v) {
  Values term = Values::Identity(ad_v.rows(), ad_v.cols()), sum = term;
  for (int i = 1; i <= 60; ++i) {
    term = -term * ad_v / Value(i + 1);
    sum += term;
  }
  return sum;
}

/// AC - CA.
inline Values commutator(const Values& a, const Values& c) { return a * c - c * a; }

inline Values inverse(const Values& a) { return a.fullPivLu().inverse(); }

}  // namespace liegrad::test::slow
