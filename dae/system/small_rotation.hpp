#pragma once

#include <array>

#include "liegrad/lie/series.hpp"

namespace liegrad::dae {

namespace small_rotation_detail {

/// The first term left out of c₁ is x⁸/17!, of d it is below 2 (x/4π²)⁹/x, all below ε/4 at x = 1/4.
inline constexpr int kTerms = 8;
using Series = std::array<double, kTerms>;
using Terms = std::array<long double, kTerms>;

template <int K>
constexpr Terms stumpff_terms() {
  Terms terms{};
  for (int n = 0; n < kTerms; ++n) {
    terms[static_cast<std::size_t>(n)] = lie::series_detail::Stumpff<K>::coefficient(n);
  }
  return terms;
}

/// d(x) = (c₂ - c₃)/(4c₁) at x/4, see lie::rotation::inverse_coefficient(), divided as series.
constexpr Terms inverse_terms() {
  const Terms one = stumpff_terms<1>(), two = stumpff_terms<2>(), three = stumpff_terms<3>();
  Terms quotient{}, result{};
  long double scale = 0.25L;
  for (std::size_t n = 0; n < kTerms; ++n, scale *= 0.25L) {
    quotient[n] = two[n] - three[n];
    for (std::size_t k = 1; k <= n; ++k) quotient[n] -= one[k] * quotient[n - k];
    result[n] = scale * quotient[n];
  }
  return result;
}

constexpr Series rounded(const Terms& terms) {
  Series result{};
  for (std::size_t n = 0; n < kTerms; ++n) result[n] = static_cast<double>(terms[n]);
  return result;
}

inline constexpr Series kSine = rounded(stumpff_terms<1>());
inline constexpr Series kCosine = rounded(stumpff_terms<2>());
inline constexpr Series kInverse = rounded(inverse_terms());

/// Pairs, then pairs of pairs: the shortest chain of dependent operations.
inline double sum(const Series& c, double x) {
  static_assert(kTerms == 8);
  const double x2 = x * x, x4 = x2 * x2;
  const double low = (c[0] + c[1] * x) + (c[2] + c[3] * x) * x2;
  const double high = (c[4] + c[5] * x) + (c[6] + c[7] * x) * x2;
  return low + high * x4;
}

}  // namespace small_rotation_detail

/// The coefficients of exp(θ~) = I + c₁ θ~ + c₂ θ~² and of T⁻¹(θ) = I + θ~/2 + d θ~² at x = |θ|² for
/// the short rotations of a step, where half the terms of lie/series.hpp are enough and T⁻¹ needs no
/// division. Only values: derivatives are not as accurate.
struct SmallRotation {
  static constexpr double kLargest = 0.25;  ///< of |θ|²

  double c1, c2, d;

  explicit SmallRotation(double x)
      : c1(small_rotation_detail::sum(small_rotation_detail::kSine, x)),
        c2(small_rotation_detail::sum(small_rotation_detail::kCosine, x)),
        d(small_rotation_detail::sum(small_rotation_detail::kInverse, x)) {}
};

}  // namespace liegrad::dae
