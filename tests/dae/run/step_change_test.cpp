// Changing steps: the second order of q, v and λ, what it rests on, and error control.

#include <gtest/gtest.h>

#include "dae/heavy_top_runs.hpp"
#include "liegrad/dae/alpha/generalized_alpha.hpp"
#include "support/allocations.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;

TopErrors error_at(const dae::State& s, const HeavyTopReference::Point& exact, bool se3) {
  const Eigen::Quaterniond quaternion(s.q[0], s.q[1], s.q[2], s.q[3]);
  const Eigen::Matrix3d rotation = quaternion.toRotationMatrix();
  Eigen::Vector3d u(s.v[3], s.v[4], s.v[5]);
  if (se3) u = rotation * u;
  const Eigen::Vector3d omega(s.v[0], s.v[1], s.v[2]);
  const Eigen::Vector3d lambda(s.lambda[0], s.lambda[1], s.lambda[2]);
  return {(rotation - exact.rotation).norm(),
          std::hypot((omega - exact.omega).norm(), (u - exact.velocity).norm()),
          (lambda - exact.lambda).norm()};
}

/// Largest errors over a run whose steps go up and down: h times a pattern, again and again.
/// `keep_scales` leaves a and v as they are at a change of step: the negative control.
TopErrors errors_with_changing_steps(const TopRun& run, bool keep_scales = false) {
  const std::vector<double> pattern = {1, 1.4, 0.8, 1.1, 0.6, 0.6, 1.5, 1};
  dae::AlphaOptions options = run.options().alpha;
  const dae::System system = models::make_model("heavy_top", run.group);
  dae::GeneralizedAlpha stepper(system, options);
  stepper.start(
      dae::Consistency(system, {}, dae::LinearSolverKind::kAutomatic).initial_state(0, {}),
      run.h * pattern[0]);
  HeavyTopReference reference;
  TopErrors largest;
  double t = 0;
  for (int n = 0; t < run.t_end; ++n) {
    const double h = run.h * pattern[static_cast<std::size_t>(n) % pattern.size()];
    if (keep_scales) stepper.restart(dae::MethodState(stepper.state()), h);
    EXPECT_TRUE(stepper.step(h, t + h).success);
    stepper.accept();
    t += h;
    reference.advance(h);
    const TopErrors e =
        error_at(stepper.state(), reference.point(), run.group.kind == lie::GroupKind::kSE3);
    largest.q = std::max(largest.q, e.q);
    largest.v = std::max(largest.v, e.v);
    largest.lambda = std::max(largest.lambda, e.lambda);
  }
  return largest;
}

struct Case {
  lie::NodeGroup group;
  Formulation formulation;
  double sigma;
};

class ChangingSteps : public ::testing::TestWithParam<Case> {};

TEST_P(ChangingSteps, KeepSecondOrderOfPositionsVelocitiesAndMultipliers) {
  const auto [group, formulation, sigma] = GetParam();
  TopRun run{.group = group,
             .formulation = formulation,
             .start = dae::StartingValues::kCorrected,
             .sigma = sigma,
             .t_end = 0.2};
  std::vector<TopErrors> errors;
  for (const double h : {5e-4, 2.5e-4, 1.25e-4}) {
    errors.push_back(errors_with_changing_steps(run.with_step(h)));
  }
  for (std::size_t i = 1; i < errors.size(); ++i) {
    EXPECT_NEAR(std::log2(errors[i - 1].q / errors[i].q), 2, 0.1);
    EXPECT_NEAR(std::log2(errors[i - 1].v / errors[i].v), 2, 0.1);
    EXPECT_NEAR(std::log2(errors[i - 1].lambda / errors[i].lambda), 2, 0.2);
  }
}

INSTANTIATE_TEST_SUITE_P(
    HeavyTop, ChangingSteps,
    ::testing::Values(Case{lie::NodeGroup::so3xr3(), Formulation::kIndex3, 0},
                      Case{lie::NodeGroup::so3xr3(), Formulation::kIndex3, 1},
                      Case{lie::NodeGroup::so3xr3(), Formulation::kIndex2, 0},
                      Case{lie::NodeGroup::so3xr3(), Formulation::kStabilized, 0},
                      Case{lie::NodeGroup::so3xr3(), Formulation::kStabilized, 1},
                      Case{lie::NodeGroup::se3(), Formulation::kIndex3, 0}));

TEST(ChangingSteps, LoseTheOrderOfTheMultipliersWithoutRescaling) {
  const TopRun run{.start = dae::StartingValues::kCorrected, .t_end = 0.1};
  const double coarse = errors_with_changing_steps(run.with_step(2.5e-4), true).lambda;
  const double fine = errors_with_changing_steps(run.with_step(1.25e-4), true).lambda;
  EXPECT_LT(std::log2(coarse / fine), 1.3);
}

dae::Solution adaptive_run(double tolerance, Formulation formulation) {
  TopRun run{.formulation = formulation, .start = dae::StartingValues::kCorrected};
  dae::IntegrateOptions options = run.options();
  options.adaptive = dae::AdaptiveOptions{.tolerance = {tolerance, tolerance}};
  return dae::integrate(models::make_model("heavy_top", run.group), options);
}

TEST(AdaptiveSteps, FollowTheToleranceInAllFormulations) {
  for (const auto formulation :
       {Formulation::kIndex3, Formulation::kIndex2, Formulation::kStabilized}) {
    HeavyTopReference reference;
    reference.advance(1.0);
    const auto exact = reference.point();
    double last_error = 0, last_steps = 0;
    for (const double tolerance : {1e-4, 1e-5, 1e-6}) {
      const dae::Solution solution = adaptive_run(tolerance, formulation);
      ASSERT_TRUE(solution.summary.is_complete()) << solution.summary.message;
      const double error = error_at(solution.final, exact, false).q;
      const double steps = static_cast<double>(solution.summary.steps);
      EXPECT_DOUBLE_EQ(solution.final.t, 1.0);
      if (last_error > 0) {
        // A tenth of the tolerance: a tenth of the error, by steps shorter by the square root.
        EXPECT_NEAR(steps / last_steps, std::sqrt(10.0), 0.7);
        EXPECT_NEAR(std::log10(last_error / error), 1, 0.25);
      }
      last_error = error;
      last_steps = steps;
    }
  }
}

using StepChangeAllocation = test::Allocation;

TEST_F(StepChangeAllocation, DoesNotHappen) {
  const dae::System system = models::make_model("heavy_top");
  for (const Formulation formulation :
       {Formulation::kIndex3, Formulation::kIndex2, Formulation::kStabilized}) {
    const TopRun run{.formulation = formulation};
    dae::GeneralizedAlpha stepper(system, run.options().alpha);
    stepper.start(
        dae::Consistency(system, {}, dae::LinearSolverKind::kAutomatic).initial_state(0, {}),
        run.h);
    double t = 0;
    for (int n = 0; n < 20; ++n) {
      const double h = n % 2 == 0 ? run.h : 1.3 * run.h;
      t += h;
      bool success = false;
      const int allocations = test::allocations_of([&] {
        success = stepper.step(h, t).success;
        stepper.accept();
      });
      ASSERT_TRUE(success) << stepper.report().message;
      if (n < 10) continue;
      EXPECT_EQ(allocations, 0) << n << ", " << static_cast<int>(formulation);
    }
  }
}

TEST(AdaptiveSteps, GrowWhereTheMotionIsSlow) {
  // The pendulum's accelerations change little at rest: steps there are longer than at the tolerance's
  // own pace on the fast top by far.
  dae::IntegrateOptions options = dae::alpha_steps();
  options.t_end = 5;
  options.adaptive = dae::AdaptiveOptions{.tolerance = {1e-6, 1e-6}};
  const dae::Solution solution = dae::integrate(models::make_model("pendulum"), options);
  EXPECT_TRUE(solution.summary.is_complete());
  EXPECT_GT(solution.summary.largest_step, 3 * solution.summary.smallest_step);
  EXPECT_LE(solution.summary.max_position_residual, 1e-14);
}

TEST(AdaptiveSteps, KeepToTheirBounds) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.adaptive =
      dae::AdaptiveOptions{.tolerance = {1e-3, 1e-3}, .initial_step = 1e-3, .largest_step = 2e-3};
  const dae::Solution solution = dae::integrate(models::make_model("pendulum"), options);
  EXPECT_LE(solution.summary.largest_step, 2e-3 * (1 + 1e-9));
}

}  // namespace
}  // namespace liegrad::testing
