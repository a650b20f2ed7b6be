#pragma once

// Every removable singularity of the groups lives here, and nowhere else.
//
// All functions take the square of an angle (or of a tangent), never the angle itself: they are
// analytic in that argument, so their derivatives exist at zero and AD finds them. Below a switch
// they are sums of their Taylor series, above it closed forms. The switch is large on purpose:
// just above a small one the closed forms cancel, and their first and second derivatives, which
// this library needs as much as the values, are lost long before the values are.
// Coefficients and the number of terms are computed at compile time from the scalar's precision.

#include <array>
#include <cmath>
#include <limits>

#include "liegrad/lie/scalar.hpp"

namespace liegrad::lie {

/// Below this argument the Stumpff functions are summed, above it taken from sin and cos.
inline constexpr double kStumpffSwitch = 4.0;

/// Below this argument atan(√u)/√u is summed. (Its series converges only for u < 1.)
inline constexpr double kArctanSwitch = 1.0 / 16.0;

namespace series_detail {

constexpr long double inverse_factorial(int n) {
  long double result = 1;
  for (int i = 2; i <= n; ++i) result /= i;
  return result;
}

/// Taylor coefficients (-1)ⁿ / (2n+K)! of the Stumpff function c_K.
template <int K>
struct Stumpff {
  static constexpr long double kSwitch = kStumpffSwitch;
  static constexpr long double coefficient(int n) {
    return (n % 2 == 0 ? 1 : -1) * inverse_factorial(2 * n + K);
  }
};

/// Taylor coefficients (-1)ⁿ / (2n+1) of atan(√u)/√u.
struct Arctan {
  static constexpr long double kSwitch = kArctanSwitch;
  static constexpr long double coefficient(int n) {
    return (n % 2 == 0 ? 1.0L : -1.0L) / (2 * n + 1);
  }
};

/// The number of terms after which the *second derivative* of the series has converged at the
/// switch, relative to its first term; the value and the first derivative then have, too.
template <class Series>
constexpr int terms_needed(long double precision) {
  const auto magnitude = [](long double y) { return y < 0 ? -y : y; };
  const long double first = 2 * magnitude(Series::coefficient(2));
  long double power = 1;  // switch^(n-2)
  int n = 2;
  while (n * (n - 1) * magnitude(Series::coefficient(n)) * power >= precision * first) {
    power *= Series::kSwitch;
    ++n;
  }
  return n;
}

/// Σ c_n xⁿ as two interleaved Horner schemes in x²: half the dependency chain of one scheme,
/// which is what a pipelined processor waits for.
template <class Series, Scalar S>
S sum(const S& x) {
  using Real = RealOf<S>;
  static constexpr int kTerms = terms_needed<Series>(std::numeric_limits<Real>::epsilon() / 4);
  static constexpr auto c = [] {
    std::array<Real, kTerms> table{};
    for (int n = 0; n < kTerms; ++n) table[n] = static_cast<Real>(Series::coefficient(n));
    return table;
  }();
  static constexpr int kLastEven = (kTerms - 1) / 2 * 2;
  static constexpr int kLastOdd = kTerms / 2 * 2 - 1;

  const S x2 = x * x;
  S even(c[kLastEven]);
  for (int n = kLastEven - 2; n >= 0; n -= 2) even = even * x2 + S(c[n]);
  S odd(c[kLastOdd]);
  for (int n = kLastOdd - 2; n >= 1; n -= 2) odd = odd * x2 + S(c[n]);
  return even + x * odd;
}

/// max(x, at_least), recorded: the argument of a closed form that stays harmless while the series
/// is the one in use.
template <Scalar S>
S bounded_below(const S& x, double at_least) {
  return select_lt(x, S(at_least), S(at_least), x);
}

}  // namespace series_detail

/// The Stumpff functions c_0(x) … c_K(x),
///
///     c_k(x) = Σ_n (-1)ⁿ xⁿ / (2n+k)!,      x = θ² ≥ 0,
///
/// that is cos θ, sin θ/θ, (1-cos θ)/θ², (θ-sin θ)/θ³, … They satisfy
///
///     c_k = 1/k! - x c_{k+2},      dc_k/dx = (k c_{k+2} - c_{k+1}) / 2,
///
/// so that whatever appears in exp, T and their derivatives is a linear combination of them.
/// Downwards the recurrence is accurate for small x, upwards for large x.
template <int K, Scalar S>
Vec<S, K + 1> stumpff(const S& x) {
  static_assert(K >= 1);
  using namespace series_detail;

  const auto summed = [&x] {
    Vec<S, K + 1> c;
    c(K) = sum<Stumpff<K>>(x);
    c(K - 1) = sum<Stumpff<K - 1>>(x);
    for (int k = K - 2; k >= 0; --k) c(k) = S(RealOf<S>(inverse_factorial(k))) - x * c(k + 2);
    return c;
  };
  const auto closed = [&x] {
    using std::cos, std::sin, std::sqrt;
    const S x_safe = bounded_below(x, kStumpffSwitch);
    const S theta = sqrt(x_safe);
    Vec<S, K + 1> c;
    c(0) = cos(theta);
    c(1) = sin(theta) / theta;
    for (int k = 2; k <= K; ++k) {
      c(k) = (S(RealOf<S>(inverse_factorial(k - 2))) - c(k - 2)) / x_safe;
    }
    return c;
  };
  return branch_lt(x, S(kStumpffSwitch), summed, closed);
}

/// c_0(4y) … c_K(4y) from c_0(y) … c_K(y): from the half angle to the angle, without cancellation.
/// Taken this way, with y = θ²/4, all angles below 4 are on the series side of the switch, those up
/// to π among them: no branch, and no sine or cosine, wherever a logarithm can lead.
template <int K, Scalar S>
Vec<S, K + 1> stumpff_doubled(const Vec<S, K + 1>& half) {
  static_assert(K >= 1 && K <= 7);
  Vec<S, K + 1> c;
  c(0) = S(2) * half(0) * half(0) - S(1);
  c(1) = half(0) * half(1);
  if constexpr (K >= 2) c(2) = S(0.5) * half(1) * half(1);
  if constexpr (K >= 3) c(3) = S(0.25) * (half(2) + half(0) * half(3));
  if constexpr (K >= 4) c(4) = S(0.125) * (half(3) + half(1) * half(3));
  if constexpr (K >= 5) c(5) = S(0.0625) * (half(4) + half(5) + half(2) * half(3));
  if constexpr (K >= 6) c(6) = S(0.03125) * (S(2) * half(5) + half(3) * half(3));
  if constexpr (K >= 7) {
    c(7) = S(0.015625) * (half(6) + half(7) + S(0.5) * half(5) + half(3) * half(4));
  }
  return c;
}

/// atan(√u)/√u for u ≥ 0: the inverse of the tangent's half-angle forms, used by the logarithm.
template <Scalar S>
S arctan_ratio(const S& u) {
  using namespace series_detail;
  const auto summed = [&u] { return sum<Arctan>(u); };
  const auto closed = [&u] {
    using std::atan, std::sqrt;
    const S root = sqrt(bounded_below(u, kArctanSwitch));
    return atan(root) / root;
  };
  return branch_lt(u, S(kArctanSwitch), summed, closed);
}

}  // namespace liegrad::lie
