// Steps that are too long for a motion, seen by velocities that violate the constraints: a chain whose end
// cracks like a whip. Without the watch its steps go on, each with Φ = 0, while energy grows to 1e26 J.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/numbers.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

constexpr const char* kComplaint = "velocities violate the constraints by ";

/// The end of a run of the chain, which begins at rest with no energy.
struct Whip {
  dae::IntegrateSummary summary;
  double energy = 0;
};

Whip crack(int bodies, const dae::IntegrateOptions& options) {
  const dae::System system = models::chain({.bodies = bodies});
  const dae::Solution solution = dae::integrate(system, options);
  dae::Outputs outputs(system);
  std::vector<double> out(dae::index(outputs.size()));
  outputs.evaluate(solution.final, {}, out);
  return {solution.summary, out[dae::index(outputs.offset("energy"))]};
}

dae::IntegrateOptions until(double t_end) {
  dae::IntegrateOptions options;
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
  EXPECT_NE(whip.summary.warnings[0].find(kComplaint), std::string::npos)
      << whip.summary.warnings[0];
  EXPECT_NE(whip.summary.warnings[0].find("most of all joint"), std::string::npos)
      << whip.summary.warnings[0];
  EXPECT_LE(whip.summary.max_position_residual, 1e-14);
  // Of about 5 J that are exchanged.
  EXPECT_LE(std::abs(whip.energy), 0.5);
}

TEST(VelocityWatch, EndsARunThatSmallerStepsCannotSave) {
  const Whip whip = crack(100, until(2));
  EXPECT_EQ(whip.summary.termination, dae::Termination::kNewtonDiverged);
  ASSERT_EQ(whip.summary.warnings.size(), 1u);
  EXPECT_NE(whip.summary.warnings[0].find("first at t = 1.38"), std::string::npos)
      << whip.summary.warnings[0];
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
