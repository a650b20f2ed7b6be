// Figures of [ArnoldCardonaBruels2015] that show the heavy top in time, at its largest step, or slowed down.
// heavy_top_test.cpp has those that show errors over steps.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "dae/heavy_top_runs.hpp"
#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "liegrad/dae/alpha/generalized_alpha.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;
using dae::StartingValues;

const lie::NodeGroup kGroups[] = {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()};

double order(double coarse, double fine) { return std::log2(coarse / fine); }

double largest(const std::vector<double>& values, std::size_t first, std::size_t last) {
  double result = 0;
  for (std::size_t n = first; n < std::min(last, values.size()); ++n) {
    result = std::max(result, std::abs(values[n]));
  }
  return result;
}
double largest(const std::vector<double>& values) { return largest(values, 0, values.size()); }

/// (λ - exact λ)/‖λ_n‖ at each step.
std::vector<Eigen::Vector3d> relative_errors(const std::vector<dae::State>& states,
                                             const TopRun& run) {
  const auto& reference = reference_of(run);
  std::vector<Eigen::Vector3d> errors;
  for (std::size_t n = 0; n < states.size(); ++n) {
    const Eigen::Vector3d lambda(states[n].lambda.data());
    errors.push_back((lambda - reference[n].lambda) / lambda.norm());
  }
  return errors;
}

/// The first component of these, which Figures 13 and 16 to 18 show.
std::vector<double> first_errors(const std::vector<dae::State>& states, const TopRun& run) {
  std::vector<double> list;
  for (const Eigen::Vector3d& error : relative_errors(states, run)) list.push_back(error(0));
  return list;
}

/// ‖B v‖∞ at each step, with the start.
std::vector<double> velocity_residuals(const std::vector<dae::State>& states,
                                       const dae::System& system) {
  dae::Outputs outputs(system);
  std::vector<double> numbers(static_cast<std::size_t>(outputs.size())), residuals;
  const auto column = static_cast<std::size_t>(outputs.column("residual.velocity"));
  for (const dae::State& state : states) {
    outputs.evaluate(state, {}, numbers);
    residuals.push_back(numbers[column]);
  }
  return residuals;
}

/// Steps without the guards of a run, from Table 1, 2 or neither; what a failed step leaves is missing.
std::vector<dae::State> steps_of(const TopRun& run, Formulation start_of) {
  const dae::System system = run.system();
  const dae::AlphaOptions options = run.options().alpha;
  dae::Consistency consistency(system, {}, dae::LinearSolverKind::kAutomatic);
  dae::MethodState state;
  dae::begin_alpha(consistency.initial_state(0, {}),
                   options.formulation == Formulation::kStabilized, state);
  dae::set_starting_values(run.start, options.method, options.variant, start_of, run.h, consistency,
                           state);
  dae::GeneralizedAlpha stepper(system, options);
  stepper.restart(state, run.h);
  std::vector<dae::State> states = {state};
  const int count = static_cast<int>(std::lround(run.t_end / run.h));
  for (int n = 1; n <= count && stepper.step(run.h, n * run.h).success; ++n) {
    stepper.accept();
    states.push_back(stepper.state());
  }
  return states;
}

TEST(LargestStep, IsUnstableInIndex3WithLittleDamping) {
  // h = 4e-3 of Figures 6 and 8, SO(3)×R³. With ρ∞ = 0.9 velocities across the constraints oscillate and grow; an
  // independent implementation of (37) does the same. The paper had "convergence problems" in this run only.
  const auto growth = [](double rho) {
    const TopRun run{.rho = rho, .h = 4e-3};
    const auto residuals = velocity_residuals(steps_of(run, run.formulation), run.system());
    std::printf("ρ∞ = %.2f: %zu steps, ‖Bv‖ up to %.3f before t = 0.4 and %.3f after t = 0.6\n",
                rho, residuals.size() - 1, largest(residuals, 30, 100),
                largest(residuals, 150, residuals.size()));
    return largest(residuals, 150, residuals.size()) / largest(residuals, 30, 100);
  };
  EXPECT_GE(growth(0.9), 3);
  EXPECT_LE(growth(0.8), 1.2);
}

TEST(LargestStep, HasErrorsOnTheLinesOfTheSmallerOnes) {
  struct Case {
    lie::NodeGroup group;
    Formulation formulation;
    double rho, least_order;
  };
  // On SE(3) errors of q reach half a turn, which is all there is.
  for (const Case& c : {Case{kGroups[0], Formulation::kIndex3, 0.8, 1.9},
                        Case{kGroups[0], Formulation::kStabilized, 0.9, 1.9},
                        Case{kGroups[1], Formulation::kIndex3, 0.9, 1.2},
                        Case{kGroups[1], Formulation::kStabilized, 0.9, 1.2}}) {
    const TopRun coarse{.group = c.group, .formulation = c.formulation, .rho = c.rho, .h = 4e-3};
    const TopRun fine = coarse.with_step(2e-3);
    const dae::Solution a = coarse.run(), b = fine.run();
    ASSERT_EQ(a.summary.failed_attempts, 0);
    const TopErrors x = errors_of(a, coarse, 0.5), y = errors_of(b, fine, 0.5);
    std::printf("ρ∞ = %.1f: errors on [0.5, 1] of q %.2e, v %.2e, λ %.2e; orders %.2f %.2f %.2f\n",
                c.rho, x.q, x.v, x.lambda, order(x.q, y.q), order(x.v, y.v),
                order(x.lambda, y.lambda));
    for (double TopErrors::*variable : {&TopErrors::q, &TopErrors::v, &TopErrors::lambda}) {
      EXPECT_GE(order(x.*variable, y.*variable), c.least_order);
      EXPECT_LE(order(x.*variable, y.*variable), 2.15);
    }
  }
}

TEST(SlowTop, HasSmallerErrorsOnSE3) {
  // "For other setups, much smaller error constants have been observed for SE(3)": a hundredth of the spin.
  const auto errors = [](const lie::NodeGroup& group, double spin, double h) {
    const TopRun run{.group = group, .h = h, .spin = spin};
    return errors_of(run.run(), run);
  };
  TopErrors slow[2], fast[2];
  for (const std::size_t i : {0u, 1u}) {
    fast[i] = errors(kGroups[i], 1, 1e-3);
    slow[i] = errors(kGroups[i], 0.01, 1e-3);
    const TopErrors coarse = errors(kGroups[i], 0.01, 2e-3);
    EXPECT_NEAR(order(coarse.q, slow[i].q), 2, 0.02);
    EXPECT_NEAR(order(coarse.v, slow[i].v), 2, 0.02);
    // First order in the first steps, but on SE(3).
    EXPECT_NEAR(order(coarse.lambda, slow[i].lambda), i == 0 ? 1 : 2, 0.05);
    std::printf("h = 1e-3: slow q %.2e, v %.2e, λ %.2e; fast %.2e, %.2e, %.2e\n", slow[i].q,
                slow[i].v, slow[i].lambda, fast[i].q, fast[i].v, fast[i].lambda);
  }
  EXPECT_GE(fast[1].q, 10 * fast[0].q);
  EXPECT_GE(fast[1].v, 10 * fast[0].v);
  EXPECT_LE(slow[1].q, 0.55 * slow[0].q);
  EXPECT_LE(slow[1].v, 0.55 * slow[0].v);
  EXPECT_LE(slow[1].lambda, 0.1 * slow[0].lambda);
}

TEST(HeavyTopStabilized, HasThePointwiseErrorOfThePaper) {
  // After Figure 13: "approximately of size 3.0e3 h²", the largest of ‖e_n‖/‖λ_n‖.
  for (const double h : {2e-3, 1e-3, 5e-4}) {
    const TopRun run{.formulation = Formulation::kStabilized, .h = h};
    double worst = 0;
    for (const Eigen::Vector3d& error : relative_errors(run.run().samples, run)) {
      worst = std::max(worst, error.norm());
    }
    std::printf("h = %.0e: %.0f h²\n", h, worst / (h * h));
    EXPECT_NEAR(worst / (h * h), 3.0e3, 0.05 * 3.0e3);
  }
}

TEST(FigureSeven, ShowsOscillationsOfFirstOrderThatAreGoneAfterFiftySteps) {
  // λ_1 on SO(3)×R³ less that on SE(3), which does not oscillate.
  std::vector<double> amplitudes;
  for (const double h : {1e-3, 5e-4}) {
    const TopRun run{.h = h, .t_end = 0.1};
    TopRun smooth = run;
    smooth.group = kGroups[1];
    const dae::Solution a = run.run(), b = smooth.run();
    std::vector<double> differences;
    for (std::size_t n = 0; n < a.samples.size(); ++n) {
      differences.push_back(a.samples[n].lambda[0] - b.samples[n].lambda[0]);
    }
    amplitudes.push_back(largest(differences, 0, 50));
    EXPECT_LE(largest(differences, 50, 101), 0.3 * amplitudes.back());
    EXPECT_LE(largest(differences, 90, 101), 0.15 * amplitudes.back());
    std::printf("h = %.0e: up to %.0f N, %.0f N after 50 steps\n", h, amplitudes.back(),
                largest(differences, 50, 101));
  }
  EXPECT_NEAR(amplitudes[0] / amplitudes[1], 2, 0.05);
}

TEST(FiguresSeventeenAndEighteen, ShowThatIndex3NeedsTheMovedVelocityToo) {
  // e(λ_1)/‖λ‖ on [0, 0.1]. Figure 17: a_0 alone changes nothing. Figure 18: a_0 and v_0 leave second order.
  std::vector<double> corrected;
  for (const double h : {1e-3, 5e-4}) {
    TopRun run{.h = h, .t_end = 0.1};
    const double classical = largest(first_errors(steps_of(run, Formulation::kIndex3), run));
    run.start = StartingValues::kCorrected;
    const double only_a = largest(first_errors(steps_of(run, Formulation::kStabilized), run));
    corrected.push_back(largest(first_errors(steps_of(run, Formulation::kIndex3), run)));
    std::printf("h = %.0e: classical %.2e, with a_0 %.2e, with a_0 and v_0 %.2e\n", h, classical,
                only_a, corrected.back());
    EXPECT_NEAR(only_a / classical, 1, 0.01);
    EXPECT_LE(corrected.back(), 0.02 * classical);
  }
  EXPECT_NEAR(corrected[0] / corrected[1], 4, 0.5);
}

TEST(FigureNineteen, ShowsSmoothResidualsThatBeginWithTheMovedVelocity) {
  // The first sample of a corrected run is the state from which it starts: B v_0 = O(h²), not zero.
  std::vector<double> at_start;
  for (const double h : {1e-3, 5e-4}) {
    TopRun run{.h = h, .t_end = 0.1};
    const auto classical = velocity_residuals(run.run().samples, run.system());
    run.start = StartingValues::kCorrected;
    const auto corrected = velocity_residuals(run.run().samples, run.system());
    double jump = 0, classical_jump = 0;
    for (std::size_t n = 1; n < 50; ++n) {
      jump = std::max(jump, std::abs(corrected[n] - corrected[n - 1]));
      classical_jump = std::max(classical_jump, std::abs(classical[n] - classical[n - 1]));
    }
    EXPECT_LE(classical[0], 1e-12);
    EXPECT_LE(jump, 0.1 * classical_jump);
    // After the transient both are the same.
    EXPECT_NEAR(corrected[95], classical[95], 0.05 * largest(corrected));
    at_start.push_back(corrected[0]);
    std::printf("h = %.0e: classical %.4f %.4f %.4f %.4f; corrected %.4f %.4f %.4f %.4f\n", h,
                classical[0], classical[1], classical[2], classical[3], corrected[0], corrected[1],
                corrected[2], corrected[3]);
  }
  EXPECT_NEAR(at_start[0], 0.0162, 0.0005);
  EXPECT_NEAR(at_start[0] / at_start[1], 4, 0.1);
}

TEST(SimplifiedNewton, FailsAtTheLargestStep) {
  // "Convergence problems … for just one simulation scenario": index 3 on SO(3)×R³ with h = 4e-3. Ours fails
  // there and on SE(3), where D and K hold the fast gyroscopic terms; half the step does everywhere.
  for (const lie::NodeGroup& group : kGroups) {
    for (const double h : {4e-3, 2e-3}) {
      const TopRun run{.group = group, .h = h};
      dae::IntegrateOptions options = run.options();
      options.smallest_fraction = 1;
      options.keep_samples = false;
      options.alpha.newton.kind = dae::NewtonKind::kSimplified;
      const dae::IntegrateSummary summary = dae::integrate(run.system(), options).summary;
      EXPECT_EQ(summary.is_complete(), h < 4e-3) << summary.message;
    }
  }
}

TEST(CorrectedStarts, KeepTheSecondOrderOfPositionsAndVelocities) {
  for (const Formulation formulation : {Formulation::kIndex3, Formulation::kStabilized}) {
    std::vector<TopErrors> errors;
    for (const double h : {1e-3, 5e-4, 2.5e-4}) {
      const TopRun run{.formulation = formulation, .start = StartingValues::kCorrected, .h = h};
      errors.push_back(errors_of(run.run(), run));
    }
    for (std::size_t i = 1; i < errors.size(); ++i) {
      EXPECT_NEAR(order(errors[i - 1].q, errors[i].q), 2, 0.03);
      EXPECT_NEAR(order(errors[i - 1].v, errors[i].v), 2, 0.03);
    }
  }
}

}  // namespace
}  // namespace liegrad::testing
