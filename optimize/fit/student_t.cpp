#include "liegrad/optimize/fit/student_t.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>

namespace liegrad::optimize {
namespace {

/// Continued fraction of the incomplete beta function, 8.17.22 of the NIST handbook of functions, by the modified Lentz algorithm. It converges fast
/// for x < (a+1)/(a+b+2).
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300, kTolerance = 1e-16;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double value = d;
  for (int m = 1; m < 10000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double factor = 1;
    for (const double coefficient : {even, odd}) {
      d = 1 + coefficient * d;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      c = 1 + coefficient / c;
      if (std::abs(c) < kTiny) c = kTiny;
      factor = c * d;
      value *= factor;
    }
    if (std::abs(factor - 1) < kTolerance) break;
  }
  return value;
}

/// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(1 - x, b, a);
  const double log_front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  return std::exp(log_front) * beta_fraction(x, a, b) / a;
}

}  // namespace

double student_t_probability(double t, double freedom) {
  if (std::isinf(freedom)) return 0.5 * std::erfc(-t / std::numbers::sqrt2);
  // Of both halves of the integral the one that loses no digits.
  if (t * t < freedom) {
    const double half = 0.5 * incomplete_beta(t * t / (freedom + t * t), 0.5, freedom / 2);
    return t > 0 ? 0.5 + half : 0.5 - half;
  }
  const double tail = 0.5 * incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5);
  return t > 0 ? 1 - tail : tail;
}

double student_t_quantile(double probability, double freedom) {
  // Bisection: the function is monotonic, and this is not where time is spent.
  double low = -1, high = 1;
  while (student_t_probability(low, freedom) > probability) low *= 2;
  while (student_t_probability(high, freedom) < probability) high *= 2;
  while (high - low > 4 * std::numeric_limits<double>::epsilon() * std::max(-low, high)) {
    const double middle = 0.5 * (low + high);
    (student_t_probability(middle, freedom) < probability ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace liegrad::optimize
