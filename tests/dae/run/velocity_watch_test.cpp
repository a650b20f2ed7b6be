// Steps that are too long for a motion, seen by velocities that violate the constraints: a chain whose end
// cracks like a whip. Without the watch its steps go on, each with Φ = 0, while energy grows without bound.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

constexpr const char* kFailure = "velocities violate the constraints by ";

/// The end of a run of the chain, which begins at rest with no energy.
struct Whip {
  dae::IntegrateSummary summary;
  double energy = 0;
};

double energy_of(const dae::System& system, const dae::State& state) {
  dae::Outputs outputs(system);
  std::vector<double> out(dae::index(outputs.size()));
  outputs.evaluate(state, {}, out);
  return out[dae::index(outputs.offset("energy"))];
}

Whip crack(int bodies, const dae::IntegrateOptions& options) {
  const dae::System system = models::chain({.bodies = bodies});
  const dae::Solution solution = dae::integrate(system, options);
  return {solution.summary, energy_of(system, solution.final)};
}

dae::IntegrateOptions until(double t_end) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = 1e-3;
  options.t_end = t_end;
  options.keep_samples = false;
  return options;
}

TEST(VelocityWatch, HalvesStepsThatAreTooLongAndSaysSo) {
  const Whip whip = crack(20, until(3));
  ASSERT_TRUE(whip.summary.is_complete()) << whip.summary.message;
  EXPECT_GT(whip.summary.failed_attempts, 0);
  ASSERT_EQ(whip.summary.warnings.size(), 1u);
  EXPECT_NE(whip.summary.warnings[0].find(kFailure), std::string::npos) << whip.summary.warnings[0];
  EXPECT_NE(whip.summary.warnings[0].find("most of all joint"), std::string::npos)
      << whip.summary.warnings[0];
  EXPECT_LE(whip.summary.max_position_residual, 1e-14);
  // Of about 5 J that are exchanged.
  EXPECT_LE(std::abs(whip.energy), 0.5);
}

TEST(VelocityWatch, EndsARunWhoseStepsMayNotBecomeSmaller) {
  dae::IntegrateOptions options = until(2);
  options.smallest_fraction = 1;
  const Whip whip = crack(100, options);
  EXPECT_EQ(whip.summary.termination, dae::Termination::kNewtonDiverged);
  EXPECT_NE(whip.summary.message.find("the step from t = 1.38"), std::string::npos)
      << whip.summary.message;
  EXPECT_NE(whip.summary.message.find(kFailure), std::string::npos) << whip.summary.message;
}

/// A step, or two halves of it where Newton's iteration fails, as a run makes them but for the watch.
void advance(dae::Stepper& stepper, double h, double t_end) {
  if (!stepper.step(h, t_end).success) {
    ASSERT_GT(h, 1e-6);
    advance(stepper, h / 2, t_end - h / 2);
    return advance(stepper, h / 2, t_end);
  }
  EXPECT_LE(stepper.report().position_residual, 1e-13);
  stepper.accept();
}

TEST(VelocityWatch, IsNeeded) {
  const dae::System system = models::chain({.bodies = 100});
  const dae::IntegrateOptions options = until(1.4);
  dae::Consistency consistency(system, options.alpha.consistency, options.alpha.solver);
  const auto stepper = dae::make_stepper(system, options);
  stepper->start(consistency.initial_state(0, {}), options.step);
  for (int n = 1; n <= 1400; ++n) advance(*stepper, options.step, n * options.step);
  const double energy = energy_of(system, stepper->state());
  std::printf("%.1e J at t = %.3f\n", energy, stepper->state().t);
  // Of about 25 J that are exchanged.
  EXPECT_GT(energy, 1e4);
}

TEST(VelocityWatch, HasNothingToSayOfStepsThatAreShortEnough) {
  dae::IntegrateOptions options = until(3);
  options.step = 2.5e-4;
  const Whip whip = crack(20, options);
  EXPECT_TRUE(whip.summary.is_complete());
  EXPECT_EQ(whip.summary.failed_attempts, 0);
  EXPECT_TRUE(whip.summary.warnings.empty());
  EXPECT_LE(std::abs(whip.energy), 0.1);
}

TEST(VelocityWatch, LetsAMotionBegin) {
  // From rest dΦ/dt is a large part of v at first.
  const Whip whip = crack(10, until(0.05));
  EXPECT_TRUE(whip.summary.is_complete());
  EXPECT_EQ(whip.summary.failed_attempts, 0);
}

}  // namespace
}  // namespace liegrad::testing
