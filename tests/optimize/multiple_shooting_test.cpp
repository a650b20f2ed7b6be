// A double pendulum that swings over for ten seconds: the run from the start alone loses the record, and shooting
// from it ends elsewhere; multiple shooting finds the truth.

#include "liegrad/optimize/fit/multiple_shooting.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "liegrad/models/models.hpp"
#include "synthetic.hpp"

namespace liegrad::testing {
namespace {

using optimize::FitOptions;
using optimize::FitProblem;
using optimize::FitResult;
using optimize::Recording;

TEST(MultipleShooting, FindsADoublePendulumOfTenSecondsOnWhichShootingFails) {
  dae::System truth = models::make_model("double_pendulum");
  truth.set_parameter("arm1.theta0", 2);
  truth.set_parameter("arm2.theta0", 2.2);
  truth.set_parameter("joint1.viscous", 3e-4);
  dae::IntegrateOptions fine;
  fine.step = 2e-4;
  fine.t_end = 10;
  Recording data = recorded(truth, fine, 0.02, {"arm1.theta", "arm2.theta"});
  std::mt19937 random(3);
  add_noise(data, "arm1.theta", 1e-3, random);
  add_noise(data, "arm2.theta", 1e-3, random);

  FitProblem problem{models::make_model("double_pendulum"), {data}};
  problem.free = {"arm1.J",     "arm2.J",      "joint1.viscous", "arm1.theta0",
                  "arm1.rate0", "arm2.theta0", "arm2.rate0"};
  problem.start = {{"arm1.J", 0.0016}, {"arm2.J", 0.0011}};
  FitOptions options;
  options.run.step = 2e-3;
  options.solver.max_iterations = 40;
  options.max_noise_rounds = 4;
  const FitResult found = optimize::fit_by_multiple_shooting(problem, options, {.segment = 0.2});
  ASSERT_TRUE(found.converged) << found.message;
  EXPECT_LE(found.largest_gap, 1e-9);
  const std::pair<const char*, double> expected[] = {{"arm1.J", 0.0012},
                                                     {"arm2.J", 0.0014},
                                                     {"joint1.viscous", 3e-4},
                                                     {"arm1.theta0", 2},
                                                     {"arm2.theta0", 2.2}};
  for (const auto& [name, value] : expected) {
    EXPECT_LT(std::abs(found[name].value - value), 0.01 * value) << name;
  }
  EXPECT_LT(found.output("arm1.theta").residual_rms, 2e-3);
  EXPECT_LT(found.output("arm2.theta").residual_rms, 2e-3);

  options.solver.max_iterations = 20;
  const FitResult lost = optimize::fit(problem, options);
  EXPECT_GT(lost.output("arm2.theta").residual_rms, 0.05);
}

}  // namespace
}  // namespace liegrad::testing
