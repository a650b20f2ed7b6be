// Power series as scalars: against closed formulas, against CppAD's own series, in recordings, and
// along curves on SE(3), where d/dτ of q∘exp(δ(τ)) is known by hand.

#include "liegrad/ad/taylor_scalar.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "all_results.hpp"
#include "liegrad/ad/nested.hpp"
#include "liegrad/lie/frame.hpp"

namespace liegrad::test {
namespace {

using ad::Taped;
using ad::Taylor;
using lie::Mat;
using lie::SE3;
using lie::SO3;
using lie::Vec;
using Vec3 = Vec<double, 3>;
using Vec6 = Vec<double, 6>;
using Cubic = Taylor<double, 3>;

/// Some ten operations, each with its rounding of 1.1e-16, on numbers that do not cancel.
constexpr double kSeriesTolerance = 1e-14;
/// Some hundred of them.
constexpr double kChainTolerance = 1e-13;

static_assert(lie::Scalar<Cubic>);
static_assert(lie::Scalar<Taylor<Taped, 3>>);
static_assert(!lie::ScalarTraits<Cubic>::kTaped && lie::ScalarTraits<Taylor<Taped, 3>>::kTaped);
static_assert(lie::FixedLieGroup<SE3<Cubic>> && lie::FixedLieGroup<SE3<Taylor<Taped, 2>>>);

// ---------------------------------------------------------------- functions

template <int N>
void expect_derivatives(const char* what, const Taylor<double, N>& y,
                        const std::array<double, static_cast<std::size_t>(N) + 1>& expected) {
  for (int k = 0; k <= N; ++k) {
    const double e = expected[static_cast<std::size_t>(k)];
    EXPECT_LE(std::abs(y.derivative(k) - e), kSeriesTolerance * std::abs(e)) << what << ", " << k;
  }
}

TEST(Taylor, FunctionsHaveTheDerivativesOfTheirClosedForms) {
  constexpr double kAt = 0.4;
  const auto x = Cubic::variable(kAt);
  const double s = std::sin(kAt), c = std::cos(kAt), e = std::exp(kAt), t = std::tan(kAt);
  const double sh = std::sinh(kAt), ch = std::cosh(kAt), th = std::tanh(kAt);
  const double root = std::sqrt(kAt), u = 1 + kAt * kAt, v = 1 - kAt * kAt, w = std::sqrt(v);
  expect_derivatives<3>("exp", exp(x), {e, e, e, e});
  expect_derivatives<3>("log", log(x),
                        {std::log(kAt), 1 / kAt, -1 / (kAt * kAt), 2 / std::pow(kAt, 3)});
  expect_derivatives<3>("sin", sin(x), {s, c, -s, -c});
  expect_derivatives<3>("cos", cos(x), {c, -s, -c, s});
  expect_derivatives<3>("sinh", sinh(x), {sh, ch, sh, ch});
  expect_derivatives<3>("cosh", cosh(x), {ch, sh, ch, sh});
  const double sec2 = 1 + t * t, sech2 = 1 - th * th;
  expect_derivatives<3>("tan", tan(x), {t, sec2, 2 * t * sec2, 2 * sec2 * (1 + 3 * t * t)});
  expect_derivatives<3>("tanh", tanh(x),
                        {th, sech2, -2 * th * sech2, -2 * sech2 * (1 - 3 * th * th)});
  expect_derivatives<3>("sqrt", sqrt(x),
                        {root, 0.5 / root, -0.25 / (kAt * root), 0.375 / (kAt * kAt * root)});
  const double asin2 = kAt / (v * w), asin3 = u / (v * v * w) + kAt * kAt / (v * v * w);
  expect_derivatives<3>("asin", asin(x), {std::asin(kAt), 1 / w, asin2, asin3});
  expect_derivatives<3>("acos", acos(x), {std::acos(kAt), -1 / w, -asin2, -asin3});
  const std::array atan_at = {std::atan(kAt), 1 / u, -2 * kAt / (u * u),
                              (6 * kAt * kAt - 2) / (u * u * u)};
  expect_derivatives<3>("atan", atan(x), atan_at);
  expect_derivatives<3>("atan2", atan2(3 * x, Cubic(3)), atan_at);
  const double power = std::pow(kAt, 2.5);
  expect_derivatives<3>(
      "pow", pow(x, 2.5),
      {power, 2.5 * power / kAt, 3.75 * power / (kAt * kAt), 1.875 * power / (kAt * kAt * kAt)});
  expect_derivatives<3>("reciprocal", 1 / x,
                        {1 / kAt, -1 / (kAt * kAt), 2 / std::pow(kAt, 3), -6 / std::pow(kAt, 4)});
  expect_derivatives<3>("abs", abs(-x), {kAt, 1, 0, 0});
  expect_derivatives<3>("abs", abs(x), {kAt, 1, 0, 0});
}

TEST(Taylor, IntegerPowersAreRightAtZero) {
  const auto x = Cubic::variable(0);
  expect_derivatives<3>("x²", pow(x, 2), {0, 0, 2, 0});
  expect_derivatives<3>("x³", pow(x, 3), {0, 0, 0, 6});
  expect_derivatives<3>("x²", pow(x, 2.0), {0, 0, 2, 0});
  expect_derivatives<3>("x⁰", pow(x, 0), {1, 0, 0, 0});
  expect_derivatives<3>("x⁵", pow(x, 5), {0, 0, 0, 0});
  expect_derivatives<3>("(1+x)⁻²", pow(1 + x, -2), {1, -2, 6, -24});
}

/// Every function and operator of two series.
constexpr int kNumResults = 27;
template <class T>
std::array<T, kNumResults> all_functions(const T& x, const T& y) {
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp,
      std::log, std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  T sum = x;
  sum += y, sum -= 0.25, sum *= x, sum /= y, sum += 3, sum *= 2.0, sum /= 0.5;
  return {T(x + y),     T(x - y),    T(x * y),    T(x / y),    T(2.0 * x - y / 3.0),
          T(1.0 / y),   T(-x),       T(1.0 - x),  T(x + 1.0),  sum,
          sqrt(x),      exp(x),      log(x),      sin(x),      cos(x),
          tan(x),       sinh(x),     cosh(x),     tanh(x),     atan(x),
          asin(x),      acos(x),     atan2(x, y), atan2(y, x), pow(x, T(-1.7)),
          abs(y * -1.), T(x * x * y)};
}

TEST(Taylor, FunctionsOfSeriesAreThoseOfCppadsForwardMode) {
  constexpr int kOrder = 6;
  using Series = Taylor<double, kOrder>;
  const Series x = Series::from_coefficients({0.6, -0.7, 0.4, 0.9, -0.3, 0.5, 0.2});
  for (const double sign : {1.0, -1.0}) {
    const Series y = Series::from_coefficients({sign * 0.8, 0.3, -0.6, 0.2, 0.7, -0.4, 0.1});
    const auto result = all_functions(x, y);

    std::vector<Taped> in = {0.5, sign * 0.5};
    CppAD::Independent(in);
    const auto recorded = all_functions(in[0], in[1]);
    CppAD::ADFun<double> tape(in, std::vector<Taped>(recorded.begin(), recorded.end()));
    for (int k = 0; k <= kOrder; ++k) {
      const auto expected =
          tape.Forward(static_cast<std::size_t>(k), Numbers{x.coefficient(k), y.coefficient(k)});
      for (std::size_t i = 0; i < kNumResults; ++i) {
        // The coefficients grow with the order as those of 1/x_0ᵏ do, and cancel on that scale.
        const double scale = std::pow(2, k) * std::max(1.0, std::abs(expected[i]));
        EXPECT_LE(std::abs(result[i].coefficient(k) - expected[i]), kSeriesTolerance * scale)
            << "function " << i << ", order " << k;
      }
    }
  }
}

TEST(Taylor, PowersOfSeriesAreThoseOfTheirLogarithms) {
  const Cubic x = Cubic::from_coefficients({0.6, -0.7, 0.4, 0.9});
  for (const double p : {-2.0, -0.5, 1.0, 1.7, 3.0, 4.0}) {
    const Cubic power = pow(x, p), expected = exp(p * log(x)), general = pow(x, Cubic(p));
    for (int k = 0; k <= 3; ++k) {
      const double scale = std::max(1.0, std::abs(expected.coefficient(k)));
      EXPECT_NEAR(power.coefficient(k), expected.coefficient(k), kSeriesTolerance * scale);
      EXPECT_NEAR(general.coefficient(k), expected.coefficient(k), kSeriesTolerance * scale);
    }
  }
}

TEST(Taylor, IsBuiltFromCoefficientsAndDerivativesAndComparedByTheFirst) {
  const Cubic x = Cubic::from_derivatives({1, 2, 6, 30});
  EXPECT_EQ(x.coefficient(2), 3);
  EXPECT_EQ(x.coefficient(3), 5);
  EXPECT_EQ(x.derivative(3), 30);
  EXPECT_EQ(Cubic(7).derivative(0), 7);
  EXPECT_EQ(Cubic().derivative(0), 0);
  EXPECT_EQ(Cubic::from_coefficients({4, 3}).derivative(2), 0);
  EXPECT_TRUE(x == Cubic(1) && x == 1 && x != 2.0 && x < 2 && x <= 1.0 && 2 > x && x >= 1);
  EXPECT_EQ(lie::value_of(x), 1);
  EXPECT_EQ((Taylor<double, 0>(2) * sin(Taylor<double, 0>(1)) / 2).derivative(0), std::sin(1.0));
  EXPECT_EQ((atan(Taylor<double, 1>::variable(1))).derivative(1), 0.5);
}

TEST(Taylor, MultipliesInEigenWithConstantsOfEveryKind) {
  const auto check = []<class T>(const T& x) {
    using S = std::remove_cvref_t<decltype(x.coefficient(0))>;
    Mat<T, 3> m = Mat<double, 3>::Identity().template cast<T>() * x;
    const Vec<T, 3> v = Vec3(1, 2, 3).cast<T>();
    const Vec<T, 3> y = 2 * (m * v) + v * 0.5 + S(3) * v - v / 4.0 + T(1) * v - x * v;
    EXPECT_EQ(lie::value_of(y(2)), 3 * (lie::value_of(x) + 4.25));
    const T dot = v.dot(m.transpose() * v) + v.squaredNorm();
    EXPECT_EQ(lie::value_of(T(2 * dot)), 28 * (lie::value_of(x) + 1));
    EXPECT_EQ(lie::value_of(dot.derivative(1)), 14);
    const Vec<S, 3> constants = v.unaryExpr([](const T& t) { return t.coefficient(0); });
    EXPECT_EQ(lie::value_of(T((m * constants)(1)).derivative(1)), 2);
    EXPECT_EQ(lie::value_of(T((constants.transpose() * m).sum()).derivative(1)), 6);
    EXPECT_TRUE(v.isApprox(v));
  };
  check(Cubic::variable(0.5));
  check(Taylor<Taped, 2>::variable(0.5));
  check(Taylor<CppAD::AD<Taped>, 2>::variable(CppAD::AD<Taped>(0.5)));
}

TEST(Taylor, SelectsAllCoefficientsByTheFirst) {
  const Cubic low = Cubic::from_coefficients({1, 9, 9, 9}),
              high = Cubic::from_coefficients({2, -9});
  const Cubic a = Cubic::from_coefficients({1, 2, 3, 4}),
              b = Cubic::from_coefficients({5, 6, 7, 8});
  for (int k = 0; k <= 3; ++k) {
    EXPECT_EQ(lie::select_lt(low, high, a, b).coefficient(k), a.coefficient(k));
    EXPECT_EQ(lie::select_lt(high, low, a, b).coefficient(k), b.coefficient(k));
  }
}

// ---------------------------------------------------------------- series with a switch

TEST(Taylor, OfTheStumpffFunctionsIsRightOnBothSidesOfTheSwitch) {
  // dc_k/dx = (k c_{k+2} - c_{k+1}) / 2, three times.
  const auto derivative = [](const Vec<double, 11>& c) {
    Vec<double, 11> d = Vec<double, 11>::Zero();
    for (int k = 0; k <= 8; ++k) d(k) = 0.5 * (k * c(k + 2) - c(k + 1));
    return d;
  };
  for (const double at :
       {0.0, 1e-9, 0.5, lie::kStumpffSwitch * (1 - 1e-15), lie::kStumpffSwitch, 5.0, 9.0}) {
    const auto c = lie::stumpff<3>(Cubic::variable(at));
    Vec<double, 11> expected = lie::stumpff<10>(at);
    for (int order = 0; order <= 3; ++order, expected = derivative(expected)) {
      for (int k = 0; k <= 3; ++k) {
        EXPECT_NEAR(c(k).derivative(order), expected(k), kSeriesTolerance) << at << ", c_" << k;
      }
    }
  }
}

TEST(Taylor, OfTheArctangentRatioIsRightOnBothSidesOfTheSwitch) {
  // √u a(u) = atan √u, in series; at the switch and elsewhere but at zero.
  for (const double at : {0.01, lie::kArctanSwitch * (1 - 1e-15), lie::kArctanSwitch, 0.5}) {
    const Cubic u = Cubic::variable(at), left = sqrt(u) * lie::arctan_ratio(u),
                right = atan(sqrt(u));
    for (int k = 0; k <= 3; ++k) {
      EXPECT_NEAR(left.coefficient(k), right.coefficient(k),
                  kSeriesTolerance * std::pow(at, 0.5 - k))
          << at << ", order " << k;
    }
  }
  const Cubic at_zero = lie::arctan_ratio(Cubic::variable(0));
  for (int k = 0; k <= 3; ++k) {
    EXPECT_NEAR(at_zero.coefficient(k), (k % 2 == 0 ? 1.0 : -1.0) / (2 * k + 1), 1e-16);
  }
}

// ---------------------------------------------------------------- curves on groups

/// δ_0 + τ v + τ²/2 a + τ³/6 j.
template <class S, int N>
Vec<Taylor<S, 3>, N> curve(const Vec<S, N>& delta, const Vec<S, N>& v, const Vec<S, N>& a,
                           const Vec<S, N>& j) {
  Vec<Taylor<S, 3>, N> x;
  for (int i = 0; i < N; ++i) {
    x(i) = Taylor<S, 3>::from_derivatives({delta(i), v(i), a(i), j(i)});
  }
  return x;
}

const Vec6 kV(-0.6, 0.4, 0.8, 0.2, -0.9, 0.3);
const Vec6 kA(0.5, 0.7, -0.2, -0.4, 0.1, 0.6);
const Vec6 kJ(0.3, -0.8, 0.1, 0.9, 0.2, -0.5);
const Vec3 kP(0.4, -0.2, 0.6);

TEST(Taylor, DisplacementFromZeroHasTheDerivativesOfTheMatrixExponential) {
  std::mt19937 rng(3);
  const auto q = SE3<double>::random(rng);
  const Vec<Cubic, 6> delta = curve<double, 6>(Vec6::Zero(), kV, kA, kJ);
  const auto by_frame =
      lie::Frame<double>::of(q).cast<Cubic>().displaced<SE3>(delta).point(kP.cast<Cubic>());
  const auto by_group =
      (q.cast<Cubic>() * SE3<Cubic>::exp(delta)).transform_point(kP.cast<Cubic>());

  // exp(v^τ + a^τ²/2 + …) = I + v^τ + (v^² + a^)τ²/2 + (v^³ + 3/2 (v^a^ + a^v^) + j^)τ³/6 + …
  const Mat<double, 4> v = SE3<double>::hat(kV), a = SE3<double>::hat(kA), j = SE3<double>::hat(kJ);
  const std::array<Mat<double, 4>, 4> derivative = {Mat<double, 4>::Identity(), v, v * v + a,
                                                    v * v * v + 1.5 * (v * a + a * v) + j};
  for (int k = 0; k <= 3; ++k) {
    const Vec<double, 4> moved =
        derivative[static_cast<std::size_t>(k)] * Vec<double, 4>(kP(0), kP(1), kP(2), 1);
    const Vec<double, 4> expected = q.matrix() * moved;
    EXPECT_GT(expected.norm(), 0.1);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(by_frame(i).derivative(k), expected(i), kSeriesTolerance) << "order " << k;
      EXPECT_NEAR(by_group(i).derivative(k), expected(i), kSeriesTolerance) << "order " << k;
    }
  }
}

template <template <class> class G, int N>
void expect_logarithm_of_exponential(const Vec<double, N>& delta, const Vec<double, N>& v,
                                     const Vec<double, N>& a, const Vec<double, N>& j) {
  const Vec<Cubic, N> x = curve<double, N>(delta, v, a, j);
  const Vec<Cubic, N> y = G<Cubic>::exp(x).log();
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k <= 3; ++k) {
      EXPECT_NEAR(y(i).derivative(k), x(i).derivative(k), kChainTolerance) << i << ", order " << k;
    }
  }
}

TEST(Taylor, LogarithmIsTheInverseOfTheExponential) {
  // From zero through the switches, which are at θ = 4 and, in the logarithm, at tan(θ/4) = 1/4.
  for (const double angle : {0.0, 1e-8, 0.5, 0.97, 0.99, 1.5, 2.5, 3.1}) {
    const Vec3 axis = Vec3(0.6, -0.64, 0.48);
    expect_logarithm_of_exponential<SO3, 3>(angle * axis, kV.head<3>(), kA.head<3>(), kJ.head<3>());
    Vec6 delta;
    delta << angle * axis, 0.3, -0.7, 0.2;
    expect_logarithm_of_exponential<SE3, 6>(delta, kV, kA, kJ);
  }
}

/// A constraint of every kind of function: distances, angles and a motion prescribed in time.
template <class T>
Vec<T, 3> constraint(const SE3<T>& q, const T& t) {
  using std::atan2, std::cos, std::sin, std::sqrt;
  const Vec<T, 3> p = q.transform_point(kP.cast<T>()), e = q.transform_vector(kP.cast<T>());
  return {sqrt(lie::rotation::dot<T>(p, p)) - cos(t), atan2(e(1), e(0)) - sin(T(2) * t) * p(2),
          p(0) * p(1) / (T(3) + t * e(2))};
}

/// The n-th derivative of f at zero by differences of differences.
using Motion = std::function<Column<Value>(Value)>;
Column<Value> nth_derivative(int n, const Motion& f) {
  if (n == 0) return f(0);
  return DerivativeAlong<Value>::of([&](Value epsilon) -> Column<Value> {
    return nth_derivative(n - 1, [&](Value tau) { return f(tau + epsilon); });
  });
}

TEST(Taylor, DerivativesOfAConstraintAlongACurveAreThoseByDifferences) {
  std::mt19937 rng(5);
  for (int trial = 0; trial < 3; ++trial) {
    const auto q = SE3<double>::random(rng);
    const Vec6 delta = 0.4 * trial * kJ;
    const Vec<Cubic, 3> phi =
        constraint<Cubic>(q.cast<Cubic>() * SE3<Cubic>::exp(curve<double, 6>(delta, kV, kA, kJ)),
                          Cubic::variable(0.7));
    const auto of_time = [&](Value tau) -> Column<Value> {
      const auto cast = [&](const Vec6& x) { return Vec<Value, 6>(x.cast<Value>()); };
      const Vec<Value, 6> x =
          cast(delta) + tau * cast(kV) + tau * tau / 2 * cast(kA) + tau * tau * tau / 6 * cast(kJ);
      return constraint<Value>(q.cast<Value>() * SE3<Value>::exp(x), Value(0.7) + tau);
    };
    // Every further difference loses to rounding what the one before has left.
    double tolerance = kChainTolerance;
    for (int order = 0; order <= 3; ++order) {
      const Column<Value> expected = nth_derivative(order, of_time);
      if (order == 1) tolerance = static_cast<double>(DerivativeAlong<Value>::relative_error());
      if (order > 1) tolerance = std::pow(tolerance, 2 / 3.0);
      for (int i = 0; i < 3; ++i) {
        const double e = static_cast<double>(expected(i)), scale = std::max(1.0, std::abs(e));
        EXPECT_NEAR(phi(i).derivative(order), e, std::max(tolerance, kChainTolerance) * scale)
            << "order " << order;
        EXPECT_GT(std::abs(e), 1e-3);
      }
    }
  }
}

// ---------------------------------------------------------------- in recordings

/// (δ, v, a, j, frame) ↦ the third-order series of a point of q∘exp(δ + τv + …) and of log of its
/// displacement.
template <class S>
std::vector<S> series_along_curve(std::span<const S> x) {
  const auto part = [&](std::size_t i) { return Vec<S, 6>(x.data() + 6 * i); };
  const Vec<Taylor<S, 3>, 6> delta = curve<S, 6>(part(0), part(1), part(2), part(3));
  const lie::Frame<Taylor<S, 3>> frame =
      lie::Frame<S>{Mat<S, 3>::Identity(), Vec<S, 3>(x.data() + 24)}
          .template cast<Taylor<S, 3>>()
          .template displaced<SE3>(delta);
  const Vec<Taylor<S, 3>, 3> p = frame.point(kP.cast<Taylor<S, 3>>());
  const Vec<Taylor<S, 3>, 6> w = SE3<Taylor<S, 3>>::exp(delta).log();
  std::vector<S> out;
  for (int k = 0; k <= 3; ++k) {
    for (int i = 0; i < 3; ++i) out.push_back(p(i).derivative(k));
    for (int i = 0; i < 6; ++i) out.push_back(w(i).derivative(k));
    out.push_back(abs(p(0) * p(1)).derivative(k));
  }
  return out;
}

TEST(Taylor, RecordedOnceIsReplayedEverywhere) {
  // Recorded at zero, below every switch; record() refuses frozen comparisons.
  const ad::Recording recording = ad::record({.name = "series", .variables = 27}, [](auto x, auto) {
    return series_along_curve<Taped>(x);
  });
  const ad::Kernel kernel(recording, {.results = {ad::value()}}, ad::Backend::kInterpreted);
  std::mt19937 rng(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const double angle : {0.0, 1e-6, 0.5, 1.5, 2.5, 3.1, 4.5, 6.0}) {
    Numbers x(27);
    for (double& xi : x) xi = uniform(rng);
    Eigen::Map<Vec3> omega(x.data());
    omega *= angle / omega.norm();
    const Numbers out = evaluated(kernel, x), expected = series_along_curve<double>(x);
    // Sums of some hundred terms, which grow with powers of δ's derivatives.
    double largest = 1;
    for (const double e : expected) largest = std::max(largest, std::abs(e));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(out[i], expected[i], kChainTolerance * largest) << "angle " << angle << ", " << i;
    }
  }
}

TEST(Taylor, KeepsKnownZerosOutOfRecordings) {
  // The displacement is known to be zero: what remains of exp is its first terms, without a sum of
  // the series or a selection.
  const ad::Recording recording =
      ad::record({.name = "at_zero", .variables = 12}, [](auto x, auto) {
        const Vec<Taped, 6> zero = Vec<Taped, 6>::Zero(), v(x.data()), a(x.data() + 6);
        const auto frame = lie::Frame<Taped>{Mat<Taped, 3>::Identity(), Vec<Taped, 3>::Zero()}
                               .cast<Taylor<Taped, 3>>()
                               .displaced<SE3>(curve<Taped, 6>(zero, v, a, zero));
        const auto p = frame.point(kP.cast<Taylor<Taped, 3>>());
        return std::array{p(0).derivative(2), p(1).derivative(2), p(2).derivative(2)};
      });
  EXPECT_LE(recording.num_operations(), 100);
}

TEST(Taylor, IsDifferentiatedThroughItsCoefficients) {
  // d/dx of the third derivative of sin(x τ) at x·1: x³ … by hand -x³ cos(x), hence
  // -3x² cos x + x³ sin x.
  const auto f = []<class T>(const Vec<T, 1>& x) -> Vec<T, 1> {
    const auto tau = Taylor<T, 3>::variable(T(1));
    return Vec<T, 1>(sin(x(0) * tau).derivative(3));
  };
  const double x = 0.7;
  const double expected = -3 * x * x * std::cos(x) + x * x * x * std::sin(x);
  EXPECT_NEAR((ad::nested_jacobian<1>(f, Vec<double, 1>(x))(0)), expected, kSeriesTolerance);

  // Within a recording the coefficients are AD<AD<double>>.
  const ad::Recording recording =
      ad::record({.name = "nested_series", .variables = 1}, [&](auto y, auto) {
        return std::array{Taped(ad::nested_jacobian<1>(f, Vec<Taped, 1>(y[0]))(0))};
      });
  const ad::Kernel kernel(recording, {.results = {ad::value(), ad::jacobian()}},
                          ad::Backend::kInterpreted);
  const Numbers out = evaluated(kernel, {x});
  EXPECT_NEAR(out[0], expected, kSeriesTolerance);
  EXPECT_NEAR(out[1], -6 * x * std::cos(x) + 6 * x * x * std::sin(x) + x * x * x * std::cos(x),
              kSeriesTolerance);
}

}  // namespace
}  // namespace liegrad::test
