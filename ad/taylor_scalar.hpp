#pragma once

// Truncated power series as scalars of the groups: derivatives along a curve, of any order, and with
// a recorded coefficient type inside recordings.

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <Eigen/Core>

#include "liegrad/ad/eigen_alignment.hpp"
#include "liegrad/lie/scalar.hpp"

namespace liegrad::ad {

template <class A>
concept PlainNumber = std::is_arithmetic_v<A>;

/// c_0 + c_1 τ + … + c_Order τ^Order, where powers beyond the order are never computed.
///
/// Put into a function in place of its argument, q(τ) = q + q̇ τ + q̈ τ²/2 + …, it gives the function's
/// derivatives along that curve. The functions take c_0 from the function of S itself and the others
/// one by one from a differential equation that the result satisfies. Where the function of S is not
/// smooth the coefficients are not finite: √ and pow need c_0 ≠ 0 (pow to an integer does not).
template <class S, int Order>
class Taylor {
  static_assert(Order >= 0);

 public:
  using Coefficients = std::array<S, static_cast<std::size_t>(Order) + 1>;
  static constexpr int kOrder = Order;

  Taylor() : Taylor(S(0)) {}
  /// A constant. Implicit, as every number is one.
  Taylor(const S& constant) {
    c_.fill(S(0));
    c_[0] = constant;
  }
  template <PlainNumber A>
  Taylor(A constant) : Taylor(S(static_cast<lie::RealOf<S>>(constant))) {}

  /// at + τ.
  static Taylor variable(const S& at) {
    Taylor x(at);
    if constexpr (Order >= 1) x.coefficient(1) = S(1);
    return x;
  }
  static Taylor from_coefficients(const Coefficients& c) {
    Taylor x;
    x.c_ = c;
    return x;
  }
  /// Σ d_k τᵏ / k!: the series of a function with these derivatives.
  static Taylor from_derivatives(const Coefficients& d) {
    Taylor x;
    for (int k = 0; k <= Order; ++k) {
      x.coefficient(k) = d[static_cast<std::size_t>(k)] / S(factorial(k));
    }
    return x;
  }

  const S& coefficient(int k) const { return c_[static_cast<std::size_t>(k)]; }
  S& coefficient(int k) { return c_[static_cast<std::size_t>(k)]; }
  /// The k-th derivative with respect to τ at τ = 0.
  S derivative(int k) const { return S(factorial(k)) * coefficient(k); }

  Taylor operator-() const {
    Taylor y;
    for (int k = 0; k <= Order; ++k) y.coefficient(k) = -coefficient(k);
    return y;
  }
  Taylor operator+() const { return *this; }

  Taylor& operator+=(const Taylor& b) {
    for (int k = 0; k <= Order; ++k) coefficient(k) += b.coefficient(k);
    return *this;
  }
  Taylor& operator-=(const Taylor& b) {
    for (int k = 0; k <= Order; ++k) coefficient(k) -= b.coefficient(k);
    return *this;
  }
  Taylor& operator*=(const Taylor& b) { return *this = *this * b; }
  Taylor& operator/=(const Taylor& b) { return *this = *this / b; }

  // A constant operand touches only what it changes.
  Taylor& operator+=(const S& b) { return c_[0] += b, *this; }
  Taylor& operator-=(const S& b) { return c_[0] -= b, *this; }
  Taylor& operator*=(const S& b) {
    for (S& c : c_) c *= b;
    return *this;
  }
  Taylor& operator/=(const S& b) {
    for (S& c : c_) c /= b;
    return *this;
  }
  template <PlainNumber A>
  Taylor& operator+=(A b) {
    return *this += number(b);
  }
  template <PlainNumber A>
  Taylor& operator-=(A b) {
    return *this -= number(b);
  }
  template <PlainNumber A>
  Taylor& operator*=(A b) {
    return *this *= number(b);
  }
  template <PlainNumber A>
  Taylor& operator/=(A b) {
    return *this /= number(b);
  }

  friend Taylor operator+(Taylor a, const Taylor& b) { return a += b; }
  friend Taylor operator+(Taylor a, const S& b) { return a += b; }
  friend Taylor operator+(const S& a, Taylor b) { return b += a; }
  template <PlainNumber A>
  friend Taylor operator+(Taylor a, A b) {
    return a += b;
  }
  template <PlainNumber A>
  friend Taylor operator+(A a, Taylor b) {
    return b += a;
  }

  friend Taylor operator-(Taylor a, const Taylor& b) { return a -= b; }
  friend Taylor operator-(Taylor a, const S& b) { return a -= b; }
  friend Taylor operator-(const S& a, const Taylor& b) {
    Taylor y = -b;
    y.c_[0] = a - b.c_[0];
    return y;
  }
  template <PlainNumber A>
  friend Taylor operator-(Taylor a, A b) {
    return a -= b;
  }
  template <PlainNumber A>
  friend Taylor operator-(A a, const Taylor& b) {
    return number(a) - b;
  }

  friend Taylor operator*(const Taylor& a, const Taylor& b) {
    Taylor y;
    for (int k = 0; k <= Order; ++k) y.coefficient(k) = convolved(a, b, 0, k);
    return y;
  }
  friend Taylor operator*(Taylor a, const S& b) { return a *= b; }
  friend Taylor operator*(const S& a, Taylor b) { return b *= a; }
  template <PlainNumber A>
  friend Taylor operator*(Taylor a, A b) {
    return a *= b;
  }
  template <PlainNumber A>
  friend Taylor operator*(A a, Taylor b) {
    return b *= a;
  }

  friend Taylor operator/(const Taylor& a, const Taylor& b) {
    Taylor y;
    y.c_[0] = a.c_[0] / b.c_[0];
    for (int k = 1; k <= Order; ++k) {
      y.coefficient(k) = (a.coefficient(k) - convolved(b, y, 1, k)) / b.c_[0];
    }
    return y;
  }
  friend Taylor operator/(Taylor a, const S& b) { return a /= b; }
  friend Taylor operator/(const S& a, const Taylor& b) { return Taylor(a) / b; }
  template <PlainNumber A>
  friend Taylor operator/(Taylor a, A b) {
    return a /= b;
  }
  template <PlainNumber A>
  friend Taylor operator/(A a, const Taylor& b) {
    return Taylor(a) / b;
  }

  // By c_0, like the function values that they stand for. On taped coefficients a comparison is
  // frozen into the recording, as it is on the coefficients themselves.
  friend bool operator<(const Taylor& a, const Taylor& b) { return a.c_[0] < b.c_[0]; }
  friend bool operator>(const Taylor& a, const Taylor& b) { return a.c_[0] > b.c_[0]; }
  friend bool operator<=(const Taylor& a, const Taylor& b) { return a.c_[0] <= b.c_[0]; }
  friend bool operator>=(const Taylor& a, const Taylor& b) { return a.c_[0] >= b.c_[0]; }
  friend bool operator==(const Taylor& a, const Taylor& b) { return a.c_[0] == b.c_[0]; }
  friend bool operator!=(const Taylor& a, const Taylor& b) { return a.c_[0] != b.c_[0]; }

  /// Σ_{j=first…k} a_j b_{k-j}, where first ≤ k.
  static S convolved(const Taylor& a, const Taylor& b, int first, int k) {
    S sum = a.coefficient(first) * b.coefficient(k - first);
    for (int j = first + 1; j <= k; ++j) sum += a.coefficient(j) * b.coefficient(k - j);
    return sum;
  }

 private:
  template <PlainNumber A>
  static S number(A a) {
    return S(static_cast<lie::RealOf<S>>(a));
  }
  static lie::RealOf<S> factorial(int k) {
    lie::RealOf<S> product = 1;
    for (int i = 2; i <= k; ++i) product *= static_cast<lie::RealOf<S>>(i);
    return product;
  }

  Coefficients c_;
};

namespace taylor_detail {

/// j/k as a coefficient.
template <class S>
S ratio(double j, int k) {
  return S(static_cast<lie::RealOf<S>>(j) / static_cast<lie::RealOf<S>>(k));
}

/// The coefficient k ≥ 1 of a y with y' = slope · x', from those of the slope below k.
template <class S, int N, int M>
S integrated(const Taylor<S, N>& x, const Taylor<S, M>& slope, int k) {
  S sum = x.coefficient(k) * slope.coefficient(0);
  for (int j = 1; j < k; ++j) {
    sum += ratio<S>(j, k) * x.coefficient(j) * slope.coefficient(k - j);
  }
  return sum;
}

/// y with y_0 given and y' = slope(x) x'. The slope is needed, and computed, to one order less.
template <class S, int N, class Slope>
Taylor<S, N> integral(const S& y0, const Taylor<S, N>& x, Slope&& slope) {
  Taylor<S, N> y(y0);
  if constexpr (N >= 1) {
    Taylor<S, N - 1> lower;
    for (int k = 0; k < N; ++k) lower.coefficient(k) = x.coefficient(k);
    const Taylor<S, N - 1> g = slope(lower);
    for (int k = 1; k <= N; ++k) y.coefficient(k) = integrated(x, g, k);
  }
  return y;
}

/// (s, c) with s' = c x' and c' = sign · s x': sine and cosine, or sinh and cosh.
template <class S, int N>
std::pair<Taylor<S, N>, Taylor<S, N>> sine_cosine(const Taylor<S, N>& x, const S& s0, const S& c0,
                                                  int sign) {
  std::pair<Taylor<S, N>, Taylor<S, N>> y(s0, c0);
  auto& [s, c] = y;
  for (int k = 1; k <= N; ++k) {
    s.coefficient(k) = integrated(x, c, k);
    const S ck = integrated(x, s, k);
    c.coefficient(k) = sign < 0 ? S(-ck) : ck;
  }
  return y;
}
template <class S, int N>
auto circular(const Taylor<S, N>& x) {
  using std::cos, std::sin;
  return sine_cosine<S, N>(x, sin(x.coefficient(0)), cos(x.coefficient(0)), -1);
}
template <class S, int N>
auto hyperbolic(const Taylor<S, N>& x) {
  using std::cosh, std::sinh;
  return sine_cosine<S, N>(x, sinh(x.coefficient(0)), cosh(x.coefficient(0)), 1);
}

/// y with y' = (1 + sign · y²) x': tan or tanh.
template <class S, int N>
Taylor<S, N> tangent(const Taylor<S, N>& x, const S& y0, int sign) {
  const auto signed_of = [sign](const S& a) { return sign < 0 ? S(-a) : a; };
  Taylor<S, N> y(y0), slope(S(S(1) + signed_of(y0 * y0)));
  for (int k = 1; k <= N; ++k) {
    y.coefficient(k) = integrated(x, slope, k);
    slope.coefficient(k) = signed_of(Taylor<S, N>::convolved(y, y, 0, k));
  }
  return y;
}

}  // namespace taylor_detail

template <class S, int N>
Taylor<S, N> sqrt(const Taylor<S, N>& x) {
  using std::sqrt;
  Taylor<S, N> y(S(sqrt(x.coefficient(0))));
  const S twice = S(2) * y.coefficient(0);
  for (int k = 1; k <= N; ++k) {
    // x_k = Σ y_j y_{k-j}, whose products come in pairs but for the middle one.
    S rest = x.coefficient(k);
    for (int j = 1; 2 * j < k; ++j) rest -= S(2) * y.coefficient(j) * y.coefficient(k - j);
    if (k % 2 == 0) rest -= y.coefficient(k / 2) * y.coefficient(k / 2);
    y.coefficient(k) = rest / twice;
  }
  return y;
}

template <class S, int N>
Taylor<S, N> exp(const Taylor<S, N>& x) {
  using std::exp;
  Taylor<S, N> y(S(exp(x.coefficient(0))));
  for (int k = 1; k <= N; ++k) y.coefficient(k) = taylor_detail::integrated(x, y, k);
  return y;
}

/// From x y' = x'.
template <class S, int N>
Taylor<S, N> log(const Taylor<S, N>& x) {
  using std::log;
  Taylor<S, N> y(S(log(x.coefficient(0))));
  for (int k = 1; k <= N; ++k) {
    S rest = x.coefficient(k);
    for (int j = 1; j < k; ++j) {
      rest -= taylor_detail::ratio<S>(j, k) * y.coefficient(j) * x.coefficient(k - j);
    }
    y.coefficient(k) = rest / x.coefficient(0);
  }
  return y;
}

template <class S, int N>
Taylor<S, N> sin(const Taylor<S, N>& x) {
  return taylor_detail::circular(x).first;
}
template <class S, int N>
Taylor<S, N> cos(const Taylor<S, N>& x) {
  return taylor_detail::circular(x).second;
}
template <class S, int N>
Taylor<S, N> sinh(const Taylor<S, N>& x) {
  return taylor_detail::hyperbolic(x).first;
}
template <class S, int N>
Taylor<S, N> cosh(const Taylor<S, N>& x) {
  return taylor_detail::hyperbolic(x).second;
}
template <class S, int N>
Taylor<S, N> tan(const Taylor<S, N>& x) {
  using std::tan;
  return taylor_detail::tangent<S, N>(x, tan(x.coefficient(0)), 1);
}
template <class S, int N>
Taylor<S, N> tanh(const Taylor<S, N>& x) {
  using std::tanh;
  return taylor_detail::tangent<S, N>(x, tanh(x.coefficient(0)), -1);
}

template <class S, int N>
Taylor<S, N> atan(const Taylor<S, N>& x) {
  using std::atan;
  return taylor_detail::integral<S, N>(atan(x.coefficient(0)), x,
                                       [](const auto& t) { return S(1) / (S(1) + t * t); });
}
// (1 - x)(1 + x) where 1 - x² would cancel near ±1.
template <class S, int N>
Taylor<S, N> asin(const Taylor<S, N>& x) {
  using std::asin;
  return taylor_detail::integral<S, N>(asin(x.coefficient(0)), x, [](const auto& t) {
    return S(1) / sqrt((S(1) - t) * (S(1) + t));
  });
}
template <class S, int N>
Taylor<S, N> acos(const Taylor<S, N>& x) {
  using std::acos;
  return taylor_detail::integral<S, N>(acos(x.coefficient(0)), x, [](const auto& t) {
    return S(-1) / sqrt((S(1) - t) * (S(1) + t));
  });
}

/// The angle of (x, y), from (x² + y²) θ' = x y' - y x'.
template <class S, int N>
Taylor<S, N> atan2(const Taylor<S, N>& y, const Taylor<S, N>& x) {
  using std::atan2;
  const Taylor<S, N> r2 = x * x + y * y, along_y = x / r2, along_x = y / r2;
  Taylor<S, N> theta(S(atan2(y.coefficient(0), x.coefficient(0))));
  for (int k = 1; k <= N; ++k) {
    theta.coefficient(k) =
        taylor_detail::integrated(y, along_y, k) - taylor_detail::integrated(x, along_x, k);
  }
  return theta;
}

template <class S, int N>
Taylor<S, N> pow(const Taylor<S, N>& x, const Taylor<S, N>& exponent) {
  return exp(exponent * log(x));
}

/// Integer exponents, of whatever type, by products, so that they are right at x_0 = 0; others from
/// x y' = p y x'.
template <class S, int N, PlainNumber P>
Taylor<S, N> pow(const Taylor<S, N>& x, P exponent) {
  const auto p = static_cast<double>(exponent);
  if (p == std::floor(p) && std::abs(p) <= std::numeric_limits<int>::max()) {
    Taylor<S, N> y(1), square = x;
    for (auto n = static_cast<unsigned>(std::abs(p)); n != 0; n /= 2) {
      if (n % 2 != 0) y *= square;
      if (n > 1) square *= square;
    }
    return p < 0 ? S(1) / y : y;
  }
  using std::pow;
  const S& x0 = x.coefficient(0);
  Taylor<S, N> y(S(pow(x0, S(static_cast<lie::RealOf<S>>(p)))));
  for (int k = 1; k <= N; ++k) {
    S sum = taylor_detail::ratio<S>(p * k, k) * x.coefficient(k) * y.coefficient(0);
    for (int j = 1; j < k; ++j) {
      sum += taylor_detail::ratio<S>(p * j - (k - j), k) * x.coefficient(j) * y.coefficient(k - j);
    }
    y.coefficient(k) = sum / x0;
  }
  return y;
}

/// By the sign of c_0, selected as the coefficients select.
template <class S, int N>
Taylor<S, N> abs(const Taylor<S, N>& x) {
  return lie::select_lt(x, Taylor<S, N>(0), -x, x);
}
template <class S, int N>
Taylor<S, N> fabs(const Taylor<S, N>& x) {
  return abs(x);
}

}  // namespace liegrad::ad

namespace liegrad::lie {

template <class C, int Order>
struct ScalarTraits<ad::Taylor<C, Order>> {
  using S = ad::Taylor<C, Order>;
  using Real = RealOf<C>;
  static constexpr bool kTaped = ScalarTraits<C>::kTaped;
  static S select_lt(const S& a, const S& b, const S& if_true, const S& if_false) {
    S chosen;
    for (int k = 0; k <= Order; ++k) {
      chosen.coefficient(k) = ScalarTraits<C>::select_lt(
          a.coefficient(0), b.coefficient(0), if_true.coefficient(k), if_false.coefficient(k));
    }
    return chosen;
  }
  static Real value(const S& x) { return ScalarTraits<C>::value(x.coefficient(0)); }
};

}  // namespace liegrad::lie

namespace Eigen {

template <class S, int Order>
struct NumTraits<liegrad::ad::Taylor<S, Order>> {
  using Real = liegrad::ad::Taylor<S, Order>;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = Real;
  enum {  // NOLINTBEGIN(readability-identifier-naming): Eigen's names
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = (Order + 1) * NumTraits<S>::ReadCost,
    AddCost = (Order + 1) * NumTraits<S>::AddCost,
    MulCost = (Order + 1) * (Order + 2) / 2 * NumTraits<S>::MulCost
  };  // NOLINTEND(readability-identifier-naming)
  static Real epsilon() { return Real(NumTraits<S>::epsilon()); }
  static Real dummy_precision() { return Real(NumTraits<S>::dummy_precision()); }
  static Real highest() { return Real(NumTraits<S>::highest()); }
  static Real lowest() { return Real(NumTraits<S>::lowest()); }
  static int digits10() { return NumTraits<S>::digits10(); }
};

// Series times a matrix of constants, and the other way round.
template <class S, int Order, class Operation>
struct ScalarBinaryOpTraits<liegrad::ad::Taylor<S, Order>, S, Operation> {
  using ReturnType = liegrad::ad::Taylor<S, Order>;
};
template <class S, int Order, class Operation>
struct ScalarBinaryOpTraits<S, liegrad::ad::Taylor<S, Order>, Operation> {
  using ReturnType = liegrad::ad::Taylor<S, Order>;
};
template <class S, int Order, class Operation>
requires(!std::is_same_v<S, double>) struct ScalarBinaryOpTraits<liegrad::ad::Taylor<S, Order>,
                                                                 double, Operation> {
  using ReturnType = liegrad::ad::Taylor<S, Order>;
};
template <class S, int Order, class Operation>
requires(!std::is_same_v<S, double>) struct ScalarBinaryOpTraits<
    double, liegrad::ad::Taylor<S, Order>, Operation> {
  using ReturnType = liegrad::ad::Taylor<S, Order>;
};

}  // namespace Eigen
