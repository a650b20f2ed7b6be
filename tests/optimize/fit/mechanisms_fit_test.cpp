// Fits of mechanisms with closed loops, sensors with mounting and delay, and a beam. Data come from steps ten times finer
// than those of the fits, with noise.

#include <gtest/gtest.h>

#include <cmath>

#include <Eigen/Dense>

#include "liegrad/elements/forces/point_spring.hpp"
#include "liegrad/elements/sensors/accelerometer.hpp"
#include "liegrad/elements/sensors/gyroscope.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/optimize/fit/engine.hpp"
#include "liegrad/optimize/fit/profile.hpp"
#include "synthetic.hpp"

namespace liegrad::testing {
namespace {

using optimize::FitOptions;
using optimize::FitProblem;
using optimize::FitResult;
using optimize::Recording;
using optimize::SensorEffect;

dae::IntegrateOptions steps_of(double h, double t_end) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = t_end;
  return options;
}

void expect_found(const FitResult& result, const std::string& name, double truth) {
  EXPECT_LT(std::abs(result[name].value - truth), 4 * result[name].std)
      << name << " " << result[name].value << " ± " << result[name].std;
  EXPECT_EQ(result[name].verdict, "identifiable") << name;
}

/// A spring with a damper between the ground and the slider closes a second path in the loop.
TEST(MechanismFit, FindsTheSpatialSliderCrankAndASpringInItsLoop) {
  dae::System system = models::make_model("slider_crank_3d");
  system.add_parameter({"spring.k", 200, "N/m", "stiffness"});
  system.add_parameter({"spring.d", 1.5, "N s/m", "damping"});
  system.add(
      "spring", elements::PointSpring{}, {"ground", "slider"},
      {.values = {{"a.X1", 0.6}, {"l0", 0.25}}, .bind = {{"k", "spring.k"}, {"d", "spring.d"}}});
  FitProblem problem{system,
                     {recorded(system, steps_of(1e-4, 1), 0.01, {"crank.theta", "slider.s"})}};
  std::mt19937 random(1);
  add_noise(problem.trials[0], "crank.theta", 1e-3, random);
  add_noise(problem.trials[0], "slider.s", 1e-4, random);
  problem.free = {"spring.k", "spring.d", "slider.m", "crank.omega0"};
  problem.start = {{"spring.k", 190}, {"spring.d", 1.3}, {"slider.m", 2.05}, {"crank.omega0", 6}};
  FitOptions options;
  options.run = steps_of(1e-3, 1);
  const FitResult result = optimize::fit(problem, options);
  ASSERT_TRUE(result.converged) << result.message;
  expect_found(result, "spring.k", 200);
  expect_found(result, "spring.d", 1.5);
  expect_found(result, "slider.m", 2);
  expect_found(result, "crank.omega0", 6);
  EXPECT_NEAR(result.output("slider.s").noise, 1e-4, 2e-5);
}

/// A gyroscope and an accelerometer on the rotor, turned and off its axis; the gyroscope's values are 3 ms late.
TEST(MechanismFit, FindsMountingAndDelayOfAnImuOnTheRotor) {
  const auto with_sensors = [] {
    dae::System system = models::make_model("rotor");
    system.set_parameter("rotor.omega0", 30);
    for (int i = 1; i <= 3; ++i) {
      const std::string r = "imu.r" + std::to_string(i);
      system.add_parameter({r, 0, "rad", "mounting"});
    }
    const std::map<std::string, std::string> mounting = {
        {"r1", "imu.r1"}, {"r2", "imu.r2"}, {"r3", "imu.r3"}};
    system.add("gyro", elements::Gyroscope{}, {"rotor"}, {.bind = mounting});
    system.add("felt", elements::Accelerometer{}, {"rotor"}, {.bind = mounting});
    return system;
  };
  dae::System truth = with_sensors();
  const std::pair<const char*, double> values[] = {{"imu.r1", 0.2},    {"imu.r2", -0.15},
                                                   {"imu.r3", 0.1},    {"felt.X2", 0.03},
                                                   {"felt.X3", -0.02}, {"gyro.bias2", 0.05}};
  for (const auto& [name, value] : values) truth.set_parameter(name, value);
  // Runs begin before the first sample by the largest delay: at the start of the motion.
  constexpr double kLargest = 0.03;
  const Recording all = recorded(truth, steps_of(5e-5, 0.5), 0.005, {"gyro.rate", "felt.force"});
  FitProblem problem{with_sensors(), {optimize::window_of(all, kLargest, {})}};
  std::mt19937 random(3);
  add_noise(problem.trials[0], "gyro.rate", 5e-3, random);
  add_noise(problem.trials[0], "felt.force", 2e-2, random);
  constexpr double kDelay = 0.003;
  for (optimize::Series& series : problem.trials[0].series) {
    if (series.output == "gyro.rate") {
      for (double& t : series.times) t += kDelay;
    }
  }
  problem.free = {"imu.r1", "imu.r2", "imu.r3", "felt.X2", "felt.X3", "gyro.bias2"};
  problem.sensors = {{SensorEffect::kDelay, "gyro.rate"}};
  problem.lower = {{"gyro.rate.delay", -0.01}};
  problem.upper = {{"gyro.rate.delay", kLargest}};
  FitOptions options;
  options.run = steps_of(5e-4, 1);

  // The delay's derivative is the rate of the output.
  optimize::FitEngine engine(problem, options);
  Eigen::VectorXd x = engine.unknowns().start();
  x(x.size() - 1) = 0.00213;  // no sample at the end of a step, where the rate has a kink
  ASSERT_EQ(engine.unknowns().names().back(), "gyro.rate.delay");
  const Eigen::VectorXd exact = engine.evaluate(0, x, true).jacobian.rightCols(1);
  Eigen::VectorXd above = x, below = x;
  above(x.size() - 1) += 2e-6;
  below(x.size() - 1) -= 2e-6;
  const Eigen::VectorXd differences =
      (engine.evaluate(0, above, false).values - engine.evaluate(0, below, false).values) / 4e-6;
  EXPECT_LT((exact - differences).norm(), 1e-4 * differences.norm());

  const FitResult result = optimize::fit(problem, options);
  ASSERT_TRUE(result.converged) << result.message;
  for (const auto& [name, value] : values) expect_found(result, name, value);
  expect_found(result, "gyro.rate.delay", kDelay);
  EXPECT_NEAR(result.output("gyro.rate").noise, 5e-3, 1e-3);
}

/// A disc: J_2 = J_1 + J_3 at the limit of what bodies can have, which noisy data overstep.
TEST(MechanismFit, KeepsInertiaPossibleWithOneRunAndWithPieces) {
  dae::System system = models::make_model("free_body");
  system.set_parameter("body.J1", 1);
  system.set_parameter("body.J2", 1.999);
  system.set_parameter("body.J3", 1);
  system.set_parameter("body.omega1", 0.5);
  system.set_parameter("body.omega2", 4);
  FitProblem problem{system, {recorded(system, steps_of(1e-3, 1), 0.02, {"body.q"})}};
  std::mt19937 random(8);
  add_noise(problem.trials[0], "body.q", 2e-2, random);
  problem.free = {"body.m", "body.J1", "body.J2", "body.J3", "body.v0"};
  problem.start = {{"body.m", 1.2}, {"body.J1", 1.3}, {"body.J2", 1.5}, {"body.J3", 1.1}};
  problem.admissible = {"body"};
  // Free motion has no scale of inertia.
  problem.prior = {{"body.m", {1, 0.1}}, {"body.J1", {1, 0.02}}, {"body.J3", {1, 0.02}}};
  FitOptions options;
  options.run = steps_of(1e-2, 1);
  for (const double piece : {0.0, 0.25}) {
    options.piece = piece;
    const FitResult result = optimize::fit(problem, options);
    EXPECT_TRUE(result.converged) << result.message;
    const double j1 = result["body.J1"].value, j2 = result["body.J2"].value,
                 j3 = result["body.J3"].value;
    EXPECT_LE(j2, j1 + j3) << piece;
    EXPECT_GT(j2, 0.9 * (j1 + j3)) << piece;
    EXPECT_GT(result["body.m"].value, 0);
  }
}

/// Free vibration under gravity, released from straight: stiffness and damping with their intervals.
TEST(MechanismFit, FindsStiffnessAndDampingOfABeam) {
  models::Structure structure;
  structure.bodies = 3;
  dae::System system = models::make_model("cantilever", structure);
  system.set_parameter("alpha", 2);
  FitProblem problem{system, {recorded(system, steps_of(1e-4, 0.4), 0.01, {"tip.displacement"})}};
  std::mt19937 random(5);
  add_noise(problem.trials[0], "tip.displacement", 2e-4, random);
  problem.trials[0].series.erase(problem.trials[0].series.begin(),
                                 problem.trials[0].series.begin() + 2);
  problem.free = {"EI", "alpha"};
  problem.start = {{"EI", 150}, {"alpha", 0.5}};
  FitOptions options;
  options.run = steps_of(1e-3, 0.4);
  const FitResult result = optimize::fit(problem, options);
  ASSERT_TRUE(result.converged) << result.message;
  expect_found(result, "EI", 175);
  expect_found(result, "alpha", 2);
  EXPECT_LT(result["EI"].std, 0.01 * 175);
  EXPECT_LT(result["alpha"].std, 0.1 * 2);
}

/// Free fall is linear in its unknowns: the profile is the parabola of the textbook.
TEST(Profile, EqualsTheIntervalOfALinearModel) {
  dae::System system = models::make_model("free_body");
  Recording data = recorded(system, steps_of(0.01, 1), 0.05, {"body.x"});
  data.series.resize(1);
  std::mt19937 random(3);
  add_noise(data, "body.x", 0.01, random);
  FitProblem problem{system, {data}};
  problem.free = {"body.x1", "body.u1", "gravity1"};
  FitOptions options;
  options.run = steps_of(0.01, 1);
  const FitResult result = optimize::fit(problem, options);
  for (const char* const name : {"body.x1", "body.u1", "gravity1"}) {
    const optimize::Profile profile = optimize::profile_of(problem, options, result, name);
    const optimize::Estimate& estimate = result[name];
    EXPECT_EQ(profile.verdict, "identifiable");
    EXPECT_NEAR(profile.ci95.lower, estimate.ci95.lower, 1e-5 * estimate.std) << name;
    EXPECT_NEAR(profile.ci95.upper, estimate.ci95.upper, 1e-5 * estimate.std) << name;
  }
}

}  // namespace
}  // namespace liegrad::testing
