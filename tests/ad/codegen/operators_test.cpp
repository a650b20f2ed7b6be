// Every operation that CppAD can record, in every kind of result, compiled and interpreted. Operations
// of one family are outputs of one function: a kernel takes a compiler longer than all its checks.

#include <string>
#include <vector>

#include "ad/all_results.hpp"
#include "liegrad/ad/codegen/derive.hpp"
#include "liegrad/ad/codegen/vector_form.hpp"

namespace liegrad::test {
namespace {

using ad::Comparison;
using ad::Taped;

// ---------------------------------------------------------------- what Ceres lacks

template <class S>
struct IsDual : std::false_type {};
template <class T, int N>
struct IsDual<ceres::Jet<T, N>> : std::true_type {};

/// f(x) for a dual number from its value and slope.
template <class T, int N>
ceres::Jet<T, N> chain(const ceres::Jet<T, N>& x, T value, T slope) {
  return ceres::Jet<T, N>(value, slope * x.v);
}

template <class S>
S inverse_cosh(const S& x) {
  using std::acosh;
  if constexpr (IsDual<S>::value) {
    return chain(x, acosh(x.a), 1 / (std::sqrt(x.a - 1) * std::sqrt(x.a + 1)));
  } else {
    return acosh(x);
  }
}
template <class S>
S inverse_sinh(const S& x) {
  using std::asinh;
  if constexpr (IsDual<S>::value) {
    return chain(x, asinh(x.a), 1 / std::hypot(decltype(x.a)(1), x.a));
  } else {
    return asinh(x);
  }
}
template <class S>
S inverse_tanh(const S& x) {
  using std::atanh;
  if constexpr (IsDual<S>::value) {
    return chain(x, atanh(x.a), 1 / ((1 - x.a) * (1 + x.a)));
  } else {
    return atanh(x);
  }
}
template <class S>
S sign_of(const S& x) {
  if constexpr (std::is_same_v<S, Taped>) {
    return sign(x);
  } else {
    return x > S(0) ? S(1) : x < S(0) ? S(-1) : S(0);
  }
}
/// x y, and 0 where x is 0 whatever y is.
template <class S>
S zero_times(const S& x, const S& y) {
  if constexpr (std::is_same_v<S, Taped>) {
    return azmul(x, y);
  } else {
    return x == S(0) ? S(0) : x * y;
  }
}

/// (a cmp b) ? c : d, recorded where the scalar is.
template <class S>
S choose(Comparison cmp, const S& a, const S& b, const S& c, const S& d) {
  if constexpr (std::is_same_v<S, Taped>) {
    switch (cmp) {
      case Comparison::kLt: return CondExpLt(a, b, c, d);
      case Comparison::kLe: return CondExpLe(a, b, c, d);
      case Comparison::kEq: return CondExpEq(a, b, c, d);
      case Comparison::kGe: return CondExpGe(a, b, c, d);
      case Comparison::kGt: return CondExpGt(a, b, c, d);
      case Comparison::kNe: return CondExpEq(a, b, d, c);
    }
    return S(0);
  } else {
    const auto left = lie::value_of(a), right = lie::value_of(b);
    const bool holds = cmp == Comparison::kLt   ? left < right
                       : cmp == Comparison::kLe ? left <= right
                       : cmp == Comparison::kEq ? left == right
                       : cmp == Comparison::kGe ? left >= right
                       : cmp == Comparison::kGt ? left > right
                                                : left != right;
    return holds ? c : d;
  }
}

// ---------------------------------------------------------------- arithmetic

struct Arithmetic {
  static constexpr int kSign = 16;  // its derivative is zero

  template <class S>
  std::vector<S> operator()(const std::vector<S>& v) const {
    using std::abs;
    const S &x = v[0], &y = v[1], &z = v[2];  // x, y > 0 > z
    S sum = x * z;
    sum += y;
    sum -= x * y;
    sum *= S(0.5) + z;
    sum /= y + S(2);
    return {
        x * x + y,
        S(3) + x * z,
        z * y + S(0.25),
        x * y - z * z,
        S(3) - y * y,
        z * x - S(0.75),
        x * y * z,
        S(-1.5) * z * z,
        x / y,
        S(2) / (x + y),
        x * z / S(7),
        -(x * z),
        -x / (-y),
        sum,
        abs(x * z),
        abs(x - z) * y,
        sign_of(z),
        sign_of(z) * x * y,
        zero_times(x, S(y * z)),
        zero_times(S(2), S(x * x)),
        zero_times(z, S(3)),
        zero_times(S(0), x) + y * z,
        x,                    // an input as an output,
        x * x + y,            // an output twice,
        S(x - x) + y * y * y  // and what cancels
    };
  }
};

TEST(Operators, ArithmeticAgreesInEveryResult) {
  expect_all_results_agree<3>(
      "arithmetic", Arithmetic(),
      {{{0.7, 1.3, -0.4}}, {{1.9, 0.3, -1.1}}, {{0.2, 0.9, -2.3}}, {{1, 1, -1}}, {{0.5, 2, -0.25}}},
      {Arithmetic::kSign});
}

struct Powers {
  template <class S>
  std::vector<S> operator()(const std::vector<S>& v) const {
    using std::pow;
    const S &x = v[0], &y = v[1], &z = v[2];  // x, y > 0 > z
    std::vector<S> out = {
        pow(x, y),                        // both vary
        pow(S(x * y), S(y - z)),          //
        pow(x, S(2.5)),                   // fractional exponent
        pow(S(x * y), S(-0.3)),           //
        pow(S(1.7), S(x * z)),            // the base is constant
        pow(S(0.4), y),                   //
        pow(S(x + y * z * z), S(x * x)),  //
    };
    // Integer exponents, as a number and as an int; also of a negative base.
    for (const int exponent : {-3, -2, -1, 0, 1, 2, 3, 4, 7}) {
      out.push_back(pow(S(x * z), S(exponent)) + y * z);
      out.push_back(pow(S(y + z * z), exponent) + y * x);
    }
    return out;
  }
};

TEST(Operators, PowersAgreeInEveryResult) {
  expect_all_results_agree<3>(
      "powers", Powers(),
      {{{0.7, 1.3, -0.9}}, {{1.9, 0.8, -1.1}}, {{1.1, 0.9, -0.8}}, {{1, 1, -1}}});
}

// ---------------------------------------------------------------- functions

struct Functions {
  template <class S>
  std::vector<S> operator()(const std::vector<S>& v) const {
    using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::erf,
        std::erfc, std::exp, std::expm1, std::log, std::log1p, std::sin, std::sinh, std::sqrt,
        std::tan, std::tanh;
    const S &x = v[0], &y = v[1];
    const S p = x * y + S(0.5) * y, q = x - S(0.5) * y * y;
    return {
        acos(p),
        inverse_cosh(S(S(1.5) + q * q)),
        asin(q),
        inverse_sinh(S(S(3) * p)),
        atan(S(S(2) * q)),
        inverse_tanh(p),
        atan2(q, p),
        atan2(p, q),
        atan2(S(-p), S(q * q)),
        cos(S(S(3) * p)),
        cosh(q),
        erf(p),
        erfc(q),
        exp(p),
        expm1(S(S(0.1) * q)),
        log(S(p * p + S(0.1))),
        log1p(q),
        sin(S(S(5) * q)),
        sinh(S(S(2) * p)),
        sqrt(S(p * p + x * x)),
        tan(q),
        tanh(S(p + q)),
        // Inside each other, and sines with cosines of the same argument.
        exp(S(-sin(p) * sin(p))) * cos(p),
        sqrt(S(log1p(S(p * p)) + tanh(q) * tanh(q))),
    };
  }
};

TEST(Operators, FunctionsAgreeInEveryResult) {
  expect_all_results_agree<2>("functions", Functions(),
                              {{{0.6, 0.3}},
                               {{-0.6, 0.4}},
                               {{0.2, -0.8}},
                               {{-0.1, 0.1}},
                               {{-0.45, 0.9}},
                               {{1e-3, 2e-3}, 0},   // near the origin, where atan2 turns quickly
                               {{0.7, 1e-8}, 0}});  // and where p all but vanishes
}

// ---------------------------------------------------------------- conditional expressions

/// Points on both sides of each condition, and on some of them. Unused sides are singular at several:
/// the root or logarithm of a negative number or of zero, a division by zero.
struct Selects {
  template <class S>
  std::vector<S> operator()(const std::vector<S>& v) const {
    using std::cos, std::exp, std::log, std::sin, std::sqrt;
    const S &x = v[0], &y = v[1], half(0.5), zero(0);
    const auto lt = Comparison::kLt, le = Comparison::kLe, eq = Comparison::kEq,
               ge = Comparison::kGe, gt = Comparison::kGt, ne = Comparison::kNe;
    const S root = sqrt(S(x - half)), logarithm = log(S(half - y)), inverse = S(1) / (x - y);
    const S chosen = choose(lt, x, y, S(x * x + y), S(x * y * y));
    return {
        choose(lt, x, half, S(x * y), S(sin(S(x * x)) + y)),
        choose(le, x, half, S(x * x * y), S(exp(x) * y)),
        choose(ge, x, y, S(x * cos(y)), S(y * y)),
        choose(gt, S(x * y), half, S(x + y * y), S(x * y * y)),
        choose(eq, x, y, S(x * x * y), S(x * y + y)),
        choose(ne, x, y, S(x * y * y), S(x * x * x)),
        // The unused side is singular: NaN below 1/2, and at 1/2 a root with an infinite slope.
        choose(le, x, half, zero, root),
        choose(le, x, half, S(y * y), S(root * y)),
        choose(gt, x, half, S(x / root), S(x * y)),
        choose(ge, y, half, x, logarithm) * y,
        choose(ne, x, y, inverse, S(x * y)),
        choose(eq, x, zero, S(S(1) - x * x / S(6)), S(sin(x) / x)) + y * y,
        // The same singular expression under two conditions.
        choose(le, x, half, zero, root) + choose(le, x, S(0.625), zero, root) * y,
        choose(le, x, half, zero, root) - choose(lt, S(x + y), S(1.3), zero, S(root * y)),
        // Nested, with different conditions and with the same.
        choose(lt, x, half, choose(gt, y, half, S(S(1) / (y - half)), S(y * y)),
               choose(le, y, x, S(y * sqrt(S(x - y + S(0.01)))), S(x * y))),
        choose(gt, x, half, choose(gt, x, half, root, y), choose(gt, x, half, y, S(x * x))) * x,
        choose(lt, x, half, choose(ge, x, half, root, S(x * y)), choose(lt, y, half, logarithm, x)),
        // One condition for several, before and after each other.
        choose(lt, x, y, x, y) * choose(lt, x, y, S(x * y), S(cos(x))) +
            choose(lt, x, y, y, S(x * x)),
        choose(lt, x, y, sin(chosen), S(chosen * chosen)) * chosen,
        // A condition that is itself chosen, and a choice inside a branch of another.
        choose(lt, chosen, half, S(chosen * y), S(exp(chosen) + y)),
        choose(gt, chosen, choose(lt, y, half, x, y), S(chosen * x), S(x * y * y)),
        // A choice that both sides need, and others too.
        choose(gt, y, half, S(chosen * x), S(chosen * y)) + chosen * chosen,
    };
  }
};

std::vector<Point> points_for_selects() {
  return {{{0.2, 0.3}},    {{0.2, 0.9}},     {{0.3, 0.1}},     {{0.8, 0.3}},  {{0.8, 0.7}},
          {{0.57, 0.9}},   {{0.56, 0.2}},    {{1.4, 1.1}},     {{-0.4, 0.8}}, {{-0.7, -0.9}},
          {{0.5, 0.3}, 0}, {{0.5, 0.75}, 0}, {{0.3, 0.3}, 0},  {{0, 0}, 0},   {{0, 0.7}, 0},
          {{0.8, 0.8}, 0}, {{0, -0.25}, 0},  {{0.625, 0.2}, 0}};
}

TEST(Operators, ConditionalExpressionsAgreeInEveryResultOnAllSides) {
  expect_all_results_agree<2>("selects", Selects(), points_for_selects());
}

/// Library functions on one side of their conditions only, so that a batch computes the other side
/// for several instances at once and goes back for those on the wrong side.
struct SeriesOrClosed {
  template <class S>
  std::vector<S> operator()(const std::vector<S>& v) const {
    using std::cos, std::exp, std::log, std::sin, std::sqrt;
    const S &x = v[0], &y = v[1], half(0.5), zero(0);
    const auto lt = Comparison::kLt, le = Comparison::kLe, gt = Comparison::kGt;
    const S square = x * x;
    const S sinc = choose(lt, square, S(0.25), S(S(1) - square / S(6)), S(sin(x) / x));
    return {
        sinc * y,
        sinc * sinc + y * y,
        choose(gt, y, half, log(S(y - half)), S(x * y * y)),
        choose(le, x, half, zero, sqrt(S(x - half))) * y,  // both sides without a library
        choose(lt, x, y, S(x / (y + S(2))), S(x * x * y)),
        choose(lt, sinc, S(0.97), S(exp(sinc) * x), S(sinc * x * y)),
    };
  }
};

TEST(Operators, SeriesBesideClosedFormsAgreeInBatchesThatHaveBoth) {
  const std::vector<Point> points = {{{0.2, 0.3}},   {{0.3, 0.1}}, {{0.45, 0.3}},   {{0.8, 0.3}},
                                     {{0.1, 0.8}},   {{0.8, 0.7}}, {{1.4, 1.1}},    {{-0.3, 0.4}},
                                     {{0, 0.2}},     {{0, 0}, 0},  {{0.5, 0.3}, 0}, {{-0.7, -0.9}},
                                     {{0.3, 0.5}, 0}};
  AllResultsCheck<2, SeriesOrClosed> check("series_or_closed", SeriesOrClosed());
  for (const Point& point : points) check.compare(point);
  check.compare_batches(points);
  check.expect_references_not_zero();
  // The batch does work as described.
  const ad::KernelLayout layout = ad::lay_out(check.recording(), all_results());
  const auto form = ad::vector_form(ad::derive(check.recording(), layout));
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->guards.size(), 3u);
}

}  // namespace
}  // namespace liegrad::test
