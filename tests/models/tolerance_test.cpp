// Error control over all built-in systems: the error at the end of a run is proportional to the tolerance, and samples
// between steps are as good (docs/step-control.md, whose tables this program prints).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/run/error_norm.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;
using dae::index;
using dae::IntegrateOptions;
using dae::Method;
using dae::State;
using dae::System;

/// The bar of the error over the tolerance. Below the lower one, shorter steps than needed were made.
constexpr double kMost = 30, kLeast = 1e-3;

struct Case {
  std::string model;
  double t_end;
  double reference_step;
  double tightest;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.model; }

System make(const std::string& model) {
  const bool sized = models::find_model(model).default_bodies > 0;
  return models::make_model(model, sized ? models::Structure{.bodies = 3} : models::Structure{});
}

bool is_constrained(const System& system) {
  return system.num_multipliers() + system.num_algebraic() > 0;
}

State end_of_fixed_steps(const System& system, double t_end, double step) {
  IntegrateOptions options = dae::alpha_steps();
  options.t_end = t_end;
  options.step = step;
  options.keep_samples = false;
  if (is_constrained(system)) {
    options.alpha.formulation = Formulation::kIndex2;
    options.alpha.start = dae::StartingValues::kCorrected;
  } else {
    options.method = Method::kMuntheKaas;
    options.tableau = dae::butcher_6();
  }
  const dae::Solution solution = dae::integrate(system, options);
  EXPECT_TRUE(solution.summary.is_complete()) << solution.summary.message;
  return solution.final;
}

/// By fixed steps: of order 6, or of order 2 with h, h/2, h/4 extrapolated twice.
State reference_of(const System& system, const Case& one) {
  const State a = end_of_fixed_steps(system, one.t_end, one.reference_step);
  if (!is_constrained(system)) return a;
  const State b = end_of_fixed_steps(system, one.t_end, one.reference_step / 2);
  const State c = end_of_fixed_steps(system, one.t_end, one.reference_step / 4);
  const auto extrapolated = [](double x, double y, double z) {
    return (8 * (4 * z - y) / 3 - (4 * y - x) / 3) / 7;
  };
  const lie::GroupList& space = system.configuration_space();
  std::vector<double> to_b(index(system.dof())), to_c = to_b;
  space.minus<double>(b.q, a.q, to_b);
  space.minus<double>(c.q, a.q, to_c);
  State result = c;
  for (std::size_t i = 0; i < to_b.size(); ++i) {
    to_c[i] = extrapolated(0, to_b[i], to_c[i]);
    result.v[i] = extrapolated(a.v[i], b.v[i], c.v[i]);
  }
  space.plus<double>(a.q, to_c, result.q);
  return result;
}

/// In the scales of the documentation.
double distance(const System& system, const dae::ErrorNorm& norm, const State& a, const State& b) {
  std::vector<double> theta(index(system.dof())), v = theta;
  system.configuration_space().minus<double>(a.q, b.q, theta);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = a.v[i] - b.v[i];
  return norm.size(theta, v);
}

dae::ErrorNorm unit_norm(const System& system, double t_end) {
  dae::Consistency consistency(system, {}, dae::LinearSolverKind::kAutomatic);
  const std::vector<double> controls(system.controls().size(), 0.0);
  const State initial = consistency.initial_state(0, controls);
  return {consistency.assembly(), initial, {.relative = 1}, t_end};
}

class Tolerance : public ::testing::TestWithParam<Case> {};

TEST_P(Tolerance, IsProportionalToTheErrorAtTheEnd) {
  const Case& one = GetParam();
  const System system = make(one.model);
  const State reference = reference_of(system, one);
  IntegrateOptions options = dae::alpha_steps();
  options.t_end = one.t_end;
  options.keep_samples = false;
  const auto check = [&](const char* what) {
    std::printf("| %s | %s |", one.model.c_str(), what);
    for (double tolerance = 1e-4; tolerance > 0.9 * one.tightest; tolerance /= 10) {
      dae::ErrorNorm norm = unit_norm(system, one.t_end);
      options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = tolerance}};
      options.on_step = [&norm](const State& state) {
        norm.observe(state);
        return true;
      };
      const dae::Solution solution = dae::integrate(system, options);
      ASSERT_EQ(solution.summary.termination, dae::Termination::kReachedEnd)
          << solution.summary.message;
      EXPECT_TRUE(solution.summary.trusted) << solution.summary.reason_for_doubt;
      const double error = distance(system, norm, solution.final, reference);
      EXPECT_LE(error, kMost * tolerance) << what << " " << tolerance;
      EXPECT_GE(error, kLeast * tolerance) << what << " " << tolerance;
      std::printf(" %.2g |", error / tolerance);
    }
    std::printf("\n");
  };
  check("index 3");
  if (is_constrained(system)) {
    options.alpha.formulation = Formulation::kIndex2;
    check("index 2");
    options.alpha.formulation = Formulation::kStabilized;
    check("stabilised");
  } else {
    options.method = Method::kMuntheKaas;
    options.tableau = dae::dormand_prince_54();
    check("Munthe-Kaas");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Tolerance,
    ::testing::Values(Case{"heavy_top", 1, 5e-5, 1e-6}, Case{"spinning_top", 1, 1e-4, 1e-7},
                      Case{"free_body", 1, 1e-3, 1e-8}, Case{"pendulum", 1, 5e-4, 1e-8},
                      Case{"torsional_ball", 1, 1e-4, 1e-8}, Case{"chain", 1, 2e-4, 1e-6},
                      Case{"slider_crank", 1, 2e-4, 1e-5}, Case{"andrews", 0.03, 2e-6, 1e-5},
                      Case{"slider_crank_3d", 1, 2e-4, 1e-5}, Case{"rotor", 0.01, 4e-7, 1e-7}),
    [](const auto& one) { return one.param.model; });

class RadauTolerance : public ::testing::TestWithParam<Case> {};

/// The reference is by another method, whose tolerance is a hundred times tighter than the tightest.
TEST_P(RadauTolerance, IsProportionalToTheErrorAtTheEnd) {
  const Case& one = GetParam();
  const System system = make(one.model);
  IntegrateOptions options;
  options.t_end = one.t_end;
  options.keep_samples = false;
  options.method = Method::kMuntheKaas;
  options.tableau = dae::dormand_prince_54();
  options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 0.01 * one.tightest}};
  const State reference = dae::integrate(system, options).final;
  options.method = Method::kRadau;
  std::printf("| %s |", one.model.c_str());
  for (double tolerance = 1e-4; tolerance > 0.9 * one.tightest; tolerance /= 100) {
    dae::ErrorNorm norm = unit_norm(system, one.t_end);
    options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = tolerance}};
    options.on_step = [&norm](const State& state) {
      norm.observe(state);
      return true;
    };
    const dae::Solution solution = dae::integrate(system, options);
    ASSERT_EQ(solution.summary.termination, dae::Termination::kReachedEnd)
        << solution.summary.message;
    EXPECT_TRUE(solution.summary.trusted) << solution.summary.reason_for_doubt;
    const double error = distance(system, norm, solution.final, reference);
    EXPECT_LE(error, kMost * tolerance) << tolerance;
    EXPECT_GE(error, kLeast * tolerance) << tolerance;
    std::printf(" %.2g (%ld) |", error / tolerance, static_cast<long>(solution.summary.steps));
  }
  std::printf("\n");
}

INSTANTIATE_TEST_SUITE_P(
    Models, RadauTolerance,
    ::testing::Values(Case{"heavy_top", 1, 0, 1e-10}, Case{"spinning_top", 1, 0, 1e-10},
                      Case{"free_body", 1, 0, 1e-10}, Case{"pendulum", 1, 0, 1e-10},
                      Case{"torsional_ball", 1, 0, 1e-10}, Case{"chain", 1, 0, 1e-10},
                      Case{"slider_crank", 1, 0, 1e-10}, Case{"andrews", 0.03, 0, 1e-10},
                      Case{"slider_crank_3d", 1, 0, 1e-10}, Case{"rotor", 0.01, 0, 1e-10},
                      Case{"double_pendulum", 1, 0, 1e-10}),
    [](const auto& one) { return one.param.model; });

/// A run that does not come to its end is ended, and fails.
IntegrateOptions index_3_with(double tolerance, double t_end) {
  IntegrateOptions options = dae::alpha_steps();
  options.t_end = t_end;
  options.sample_interval = 0.1 * t_end;
  options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = tolerance}};
  options.on_step = [count = 0](const State&) mutable { return ++count < 2'000'000; };
  return options;
}

TEST(Tolerance, IsReachedInIndexThreeAlthoughAccelerationsHaveRoundingOverTheSquareOfTheStep) {
  const System system = models::make_model("heavy_top");
  constexpr double kTolerance = 1e-8, kEnd = 0.3;
  const dae::Solution solution = dae::integrate(system, index_3_with(kTolerance, kEnd));
  ASSERT_EQ(solution.summary.termination, dae::Termination::kReachedEnd)
      << solution.summary.message;
  IntegrateOptions options;
  options.t_end = kEnd;
  options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-11}};
  dae::ErrorNorm norm = unit_norm(system, kEnd);
  options.on_step = [&norm](const State& state) {
    norm.observe(state);
    return true;
  };
  const dae::Solution reference = dae::integrate(system, options);
  const double error = distance(system, norm, solution.final, reference.final);
  EXPECT_LE(error, kMost * kTolerance);
  EXPECT_GE(error, kLeast * kTolerance);
}

TEST(Tolerance, BelowTheRoundingOfIndexThreeEndsTheRunEarlyWithARemedy) {
  const System system = models::make_model("heavy_top");
  const dae::Solution solution = dae::integrate(system, index_3_with(1e-10, 1));
  const dae::IntegrateSummary& summary = solution.summary;
  EXPECT_EQ(summary.termination, dae::Termination::kToleranceBelowRounding);
  EXPECT_FALSE(summary.is_complete());
  EXPECT_FALSE(summary.trusted);
  EXPECT_NE(summary.message.find("rounding"), std::string::npos) << summary.message;
  EXPECT_NE(summary.message.find("stabilised"), std::string::npos) << summary.message;
  EXPECT_NE(summary.message.find("radau-3"), std::string::npos) << summary.message;
  EXPECT_FALSE(solution.samples.empty());
  EXPECT_LT(summary.steps, 10'000);
}

TEST(Tolerance, HoldsForSamplesBetweenTheSteps) {
  const System system = models::make_model("spinning_top");
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    IntegrateOptions options = dae::alpha_steps();
    options.t_end = 0.2;
    options.sample_interval = 1e-3;
    options.method = Method::kMuntheKaas;
    options.tableau = dae::butcher_6();
    options.step = 1e-4;
    const dae::Solution reference = dae::integrate(system, options);
    options.tableau = dae::dormand_prince_54();
    options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = tolerance}};
    const dae::Solution solution = dae::integrate(system, options);
    dae::ErrorNorm norm = unit_norm(system, options.t_end);
    for (const State& state : reference.samples) norm.observe(state);
    ASSERT_EQ(solution.samples.size(), reference.samples.size());
    double largest = 0;
    for (std::size_t i = 0; i < solution.samples.size(); ++i) {
      largest =
          std::max(largest, distance(system, norm, solution.samples[i], reference.samples[i]));
    }
    EXPECT_LE(largest, kMost * tolerance) << tolerance;
    EXPECT_LT(solution.summary.steps, 1000) << "steps are to be longer than what is sampled";
  }
}

TEST(Tolerance, HoldsForMultipliersBetweenTheSteps) {
  const System system = models::make_model("heavy_top");
  IntegrateOptions options;
  options.t_end = 0.2;
  options.sample_interval = 1.1e-3;
  const dae::Solution solution = dae::integrate(system, options);
  options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-9}};
  const dae::Solution reference = dae::integrate(system, options);
  ASSERT_EQ(solution.samples.size(), reference.samples.size());
  double largest = 0, scale = 0;
  for (std::size_t i = 0; i < reference.samples.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double lambda = reference.samples[i].lambda[k];
      largest = std::max(largest, std::abs(solution.samples[i].lambda[k] - lambda));
      scale = std::max(scale, std::abs(lambda));
    }
  }
  EXPECT_LE(largest, kMost * 1e-6 * scale);
}

}  // namespace
}  // namespace liegrad::testing
