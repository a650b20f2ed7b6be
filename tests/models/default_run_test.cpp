// What a run does that is left to its defaults: it is right, and says what it did (docs/step-control.md).

#include <gtest/gtest.h>

#include <cmath>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/forces/bushing.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

using dae::IntegrateOptions;
using dae::Solution;
using dae::System;

TEST(DefaultRun, ControlsTheErrorAndSaysSo) {
  const Solution run = dae::integrate(models::make_model("heavy_top"), {});
  EXPECT_EQ(run.summary.method, "radau-3");
  EXPECT_EQ(run.summary.reason_for_method, dae::kReasonForDefault);
  EXPECT_TRUE(run.summary.trusted) << run.summary.reason_for_doubt;
  EXPECT_LT(run.summary.max_position_residual, 1e-13);
  EXPECT_LT(run.summary.max_velocity_residual, 1e-11);
  // The same top without constraints, by another method.
  IntegrateOptions fine;
  fine.method = dae::Method::kMuntheKaas;
  fine.tableau = dae::butcher_6();
  fine.step = 1e-4;
  const auto q = dae::integrate(models::make_model("spinning_top"), fine).final.q;
  const Eigen::Vector3d x =
      lie::SO3<double>::from_quaternion({q[0], q[1], q[2], q[3]}).matrix().col(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(run.final.q[static_cast<std::size_t>(4 + i)], x(i), 30e-6);
  }
}

TEST(DefaultRun, HasFixedStepsWhereAStepIsGiven) {
  IntegrateOptions options;
  options.step = 1e-2;
  const Solution run = dae::integrate(models::make_model("pendulum"), options);
  EXPECT_EQ(run.summary.method, "radau-3");
  EXPECT_EQ(run.summary.steps, 100);
  EXPECT_EQ(run.summary.smallest_step, run.summary.largest_step);
}

TEST(DefaultRun, IsNotThatOfANamedMethod) {
  const System pendulum = models::make_model("pendulum");
  const Solution alpha = dae::integrate(pendulum, dae::alpha_steps(1e-2));
  EXPECT_EQ(alpha.summary.method, "lie-alpha");
  EXPECT_EQ(alpha.summary.reason_for_method, "");
  EXPECT_EQ(alpha.summary.steps, 100);
  IntegrateOptions options;
  options.method = dae::Method::kAlpha;  // steps follow the error
  options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-3}};
  EXPECT_LT(dae::integrate(pendulum, options).summary.steps, 1000);
  options = {};
  options.method = dae::Method::kMuntheKaas;
  options.tableau = dae::rk4();
  ASSERT_EQ(options.problems(pendulum).size(), 1u);
  EXPECT_EQ(options.problems(pendulum)[0],
            "adaptive steps need an embedded method, which 'rkmk-rk4' has not; give a step, or "
            "choose another method");
}

TEST(DefaultRun, SaysWhichOptionsItDoesNotRead) {
  IntegrateOptions options;
  options.alpha.formulation = dae::Formulation::kStabilized;
  const Solution run = dae::integrate(models::make_model("pendulum"), options);
  ASSERT_EQ(run.summary.warnings.size(), 1u);
  EXPECT_NE(run.summary.warnings[0].find("have no effect on radau-3"), std::string::npos);
}

TEST(DefaultRun, KeepsTheEnergyOfAChainThatCracksLikeAWhip) {
  IntegrateOptions options;
  options.t_end = 1;
  options.keep_samples = false;
  const System chain = models::make_model("chain", models::Structure{.bodies = 20});
  const auto energy = [&](const dae::State& state) {
    dae::Outputs own(chain);
    std::vector<double> numbers(static_cast<std::size_t>(own.size()));
    own.evaluate(state, {}, numbers);
    return std::pair(numbers[static_cast<std::size_t>(own.offset("energy"))],
                     numbers[static_cast<std::size_t>(own.offset("energy.kinetic"))]);
  };
  const Solution run = dae::integrate(chain, options);
  EXPECT_TRUE(run.summary.trusted) << run.summary.reason_for_doubt;
  const auto [total, kinetic] = energy(run.final);
  EXPECT_LT(std::abs(total), 1e-6 * kinetic);  // zero at the start
}

/// A body that swings on a bushing 1 m above it, released where it hangs sideways; along the bushing as stiff as asked for,
/// with a tenth of critical damping, and free to turn.
System on_a_bushing(double stiffness) {
  System system("swing");
  system.add_node("body", lie::NodeGroup::so3xr3());
  system.add("body", elements::RigidBody{}, {"body"}, {.values = {{"m", 2}}});
  const double damping = 0.2 * std::sqrt(2 * stiffness);
  std::map<std::string, double> values = {{"b.X1", -1}};
  for (const char axis : {'1', '2', '3'}) {
    values[std::string("k") + axis] = stiffness;
    values[std::string("d") + axis] = damping;
    values[std::string("kr") + axis] = 0;
  }
  system.add("bushing", elements::Bushing{}, {"ground", "body"}, {.values = values});
  system.set_initial_configuration("body", {1, 0, 0, 0, 1, 0, 0});
  return system;
}

TEST(DefaultRun, FollowsTheSlowMotionOfStiffBushings) {
  IntegrateOptions options;
  options.t_end = 2;
  std::vector<long> steps;
  for (const double stiffness : {1e4, 1e6, 1e8}) {
    const Solution run = dae::integrate(on_a_bushing(stiffness), options);
    ASSERT_TRUE(run.summary.is_complete()) << run.summary.message;
    steps.push_back(run.summary.steps);
    // The fixed end stays where it is but for the deflection, about 3 weights.
    const auto& q = run.final.q;
    const Eigen::Vector3d axis =
        lie::SO3<double>::from_quaternion({q[0], q[1], q[2], q[3]}).matrix().col(0);
    EXPECT_NEAR((Eigen::Vector3d(q[4], q[5], q[6]) - axis).norm(), 0, 4 * 2 * 9.81 / stiffness);
  }
  // The vibration is a hundred times as fast, and 1e4 radians of it are passed in the run.
  EXPECT_LT(steps[2], 3 * steps[0]);
  EXPECT_LT(steps[2], 1000);
}

}  // namespace
}  // namespace liegrad::testing
