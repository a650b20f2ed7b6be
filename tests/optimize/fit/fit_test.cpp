// Fits to synthetic data. Runs that make the data have another formulation or a step ten times finer than those
// that are fitted, so that errors of the method are not hidden by being the same in both.

#include "liegrad/optimize/fit/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <Eigen/Dense>

#include "liegrad/models/models.hpp"
#include "liegrad/optimize/fit/start_values.hpp"
#include "liegrad/optimize/fit/student_t.hpp"
#include "synthetic.hpp"

namespace liegrad::testing {
namespace {

using optimize::Estimate;
using optimize::FitOptions;
using optimize::FitProblem;
using optimize::FitResult;
using optimize::Recording;

dae::IntegrateOptions steps_of(double h, double t_end) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = t_end;
  return options;
}

/// How many standard deviations an estimate is from the truth.
double pull(const FitResult& result, const std::string& name, double truth) {
  return (result[name].value - truth) / result[name].std;
}

TEST(StudentT, HasTheQuantilesOfTables) {
  using optimize::student_t_quantile;
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706204736432095, 1e-9);
  EXPECT_NEAR(student_t_quantile(0.975, 10), 2.2281388519862747, 1e-13);
  EXPECT_NEAR(student_t_quantile(0.05, 5), -2.0150483733330242, 1e-13);
  EXPECT_NEAR(student_t_quantile(0.975, std::numeric_limits<double>::infinity()), 1.959963984540054,
              1e-11);
  EXPECT_NEAR(student_t_quantile(0.5, 3), 0, 1e-12);
}

/// Free fall: x = x_0 + u_0 t + γ t²/2 is linear in its three unknowns, and steps of the method are exact for it.
TEST(Fit, EqualsTheTextbookOnALinearModel) {
  dae::System system = models::make_model("free_body");
  Recording data = recorded(system, steps_of(0.01, 1), 0.05, {"body.x"});
  data.series.resize(1);
  std::mt19937 random(3);
  add_noise(data, "body.x", 0.01, random);

  FitProblem problem{system, {data}};
  problem.free = {"body.x1", "body.u1", "gravity1"};
  FitOptions options;
  options.run = dae::alpha_steps();
  options.run = steps_of(0.01, 1);
  const FitResult result = optimize::fit(problem, options);
  ASSERT_TRUE(result.converged) << result.message;

  const optimize::Series& series = data.series[0];
  const Eigen::Index n = std::ssize(series.times);
  Eigen::MatrixXd design(n, 3);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double t = series.times[static_cast<std::size_t>(i)];
    design.row(i) << 1, t, 0.5 * t * t;
  }
  const Eigen::Map<const Eigen::VectorXd> y(series.values.data(), n);
  const Eigen::Vector3d textbook = design.colPivHouseholderQr().solve(y);
  const double variance = (y - design * textbook).squaredNorm() / static_cast<double>(n - 3);
  const Eigen::Matrix3d covariance = variance * (design.transpose() * design).inverse();
  const double t95 = 2.10092204024103849;  // of 18 degrees of freedom
  for (int i = 0; i < 3; ++i) {
    const Estimate& found = result.parameters[static_cast<std::size_t>(i)];
    const double std = std::sqrt(covariance(i, i));
    EXPECT_NEAR(found.value, textbook(i), 1e-9) << found.name;
    EXPECT_NEAR(found.std, std, 1e-9 * std) << found.name;
    EXPECT_NEAR(found.ci95.lower, textbook(i) - t95 * std, 1e-8) << found.name;
    EXPECT_NEAR(found.ci95.upper, textbook(i) + t95 * std, 1e-8) << found.name;
    EXPECT_EQ(found.verdict, "identifiable");
  }
  EXPECT_NEAR(result.covariance(0, 2), covariance(0, 2), 1e-9 * std::abs(covariance(0, 2)));
  EXPECT_NEAR(result.output("body.x").noise, std::sqrt(variance), 1e-9);
}

/// Data come from the top with its fixed point built in, by a Runge–Kutta method of order 6 without constraints.
TEST(Fit, FindsTheHeavyTopAndSaysWhatFreeMotionDoesNotTell) {
  dae::System truth = models::make_model("spinning_top");
  dae::System system = models::make_model("heavy_top");
  for (dae::System* const one : {&truth, &system}) {
    one->set_parameter("top.omega2", 15);
    one->set_parameter("top.omega3", -0.461538);
  }
  dae::IntegrateOptions fine = steps_of(1e-3, 1);
  fine.method = dae::Method::kMuntheKaas;
  fine.tableau = dae::butcher_6();
  Recording data = recorded(truth, fine, 0.01, {"top.q", "top.omega"});
  std::mt19937 random(5);
  add_noise(data, "top.q", 1e-4, random);
  add_noise(data, "top.omega", 1e-3, random);

  FitProblem problem{system, {data}};
  problem.free = {"top.J1", "top.J2", "top.X2", "top.omega1", "top.omega2", "top.omega3"};
  problem.start = {{"top.J1", 0.2}, {"top.J2", 0.4}, {"top.X2", 1.1}};
  FitOptions options;
  options.run = dae::alpha_steps();
  options.run = steps_of(5e-4, 1);
  const FitResult result = optimize::fit(problem, options);
  ASSERT_TRUE(result.converged) << result.message;
  const std::pair<const char*, double> expected[] = {
      {"top.J1", 0.234375}, {"top.J2", 0.46875}, {"top.X2", 1},
      {"top.omega1", 0},    {"top.omega2", 15},  {"top.omega3", -0.461538}};
  for (const auto& [name, value] : expected) {
    EXPECT_LT(std::abs(pull(result, name, value)), 4) << name << " " << result[name].value;
    EXPECT_EQ(result[name].verdict, "identifiable") << name;
  }
  EXPECT_NEAR(result.output("top.q").noise, 1e-4, 1e-5);
  EXPECT_NEAR(result.output("top.omega").noise, 1e-3, 1e-4);
  EXPECT_TRUE(result.undetermined.empty());

  // Mass and inertia together: motion under gravity has no scale of mass.
  problem.free = {"top.m", "top.J1", "top.J2", "top.J3", "top.omega2"};
  problem.start = {};
  const FitResult more = optimize::fit(problem, options);
  ASSERT_EQ(more.undetermined.size(), 1U);
  EXPECT_EQ(more.undetermined[0].sentence,
            "top.m, top.J1, top.J2 and top.J3 only up to a common factor");
  EXPECT_EQ(more["top.m"].verdict, "only in combination");
  EXPECT_TRUE(std::isinf(more["top.m"].std));
  EXPECT_EQ(more["top.omega2"].verdict, "identifiable");
  EXPECT_LT(std::abs(pull(more, "top.omega2", 15)), 4);
}

/// A camera whose clock is late: the samples of a series move with the unknown delay, from one step to another.
TEST(Fit, FindsTheDelayOfASensor) {
  const dae::System system = models::make_model("heavy_top");
  constexpr double kDelay = 0.0137, kLargest = 0.04;
  for (const bool by_default : {false, true}) {
    SCOPED_TRACE(by_default);
    Recording data = recorded(system, steps_of(2e-4, 0.3), 0.01, {"top.x", "top.q"});
    // The run begins before the first sample by the largest delay that there may be.
    for (optimize::Series& series : data.series) {
      series.times.erase(series.times.begin(), series.times.begin() + 4);
      series.values.erase(series.values.begin(), series.values.begin() + 4 * series.width());
      for (double& t : series.times) t += (series.output == "top.x" ? kDelay : 0) - kLargest;
    }
    FitProblem problem{system, {data}};
    problem.free = {"top.m"};
    problem.start = {{"top.m", 14}};
    problem.sensors = {{optimize::SensorEffect::kDelay, "top.x"}};
    problem.lower = {{"top.x.delay", -0.02}};
    problem.upper = {{"top.x.delay", kLargest}};
    problem.noise = {{"top.x", 1e-4}, {"top.q", 1e-4}};
    FitOptions options;
    if (!by_default) options.run = steps_of(4e-4, 0.3);
    const FitResult result = optimize::fit(problem, options);
    ASSERT_TRUE(result.converged) << result.message;
    EXPECT_NEAR(result["top.x.delay"].value, kDelay, 1e-5);
    EXPECT_NEAR(result["top.m"].value, 15, 0.05);
    EXPECT_GT(result["top.x.delay"].std, 0);
  }
}

TEST(Fit, FindsTheDoublePendulumWithOffsetsGainsAndSeveralTrials) {
  dae::System truth = models::make_model("double_pendulum");
  truth.set_parameter("joint1.viscous", 4e-4);
  truth.set_parameter("joint2.coulomb", 2e-4);
  FitProblem problem{models::make_model("double_pendulum"), {}};
  std::mt19937 random(7);
  const double angles[] = {0.9, -0.5, 0.3};
  for (const double angle : angles) {
    truth.set_parameter("arm1.theta0", angle);
    truth.set_parameter("arm2.rate0", 3 * angle);
    Recording data = recorded(truth, steps_of(2e-4, 1), 0.01, {"arm1.theta", "arm2.theta"});
    add_noise(data, "arm1.theta", 2e-4, random);
    add_noise(data, "arm2.theta", 2e-4, random);
    for (double& value : data.series[0].values) value += 3;
    problem.trials.push_back(data);
  }
  problem.free = {"arm1.J", "arm2.J", "arm2.a", "joint1.viscous", "joint2.coulomb"};
  problem.per_trial = {"arm1.theta0", "arm1.rate0", "arm2.theta0", "arm2.rate0"};
  problem.sensors = {{optimize::SensorEffect::kOffset, "arm1.theta", false, 2.9},
                     {optimize::SensorEffect::kGain, "arm2.theta"}};
  problem.start = {{"arm1.J", 0.002}, {"arm2.a", 0.13}};
  FitOptions options;
  options.run = dae::alpha_steps();
  options.run = steps_of(2e-3, 1);
  const FitResult result = optimize::fit(problem, options);
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_LT(std::abs(pull(result, "arm1.J", 0.0012)), 4);
  EXPECT_LT(std::abs(pull(result, "arm2.J", 0.0014)), 4);
  EXPECT_LT(std::abs(pull(result, "arm2.a", 0.15)), 4);
  EXPECT_LT(std::abs(pull(result, "joint1.viscous", 4e-4)), 4);
  EXPECT_LT(std::abs(pull(result, "joint2.coulomb", 2e-4)), 4);
  EXPECT_LT(std::abs(pull(result, "arm1.theta.offset", 3)), 4);
  EXPECT_LT(std::abs(pull(result, "arm2.theta.gain", 1)), 4);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string suffix = "@" + std::to_string(i + 1);
    EXPECT_LT(std::abs(pull(result, "arm1.theta0" + suffix, angles[i])), 4);
    EXPECT_LT(std::abs(pull(result, "arm2.rate0" + suffix, 3 * angles[i])), 4);
  }
  EXPECT_NEAR(result.output("arm2.theta").noise, 2e-4, 3e-5);
}

/// The largest entry of the gradient by an unknown in its own standard deviations, that is by how many of them a step in it
/// alone is too long at most.
double gradient_in_deviations(const FitResult& result) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Estimate& one : result.parameters) smallest = std::min(smallest, one.std);
  return result.gradient_norm * smallest;
}

/// With noise of a tenth of a millimetre long steps are good enough, and estimates are those of short ones; without
/// noise they are not, and the fit goes on until only the last digits of the runs are left.
TEST(Fit, ChoosesATolerance) {
  dae::System system = models::make_model("heavy_top");
  system.set_parameter("top.omega2", 1.5);
  system.set_parameter("top.omega3", -0.05);
  dae::IntegrateOptions fine;
  fine.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-12}};
  fine.t_end = 1;
  FitProblem problem{system, {recorded(system, fine, 0.01, {"top.x"})}};
  problem.free = {"top.X2", "gravity3"};
  problem.start = {{"top.X2", 0.9}, {"gravity3", -9}};
  FitProblem noisy = problem;
  std::mt19937 random(7);
  add_noise(noisy.trials[0], "top.x", 1e-4, random);
  const FitResult chosen = optimize::fit(noisy, {});
  ASSERT_TRUE(chosen.converged) << chosen.message;
  EXPECT_GE(chosen.tolerance, 1e-7);
  EXPECT_EQ(chosen.method, "rkmk-54");
  EXPECT_FALSE(chosen.reason_for_method.empty());
  ASSERT_TRUE(chosen.integration_shift);
  EXPECT_LE(*chosen.integration_shift, 0.05);
  EXPECT_LT(std::abs(pull(chosen, "top.X2", 1)), 4);
  // Near the minimum the tolerance is settled, and then two steps end there.
  EXPECT_LE(chosen.differentiated_evaluations, 5);
  EXPECT_LE(chosen.evaluations, 9);
  EXPECT_LT(gradient_in_deviations(chosen), 1e-6);
  FitOptions short_steps;
  short_steps.run = fine;
  const FitResult exact = optimize::fit(noisy, short_steps);
  EXPECT_EQ(exact.tolerance, 0);
  EXPECT_EQ(exact.method, "radau-3");
  EXPECT_EQ(exact.reason_for_method, "");
  for (const char* const name : {"top.X2", "gravity3"}) {
    EXPECT_LT(std::abs(chosen[name].value - exact[name].value), 0.05 * exact[name].std) << name;
    EXPECT_NEAR(chosen[name].std / exact[name].std, 1, 1e-2) << name;
  }
  // The check by a tenth of the tolerance sees what an exact run sees.
  const double truly =
      std::hypot((chosen["top.X2"].value - exact["top.X2"].value) / exact["top.X2"].std,
                 (chosen["gravity3"].value - exact["gravity3"].value) / exact["gravity3"].std);
  EXPECT_LT(truly, 5 * *chosen.integration_shift + 1e-3);

  const FitResult without_noise = optimize::fit(problem, {});
  EXPECT_LT(without_noise.tolerance, 1e-7);
  EXPECT_NEAR(without_noise["top.X2"].value, 1, 1e-8);
  EXPECT_NEAR(without_noise["gravity3"].value, -9.81, 1e-6);
}

/// A ball that a damper holds so that its spring pulls it back slowly: stability would hold explicit steps short.
TEST(Fit, TakesAnImplicitMethodForAStiffSystem) {
  dae::System system = models::make_model("torsional_ball");
  system.set_parameter("ball.d", 1e4);
  system.set_parameter("ball.k", 2e4);
  dae::IntegrateOptions fine;
  fine.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-9}};
  fine.t_end = 1;
  FitProblem problem{system, {recorded(system, fine, 0.02, {"ball.q"})}};
  std::mt19937 random(2);
  add_noise(problem.trials[0], "ball.q", 1e-3, random);
  problem.free = {"ball.k"};
  problem.start = {{"ball.k", 1.5e4}};
  const FitResult result = optimize::fit(problem, {});
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_EQ(result.method, "radau-3");
  EXPECT_EQ(result.reason_for_method, "since the system is stiff, or not for explicit steps");
  EXPECT_LT(std::abs(pull(result, "ball.k", 2e4)), 4);
}

/// Pieces of a swing with initial values of their own: many unknowns.
FitProblem pieces_of_a_swing(double t_end) {
  dae::System system = models::make_model("double_pendulum");
  system.set_parameter("joint1.coulomb", 1e-3);
  system.set_parameter("joint2.viscous", 2e-4);
  dae::IntegrateOptions fine;
  fine.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-10}};
  fine.t_end = t_end;
  Recording data = recorded(system, fine, 0.02, {"arm1.theta", "arm2.theta"});
  std::mt19937 random(6);
  add_noise(data, "arm1.theta", 2e-5, random);
  add_noise(data, "arm2.theta", 2e-5, random);
  FitProblem problem{system, optimize::pieces_of(data, 0.5)};
  problem.free = {"arm1.J", "arm2.J", "joint1.coulomb", "joint2.viscous"};
  problem.per_trial = {"arm1.theta0", "arm1.rate0", "arm2.theta0", "arm2.rate0"};
  problem.start = {{"arm1.J", 0.0013}, {"arm2.J", 0.0013}};
  return problem;
}

/// What steps that follow the error leave of smoothness would end the search before its minimum; with steps that are held
/// it arrives there, and with other levels of noise after that.
TEST(Fit, GoesToTheMinimumWithManyUnknowns) {
  FitProblem problem = pieces_of_a_swing(16);
  const FitResult result = optimize::fit(problem, {});
  ASSERT_EQ(result.parameters.size(), 132u);
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_LE(*result.integration_shift, 0.05);
  EXPECT_LT(std::abs(pull(result, "arm1.J", 0.0012)), 4);
  EXPECT_LT(std::abs(pull(result, "joint1.coulomb", 1e-3)), 4);
  // At the minimum of these runs the gradient vanishes to rounding, in units of standard deviations.
  EXPECT_LT(gradient_in_deviations(result), 1e-6);
  EXPECT_LE(result.noise_rounds, 5);
  EXPECT_LT(result.iterations, 40);
}

/// Motion has no scale of mass: six unknowns have an effect in five combinations only. With other centres of mass runs
/// have other errors, which look like an effect of the sixth: runs go on with a finer tolerance, and the search does not
/// creep along what they leave of it.
TEST(Fit, SeesWhatDataCannotTellThroughTheErrorOfRuns) {
  FitProblem problem = pieces_of_a_swing(2);
  problem.free = {"arm1.J", "arm2.J", "arm1.a", "arm2.a", "joint1.coulomb", "joint2.viscous"};
  FitOptions options;
  options.solver.max_iterations = 60;
  const FitResult result = optimize::fit(problem, options);
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_LT(result.tolerance, 1e-7);
  ASSERT_EQ(result.undetermined.size(), 1u);
  EXPECT_EQ(result.undetermined[0].names, problem.free);
  EXPECT_EQ(result["arm1.J"].verdict, "only in combination");
  EXPECT_EQ(result["arm1.rate0@2"].verdict, "identifiable");
}

/// The same with steps that are given, and stay: they show an effect that is their error, and a finding says so. What data do
/// tell is not called into question.
TEST(Fit, SaysWhereGivenStepsShowEffectsThatAreNone) {
  FitProblem problem = pieces_of_a_swing(2);
  FitOptions by_tolerance, by_step;
  by_tolerance.run.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-5}};
  by_step.run = steps_of(5e-3, 1);
  for (FitOptions* const options : {&by_tolerance, &by_step}) {
    options->solver.max_iterations = 60;
    problem.free = {"arm1.J", "arm2.J", "joint1.coulomb", "joint2.viscous"};
    const auto falls = [&] {
      std::vector<std::string> list;
      for (const std::string& finding : optimize::fit(problem, *options).findings) {
        if (finding.find("is the error of integration") != std::string::npos) {
          list.push_back(finding);
        }
      }
      return list;
    };
    EXPECT_EQ(falls(), std::vector<std::string>{});
    problem.free = {"arm1.J", "arm2.J", "arm1.a", "arm2.a", "joint1.coulomb", "joint2.viscous"};
    const std::vector<std::string> found = falls();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].find("a combination of arm1.J, arm2.J"), std::string::npos) << found[0];
    EXPECT_NE(found[0].find(options == &by_step ? "half the step" : "a tenth of the tolerance"),
              std::string::npos)
        << found[0];
  }
}

/// Levels of noise that are estimated are those with which the minimum was found, after few rounds.
TEST(Fit, SettlesLevelsOfNoiseInFewRounds) {
  FitProblem problem = pieces_of_a_swing(2);
  std::mt19937 random(4);
  for (Recording& trial : problem.trials) add_noise(trial, "arm2.theta", 1e-3, random);
  const FitResult result = optimize::fit(problem, {});
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_LE(result.noise_rounds, 4);
  // The same search with these levels given ends there.
  problem.noise = {{"arm1.theta", result.output("arm1.theta").noise},
                   {"arm2.theta", result.output("arm2.theta").noise}};
  const FitResult same = optimize::fit(problem, {});
  EXPECT_NEAR(same["arm1.J"].value, result["arm1.J"].value, 1e-3 * result["arm1.J"].std);
  const double freedom = [&] {
    double sum = 0;
    for (const auto& output : same.outputs) {
      sum += output.num_residuals * std::pow(output.residual_rms / output.noise, 2);
    }
    return sum;
  }();
  EXPECT_NEAR(freedom, result.num_residuals - result.rank, 0.02);
}

/// Names of initial values in `free` are unknowns of each piece.
TEST(Fit, GivesPiecesInitialValuesOfTheirOwn) {
  FitProblem problem = pieces_of_a_swing(1);
  problem.free.push_back("arm1.theta0");
  problem.per_trial = {};
  optimize::give_trials_initial_values(problem);
  EXPECT_EQ(problem.free.size(), 4u);
  EXPECT_EQ(problem.per_trial, std::vector<std::string>{"arm1.theta0"});
}

}  // namespace
}  // namespace liegrad::testing
