// Starts from the equations of motion on smoothed data, from guesses that are many times off.

#include <gtest/gtest.h>

#include <cmath>

#include "liegrad/models/models.hpp"
#include "liegrad/optimize/fit/acceleration_regression.hpp"
#include "liegrad/optimize/fit/fit.hpp"
#include "liegrad/optimize/fit/regression_start.hpp"
#include "synthetic.hpp"

namespace liegrad::testing {
namespace {

using Eigen::Index;
using optimize::AccelerationRegression;
using optimize::FitOptions;
using optimize::FitProblem;
using optimize::FitResult;
using optimize::Recording;
using optimize::Series;
using optimize::SmoothPath;
using optimize::Unknowns;

dae::IntegrateOptions steps_of(double h, double t_end) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = t_end;
  return options;
}

using Noise = std::vector<std::pair<std::string, double>>;  ///< by output

FitProblem problem_of(const dae::System& truth, const Noise& noise, double t_end = 1) {
  std::vector<std::string> names;
  for (const auto& [name, level] : noise) names.push_back(name);
  FitProblem problem{truth, {recorded(truth, steps_of(1e-4, t_end), 0.01, names)}};
  std::mt19937 random(1);
  for (const auto& [name, level] : noise) add_noise(problem.trials[0], name, level, random);
  return problem;
}

FitProblem slider_crank() {
  return problem_of(models::make_model("slider_crank_3d"),
                    {{"crank.theta", 1e-3}, {"slider.s", 1e-4}});
}

FitProblem swing(const Noise& noise, double t_end = 2) {
  dae::System system = models::make_model("double_pendulum");
  system.set_parameter("arm1.theta0", 1.2);
  system.set_parameter("arm2.theta0", -0.8);
  return problem_of(system, noise, t_end);
}

dae::System slow_top() {
  dae::System top = models::make_model("heavy_top");
  top.set_parameter("top.omega1", 0);
  top.set_parameter("top.omega2", 20);
  top.set_parameter("top.omega3", 1);
  return top;
}

FitOptions from_regression() {
  FitOptions options;
  options.start_by_regression = true;
  return options;
}

std::map<std::string, double> start_of(const FitProblem& problem) {
  std::string remark;
  const FitProblem started = optimize::start_by_regression(problem, {}, remark);
  EXPECT_EQ(remark, "");
  return started.start;
}

void expect_found(const FitResult& result, const std::string& name, double truth) {
  EXPECT_LT(std::abs(result[name].value - truth), 4 * result[name].std)
      << name << " " << result[name].value << " ± " << result[name].std;
}

/// Through samples at irregular times; the noise of the second derivative is what remains.
TEST(SmoothPath, FindsANumberAndItsDerivatives) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal(0, 1e-4);
  std::uniform_real_distribution<double> jitter(-0.003, 0.003);
  Series series{"angle", 0, optimize::Comparison::kAngle, {}, {}};
  for (int i = 0; i < 400; ++i) {
    const double t = 0.01 * i + jitter(random);
    series.times.push_back(t);
    series.values.push_back(std::remainder(4 * t + std::sin(3 * t) + normal(random), 2 * M_PI));
  }
  const SmoothPath path(series);
  ASSERT_TRUE(path.exists());
  EXPECT_NEAR(path.noise(), 1e-4, 2e-5);
  for (const double t : {0.5, 1.23, 2.0, 3.3}) {
    const SmoothPath::Number at = path.number(t);
    EXPECT_NEAR(at.value, 4 * t + std::sin(3 * t), 2e-4);
    EXPECT_NEAR(at.rate, 4 + 3 * std::cos(3 * t), 5e-3);
    EXPECT_NEAR(at.acceleration, -9 * std::sin(3 * t), 0.1);
  }
}

TEST(SmoothPath, TurnsLikeTheBodyThatWasMeasured) {
  dae::System system = models::make_model("free_body");
  system.set_parameter("body.omega1", 1);
  system.set_parameter("body.omega2", 4);
  dae::IntegrateOptions run = steps_of(1e-3, 2);
  const Recording data = recorded(system, run, 0.01, {"body.q", "body.omega", "body.omega_dot"});
  Series series = data.series[0];
  for (std::size_t i = 0; i < series.values.size(); i += 28) {  // signs that mean nothing
    for (std::size_t k = i; k < i + 4; ++k) series.values[k] *= -1;
  }
  const SmoothPath path(series);
  for (const std::size_t i : {std::size_t{20}, std::size_t{111}, std::size_t{180}}) {
    const SmoothPath::Orientation at = path.orientation(series.times[i]);
    for (int c = 0; c < 3; ++c) {
      const auto component = static_cast<std::size_t>(c);
      EXPECT_NEAR(at.omega(c), data.series[1 + component].values[i], 1e-4);
      EXPECT_NEAR(at.omega_dot(c), data.series[4 + component].values[i], 1e-2);
    }
  }
}

TEST(SmoothPath, DoesNotBridgeAGap) {
  Series series{"x", 0, optimize::Comparison::kDifference, {}, {}};
  for (int i = 0; i < 8; ++i) series.times.push_back(i);
  series.values.assign(8, 1.0);
  EXPECT_FALSE(SmoothPath(series).exists());
}

/// Of geometry too, which moves the configurations that belong to what was measured.
void expect_exact_derivatives(const FitProblem& problem) {
  const Unknowns unknowns(problem);
  std::vector<int> chosen;
  for (int i = 0; i < unknowns.num_shared(); ++i) chosen.push_back(i);
  AccelerationRegression regression(problem.system, unknowns, problem.trials, {}, chosen);
  ASSERT_EQ(regression.reason_against().value_or(""), "");
  Eigen::VectorXd above, below;
  Eigen::MatrixXd jacobian;
  const Eigen::VectorXd x = unknowns.start();
  ASSERT_TRUE(regression.evaluate(x, above, &jacobian));
  for (Index j = 0; j < x.size(); ++j) {
    const double h = 1e-5 * std::abs(x(j));
    Eigen::VectorXd moved = x;
    moved(j) += h;
    ASSERT_TRUE(regression.evaluate(moved, above, nullptr));
    moved(j) -= 2 * h;
    ASSERT_TRUE(regression.evaluate(moved, below, nullptr));
    const Eigen::VectorXd differences = (above - below) / (2 * h);
    ASSERT_GT(differences.norm(), 0) << unknowns.names()[static_cast<std::size_t>(j)];
    EXPECT_LT((jacobian.col(j) - differences).norm(), 1e-5 * differences.norm())
        << unknowns.names()[static_cast<std::size_t>(j)];
  }
}

TEST(AccelerationRegression, HasExactDerivatives) {
  FitProblem crank = slider_crank();
  crank.free = {"slider.m", "rod.J2", "rod.C.X1"};
  // With one of both outputs the configuration fits the data, as the derivatives take it to do.
  crank.trials[0].series.pop_back();
  expect_exact_derivatives(crank);
  FitProblem pendulum = swing({{"arm1.theta", 1e-3}, {"arm2.theta", 1e-3}});
  pendulum.free = {"arm1.J", "arm2.a", "arm1.l", "g"};
  expect_exact_derivatives(pendulum);
  FitProblem top = problem_of(slow_top(), {{"top.q", 2e-3}});
  top.free = {"top.J1", "top.X2", "gravity3"};
  top.ties = {{"top.J3", "top.J1"}};
  expect_exact_derivatives(top);
}

TEST(RegressionStart, FindsTheTopFromInertiasThatAreFiveTimesOff) {
  FitProblem problem = problem_of(slow_top(), {{"top.x", 1e-3}, {"top.q", 2e-3}});
  problem.free = {"top.J1", "top.J2", "top.X2", "top.omega2", "top.omega3"};
  problem.ties = {{"top.J3", "top.J1"}};
  problem.start = {{"top.J1", 5 * 0.234375}, {"top.J2", 0.46875 / 5}, {"top.omega2", 10}};
  const std::map<std::string, double> start = start_of(problem);
  EXPECT_NEAR(start.at("top.J1"), 0.234375, 0.3 * 0.234375);
  EXPECT_NEAR(start.at("top.J2"), 0.46875, 0.05 * 0.46875);
  EXPECT_NEAR(start.at("top.X2"), 1, 0.01);
  const FitResult result = optimize::fit(problem, from_regression());
  ASSERT_TRUE(result.converged) << result.message;
  expect_found(result, "top.J1", 0.234375);
  expect_found(result, "top.J2", 0.46875);
  expect_found(result, "top.omega2", 20);
}

/// Pieces of a few samples tell the ratio of these masses, and no more.
TEST(RegressionStart, StaysNearTheMassesOfASliderCrank) {
  FitProblem problem = slider_crank();
  problem.free = {"slider.m", "rod.m", "crank.omega0"};
  problem.start = {{"slider.m", 20}, {"rod.m", 2}};
  const std::map<std::string, double> start = start_of(problem);
  EXPECT_NEAR(start.at("slider.m"), 2, 0.4);
  EXPECT_NEAR(start.at("rod.m"), 0.5, 0.1);
  const FitResult result = optimize::fit(problem, from_regression());
  ASSERT_TRUE(result.converged) << result.message;
  expect_found(result, "slider.m", 2);
  expect_found(result, "rod.m", 0.5);
  expect_found(result, "crank.omega0", 6);
}

/// A spline is free where there are no samples.
TEST(RegressionStart, LeavesGapsOut) {
  FitProblem problem = slider_crank();
  for (Series& series : problem.trials[0].series) {
    Series kept = series;
    kept.times.clear();
    kept.values.clear();
    for (std::size_t i = 0; i < series.times.size(); ++i) {
      if (series.times[i] > 0.4 && series.times[i] < 0.6) continue;
      kept.times.push_back(series.times[i]);
      kept.values.push_back(series.values[i]);
    }
    series = kept;
  }
  EXPECT_EQ(optimize::parts_without_gaps(problem.trials[0]).size(), 2u);
  EXPECT_EQ(optimize::parts_without_gaps(slider_crank().trials[0]).size(), 1u);
  problem.free = {"slider.m", "rod.m"};
  problem.start = {{"slider.m", 20}, {"rod.m", 0.5}};
  const std::map<std::string, double> start = start_of(problem);
  EXPECT_NEAR(start.at("slider.m") / start.at("rod.m"), 4, 1);
}

/// The data ask for an inertia that no body has: it keeps its start. A given rate that is twice the true one is replaced.
TEST(RegressionStart, DoesNotLeaveWhatBodiesCanHave) {
  FitProblem problem = slider_crank();
  problem.free = {"slider.m", "rod.J2", "crank.omega0"};
  problem.start = {{"slider.m", 20}, {"crank.omega0", 12}};
  const std::map<std::string, double> start = start_of(problem);
  EXPECT_NEAR(start.at("slider.m"), 2, 0.2);
  EXPECT_EQ(start.at("rod.J2"), 0.004);
  const FitResult result = optimize::fit(problem, from_regression());
  ASSERT_TRUE(result.converged) << result.message;
  expect_found(result, "slider.m", 2);
  expect_found(result, "rod.J2", 0.004);
  expect_found(result, "crank.omega0", 6);
}

TEST(RegressionStart, RespectsBounds) {
  FitProblem problem = slider_crank();
  problem.free = {"slider.m"};
  problem.start = {{"slider.m", 20}};
  problem.lower = {{"slider.m", 3}};
  EXPECT_NEAR(start_of(problem).at("slider.m"), 3, 1e-6);
}

/// A swing tells masses and inertias up to one common factor, which stays where it was.
TEST(RegressionStart, KeepsWhatDataDoNotTell) {
  FitProblem problem = swing({{"arm1.theta", 1e-3}, {"arm2.theta", 1e-3}});
  problem.free = {"arm1.m", "arm1.J", "arm2.m", "arm2.J"};
  problem.start = {{"arm1.m", 0.8}, {"arm1.J", 0.01}, {"arm2.m", 0.4}, {"arm2.J", 0.002}};
  const std::map<std::string, double> start = start_of(problem);
  const double factor = start.at("arm2.m") / 0.18;
  EXPECT_NEAR(start.at("arm1.m") / 0.27, factor, 0.1 * factor);
  EXPECT_NEAR(start.at("arm2.J") / 0.0014, factor, 0.2 * factor);
  EXPECT_GT(factor, 1);
  EXPECT_LT(factor, 4);
}

/// A centre of mass does not show how the body spins, and rates show no angles: short pieces instead, and a word on it.
TEST(RegressionStart, SaysWhereTheConfigurationIsNotMeasured) {
  const std::string instead =
      "starts come from fits to short pieces of the data and not from the equations of motion: ";
  FitProblem top = problem_of(slow_top(), {{"top.x", 1e-3}}, 0.5);
  top.free = {"gravity3"};
  top.start = {{"gravity3", -5}};
  const FitResult result = optimize::fit(top, from_regression());
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_NEAR(result["gravity3"].start, -9.81, 3);
  expect_found(result, "gravity3", -9.81);
  EXPECT_EQ(result.findings.back(),
            instead +
                "what was measured does not determine the configuration, node 'top' moves "
                "without a change of it");
  FitProblem pendulum = swing({{"arm1.rate", 1e-3}, {"arm2.rate", 1e-3}}, 0.3);
  pendulum.free = {"g"};
  std::string remark;
  optimize::start_by_regression(pendulum, {}, remark);
  EXPECT_EQ(remark, instead + "no measured output depends on positions alone");
}

}  // namespace
}  // namespace liegrad::testing
