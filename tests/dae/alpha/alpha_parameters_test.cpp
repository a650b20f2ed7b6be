// The coefficients against the papers, and the analysis of the linear test equation in
// [ArnoldCardonaBruels2015, Section 3.2] repeated with them.

#include "liegrad/dae/alpha/alpha_parameters.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include "ad/expect_message.hpp"

namespace liegrad::dae {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A handful of operations with numbers of the size of 1.
constexpr double kRounding = 16 * kEpsilon;

using Sentences = std::vector<std::string>;
using test::expect_invalid;

void expect_same(const AlphaParameters& p, const AlphaParameters& expected) {
  EXPECT_NEAR(p.alpha_m, expected.alpha_m, kRounding);
  EXPECT_NEAR(p.alpha_f, expected.alpha_f, kRounding);
  EXPECT_NEAR(p.beta, expected.beta, kRounding);
  EXPECT_NEAR(p.gamma, expected.gamma, kRounding);
}

/// T_∞ = (T⁺)⁻¹ T⁰, the step of the test equation q̈ + ω²q = 0 in (ω²q, v/h, a), for hω → ∞: the
/// matrices before [ArnoldCardonaBruels2015, Eq. (42)] with 1/(hω)² = 0.
Eigen::Matrix3d T_infinity(const AlphaParameters& p) {
  Eigen::Matrix3d T_plus, T_zero;
  T_plus << 0, 0, -p.beta,  //
      0, 1, -p.gamma,       //
      1 - p.alpha_f, 0, 1 - p.alpha_m;
  T_zero << 0, 1, 0.5 - p.beta,  //
      0, 1, 1 - p.gamma,         //
      -p.alpha_f, 0, -p.alpha_m;
  return T_plus.fullPivLu().solve(T_zero);
}

double spectral_radius(const Eigen::Matrix3d& T) { return T.eigenvalues().cwiseAbs().maxCoeff(); }

/// The largest |f(n)| for n = 0, …, and where it is.
struct Peak {
  int n = 0;
  double value = 0;
};

template <class F>
Peak peak_of(F&& f) {
  constexpr int kSteps = 2000;  // 0.99²⁰⁰⁰ n² < 0.01
  Peak peak;
  for (int n = 0; n < kSteps; ++n) {
    const double value = std::abs(f(n));
    if (value > peak.value) peak = {n, value};
  }
  return peak;
}

Peak peak_of_powers(double rho) {
  const Eigen::Matrix3d T = T_infinity(AlphaParameters::from_spectral_radius(rho));
  Eigen::Matrix3d power = Eigen::Matrix3d::Identity();
  return peak_of([&](int) {
    const double norm = power.jacobiSvd().singularValues()(0);
    power = (power * T).eval();
    return norm;
  });
}

/// c_n / C_q of [ArnoldCardonaBruels2015, Eq. (53)].
double amplification(double rho, int n) {
  const double one_plus = 1 + rho;
  return one_plus * one_plus *
         (0.5 * n * (n - 1) * (rho * rho - 1) * std::pow(-rho, n - 2) +
          n * (2 - rho) * std::pow(-rho, n - 1));
}

const std::string kForces = "errors of constraint forces may persist or grow, since ";
const std::string kRemedy = "; a spectral radius rho below 1 gives parameters without this defect";

}  // namespace

TEST(AlphaParameters, ASpectralRadiusGivesTheParametersOfChungAndHulbert) {
  // (42) by hand.
  expect_same(AlphaParameters::from_spectral_radius(0), {-1, 0, 1, 1.5});
  expect_same(AlphaParameters::from_spectral_radius(0.5), {0, 1.0 / 3, 4.0 / 9, 5.0 / 6});
  expect_same(AlphaParameters::from_spectral_radius(0.6), {0.125, 0.375, 0.390625, 0.75});
  expect_same(AlphaParameters::from_spectral_radius(1), {0.5, 0.5, 0.25, 0.5});
}

TEST(AlphaParameters, HilberHughesTaylorHasTheSignOfItsAuthors) {
  expect_same(AlphaParameters::hht(-0.1), {0, 0.1, 0.3025, 0.6});
  expect_same(AlphaParameters::hht(0), AlphaParameters::newmark());
  EXPECT_FALSE(std::signbit(AlphaParameters::hht(0).alpha_f));
  // α_m = 0 in both families.
  expect_same(AlphaParameters::hht(-1.0 / 3), AlphaParameters::from_spectral_radius(0.5));
}

TEST(AlphaParameters, HilberHughesTaylorHasTheSpectralRadiusOfTheBeamExample) {
  // [BruelsCardonaArnold2012, Section 7.2]: "α = 0.05 … leads to a spectral radius ρ∞ = 0.905".
  EXPECT_NEAR(spectral_radius(T_infinity(AlphaParameters::hht(-0.05))), 0.905, 0.0005);
  // ρ∞ is a double eigenvalue: rounding moves it by the root of ε.
  for (const double alpha : {-1.0 / 3, -0.3, -0.2, -0.1, -0.05}) {
    EXPECT_NEAR(spectral_radius(T_infinity(AlphaParameters::hht(alpha))), (1 + alpha) / (1 - alpha),
                8 * std::sqrt(kEpsilon));
  }
}

TEST(AlphaParameters, NewmarkIsTheTrapezoidalRule) {
  expect_same(AlphaParameters::newmark(), {0, 0, 0.25, 0.5});
  expect_same(AlphaParameters(), AlphaParameters::newmark());
}

TEST(AlphaParameters, ValuesOutsideTheirRangeAreRefused) {
  const auto rho = [](double value) {
    return [value] { AlphaParameters::from_spectral_radius(value); };
  };
  const std::string choose_rho = " is outside [0, 1]; choose 0 (strongest damping) to 1 (none)";
  expect_invalid(rho(1.5), "spectral radius at infinity rho = 1.5" + choose_rho);
  expect_invalid(rho(-0.1), "spectral radius at infinity rho = -0.1" + choose_rho);
  expect_invalid(rho(kNan), "spectral radius at infinity rho = nan" + choose_rho);

  const auto hht = [](double value) { return [value] { AlphaParameters::hht(value); }; };
  expect_invalid(hht(0.1),
                 "Hilber-Hughes-Taylor parameter alpha = 0.1 is outside [-1/3, 0]; in the sign of "
                 "its authors it is -0.1");
  const std::string choose_alpha =
      " is outside [-1/3, 0]; choose -1/3 (strongest damping) to 0 (none)";
  expect_invalid(hht(0.5), "Hilber-Hughes-Taylor parameter alpha = 0.5" + choose_alpha);
  expect_invalid(hht(-0.4), "Hilber-Hughes-Taylor parameter alpha = -0.4" + choose_alpha);
  expect_invalid(hht(kNan), "Hilber-Hughes-Taylor parameter alpha = nan" + choose_alpha);
}

TEST(AlphaParameters, TheErrorConstantsAreThoseOfThePapers) {
  // Δ_α and C_q as in [ArnoldCardonaBruels2015, Eqs. (41), (40a)]: for ρ∞ = 0.6 the fractions
  // 1/8 - 3/8 and (1 - 6·25/64 + 3/4)/6, by hand.
  const auto p = AlphaParameters::from_spectral_radius(0.6);
  EXPECT_NEAR(p.delta_alpha(), -0.25, kRounding);
  EXPECT_NEAR(p.c_q(), -0.098958333333333333, kRounding);
  EXPECT_NEAR(AlphaParameters::newmark().c_q(), -1.0 / 12, kRounding);

  // The residual of (39a) for q = t³/6, v̇ = t, where the expansion (40a) ends.
  for (const double rho : {0.0, 0.3, 0.9, 1.0}) {
    const auto a = AlphaParameters::from_spectral_radius(rho);
    const double residual =
        1.0 / 6 - (0.5 - a.beta) * a.delta_alpha() - a.beta * (1 + a.delta_alpha());
    EXPECT_NEAR(a.c_q(), residual, kRounding);
  }
}

TEST(AlphaParameters, TheCommutatorCoefficientIsThatOfThePaper) {
  for (const double rho : {0.0, 0.3, 0.65, 0.9, 1.0}) {
    const auto p = AlphaParameters::from_spectral_radius(rho);
    EXPECT_NEAR(p.commutator_coefficient(0), 1.0 / 12, kRounding);
    EXPECT_NEAR(p.commutator_coefficient(p.optimal_sigma()), 0, kRounding);
    // [HolzingerArnoldGerstmayr2025, Eq. (42)], a closed form for σ = 1.
    EXPECT_NEAR(4 * p.commutator_coefficient(1), (1 - 2 / ((1 + rho) * (1 - rho / 3))) / 3,
                kRounding);
  }
  EXPECT_NEAR(AlphaParameters::from_spectral_radius(1).optimal_sigma(), 2.0 / 3, kRounding);
}

TEST(AlphaParameters, TheFactorsAreTheDerivativesOfTheUpdate) {
  // Two end accelerations a_{n+1} that differ by 1 with h = 1, through (37b)–(37d): Δq differs by
  // β, v by γ, v̇ by (1 - α_m)/(1 - α_f).
  const AlphaParameters p{.alpha_m = 0.1, .alpha_f = 0.3, .beta = 0.4, .gamma = 0.7};
  EXPECT_NEAR(p.velocity_factor(), 0.7 / 0.4, kRounding);
  EXPECT_NEAR(p.acceleration_factor(), (0.9 / 0.7) / 0.4, kRounding);
}

TEST(AlphaParameters, DampedStandardMethodsGiveNoWarning) {
  for (int i = 0; i < 100; ++i) {
    const auto p = AlphaParameters::from_spectral_radius(i / 100.0);
    EXPECT_EQ(p.problems(), Sentences{}) << i;
    EXPECT_EQ(p.warnings(), Sentences{}) << i;
  }
  for (int i = 1; i <= 33; ++i) {
    EXPECT_EQ(AlphaParameters::hht(-i / 100.0).problems(), Sentences{}) << i;
    EXPECT_EQ(AlphaParameters::hht(-i / 100.0).warnings(), Sentences{}) << i;
  }
}

TEST(AlphaParameters, EachViolatedConditionGivesItsWarning) {
  const AlphaParameters good{.alpha_m = 0.1, .alpha_f = 0.3, .beta = 0.4, .gamma = 0.7};
  EXPECT_EQ(good.warnings(), Sentences{});

  AlphaParameters p = good;
  p.gamma = 0.75;
  EXPECT_EQ(p.warnings(),
            Sentences{"the method is of first order only, since gamma = 0.75 differs from 0.5 - "
                      "alpha_m + alpha_f = 0.7; choose that value for second order"});
  p = good;
  p.beta = 0.35;
  EXPECT_EQ(p.warnings(), Sentences{kForces + "gamma = 0.7 is not below 2 beta = 0.7" + kRemedy});
  p = {.alpha_m = 0.3, .alpha_f = 0.25, .beta = 0.4, .gamma = 0.45};
  EXPECT_EQ(p.warnings(),
            Sentences{kForces + "alpha_m = 0.3 is not below alpha_f = 0.25" + kRemedy});
  p = {.alpha_m = 0.4, .alpha_f = 0.6, .beta = 0.4, .gamma = 0.7};
  EXPECT_EQ(p.warnings(), Sentences{kForces + "alpha_f = 0.6 is not below 0.5" + kRemedy});
}

TEST(AlphaParameters, MethodsWithoutDampingAreOnTheEdgeOfStability) {
  EXPECT_EQ(AlphaParameters::newmark().warnings(),
            (Sentences{kForces + "alpha_m = 0 is not below alpha_f = 0" + kRemedy,
                       kForces + "gamma = 0.5 is not below 2 beta = 0.5" + kRemedy}));
  EXPECT_EQ(AlphaParameters::from_spectral_radius(1).warnings(),
            (Sentences{kForces + "alpha_m = 0.5 is not below alpha_f = 0.5" + kRemedy,
                       kForces + "alpha_f = 0.5 is not below 0.5" + kRemedy,
                       kForces + "gamma = 0.5 is not below 2 beta = 0.5" + kRemedy}));
}

TEST(AlphaParameters, WarningsAgreeWithTheSpectralRadiusOfConstrainedSystems) {
  // [ArnoldCardonaBruels2015, Lemma 4.17]: without a warning, ρ(T_z) < 1; its eigenvalues are those
  // of T_∞ and -α_m/(1 - α_m).
  // The third decimals keep the grid off the edges of the conditions.
  int num_without = 0;
  for (double alpha_m = -1; alpha_m <= 0.8; alpha_m += 0.3) {
    for (double alpha_f = -0.503; alpha_f <= 0.8; alpha_f += 0.13) {
      for (double beta = 0.1; beta <= 1.2; beta += 0.17) {
        const AlphaParameters p{
            .alpha_m = alpha_m, .alpha_f = alpha_f, .beta = beta, .gamma = 0.5 - alpha_m + alpha_f};
        if (!p.problems().empty() || !p.warnings().empty()) continue;
        ++num_without;
        EXPECT_LT(spectral_radius(T_infinity(p)), 1);
        EXPECT_LT(std::abs(alpha_m / (1 - alpha_m)), 1);
      }
    }
  }
  EXPECT_GT(num_without, 50);
}

TEST(AlphaParameters, UndefinedMethodsAreProblems) {
  const AlphaParameters good{.alpha_m = 0.1, .alpha_f = 0.3, .beta = 0.4, .gamma = 0.7};
  EXPECT_EQ(good.problems(), Sentences{});

  AlphaParameters p = good;
  p.alpha_m = 1;
  EXPECT_EQ(p.problems(), Sentences{"alpha_m = 1 leaves the new acceleration-like vector a "
                                    "undefined; choose alpha_m below alpha_f"});
  EXPECT_EQ(p.warnings(), Sentences{});
  p = good;
  p.alpha_f = 1;
  EXPECT_EQ(
      p.problems(),
      Sentences{"alpha_f = 1 leaves the new accelerations undefined; choose alpha_f below 0.5"});
  p = good;
  p.beta = 0;
  EXPECT_EQ(p.problems(),
            Sentences{"beta = 0 lets no force act on the new positions, so constraints cannot be "
                      "satisfied; choose beta above gamma / 2"});
  p = good;
  p.gamma = 0;
  EXPECT_EQ(p.problems(),
            Sentences{"gamma = 0 leaves the stabilised and the sigma-modified forms undefined; "
                      "choose gamma = 0.5 - alpha_m + alpha_f"});
  p = {.alpha_m = kNan, .alpha_f = kInfinity, .beta = -kInfinity, .gamma = kNan};
  EXPECT_EQ(p.problems(), (Sentences{"alpha_m = nan is not a finite number; give one",
                                     "alpha_f = inf is not a finite number; give one",
                                     "beta = -inf is not a finite number; give one",
                                     "gamma = nan is not a finite number; give one"}));
  EXPECT_EQ(p.warnings(), Sentences{});
}

TEST(AlphaParameters, AllEigenvaluesAtInfinityAreMinusTheSpectralRadius) {
  // Rounding moves the eigenvalue of a Jordan block of size 3 by its cube root.
  const double tolerance = std::cbrt(kEpsilon);
  for (const double rho : {0.0, 0.3, 0.6, 0.9, 0.99, 1.0}) {
    const Eigen::Matrix3d T = T_infinity(AlphaParameters::from_spectral_radius(rho));
    for (const auto& eigenvalue : T.eigenvalues()) {
      EXPECT_NEAR(std::abs(eigenvalue + rho), 0, tolerance) << rho;
    }
  }
}

TEST(AlphaParameters, TheStepAtInfinityHasTheJordanFormOfThePaper) {
  // T_∞ X = X J with the X and J after [ArnoldCardonaBruels2015, Eq. (42)].
  for (const double rho : {0.0, 0.3, 0.6, 0.9}) {
    const double mu = -rho;
    Eigen::Matrix3d J, X;
    J << mu, 1, 0,  //
        0, mu, 1,   //
        0, 0, mu;
    X << 1 - mu * mu, -(2 + mu), 0,                                //
        0, 0.5 * (1 + mu) / (1 - mu), -1 / ((1 - mu) * (1 - mu)),  //
        0, 1, 0;
    const Eigen::Matrix3d T = T_infinity(AlphaParameters::from_spectral_radius(rho));
    EXPECT_LT((T * X - X * J).cwiseAbs().maxCoeff(), 10 * kRounding) << rho;
  }
}

TEST(AlphaParameters, PowersOfTheStepAtInfinityOvershootAsInThePaper) {
  // [ArnoldCardonaBruels2015, after Eq. (42)]: "max ‖Tⁿ‖₂ = ‖T³‖₂ = 7.4 … = ‖T¹⁴‖₂ = 34.3".
  const Peak at_6 = peak_of_powers(0.6);
  EXPECT_EQ(at_6.n, 3);
  EXPECT_NEAR(at_6.value, 7.4, 0.05);
  const Peak at_9 = peak_of_powers(0.9);
  EXPECT_EQ(at_9.n, 14);
  EXPECT_NEAR(at_9.value, 34.3, 0.05);
}

TEST(AlphaParameters, ErrorsOfTheMultiplierAreAmplifiedAsInThePaper) {
  // [ArnoldCardonaBruels2015, after Eq. (53)]; the paper prints the peaks of c_n / C_q as |c_n|.
  struct Printed {
    double rho;
    int n;
    double value;
  };
  for (const Printed& printed : {Printed{0.6, 3, 6.8}, {0.9, 15, 31.9}, {0.99, 161, 334.3}}) {
    const Peak peak = peak_of([&](int n) { return amplification(printed.rho, n); });
    EXPECT_EQ(peak.n, printed.n);
    EXPECT_NEAR(peak.value, printed.value, 0.05);
  }
}

TEST(AlphaParameters, AmplificationIsTheFirstComponentOfThePowersOfTheStep) {
  // (53) is T_∞ⁿ e with e = (0, C_q, 0)ᵀ. Rounding of T_∞ grows with n‖Tⁿ‖², up to 4e4.
  for (const double rho : {0.3, 0.6, 0.9}) {
    const Eigen::Matrix3d T = T_infinity(AlphaParameters::from_spectral_radius(rho));
    Eigen::Vector3d e = Eigen::Vector3d::UnitY();
    for (int n = 0; n <= 40; ++n) {
      EXPECT_NEAR(e(0), amplification(rho, n), 4e4 * kEpsilon) << rho << ' ' << n;
      e = (T * e).eval();
    }
  }
}

}  // namespace liegrad::dae
