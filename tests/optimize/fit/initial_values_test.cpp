// Initial values that are unknowns themselves: on the group, on the constraints, velocities in the null space of B.

#include <gtest/gtest.h>

#include <cmath>

#include <Eigen/Dense>

#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/optimize/fit/engine.hpp"
#include "liegrad/optimize/fit/judging.hpp"
#include "synthetic.hpp"

namespace liegrad::testing {
namespace {

using optimize::FitEngine;
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

FitOptions fit_with_steps(double h) {
  FitOptions options;
  options.run = steps_of(h, 1);
  return options;
}

dae::System slow(const char* name) {
  dae::System system = models::make_model(name);
  system.set_parameter("top.omega2", 15);
  system.set_parameter("top.omega3", -0.461538);
  return system;
}

/// Derivatives of all residuals, away from the values of the system, against central differences of the residuals.
void expect_exact_derivatives(const FitProblem& problem, const std::vector<std::string>& names) {
  FitEngine engine(problem, fit_with_steps(5e-3));
  EXPECT_EQ(engine.unknowns().names(), names);
  Eigen::VectorXd x = engine.unknowns().start();
  for (Eigen::Index i = 0; i < x.size(); ++i) x(i) += 0.04 * std::sin(3.0 + static_cast<double>(i));
  const Eigen::MatrixXd exact = engine.evaluate(0, x, true).jacobian;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    constexpr double kStep = 1e-4;
    const auto at = [&](double by) {
      Eigen::VectorXd there = x;
      there(j) += by * kStep;
      return engine.evaluate(0, there, false).values;
    };
    // Of fourth order.
    const Eigen::VectorXd differences = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * kStep);
    const double size = differences.lpNorm<Eigen::Infinity>();
    ASSERT_GT(size, 1e-6) << names[static_cast<std::size_t>(j)];
    EXPECT_LT((exact.col(j) - differences).lpNorm<Eigen::Infinity>(), 1e-7 * size)
        << names[static_cast<std::size_t>(j)];
  }
}

TEST(InitialValues, HaveExactDerivativesOnTheGroupAndOnTheConstraints) {
  dae::System body = models::make_model("free_body");
  FitProblem free{body, {recorded(body, steps_of(0.01, 0.1), 0.02, {"body.x", "body.q"})}};
  free.free = {"body.q0", "body.v0"};
  expect_exact_derivatives(
      free, {"body.q0[1]", "body.q0[2]", "body.q0[3]", "body.q0[4]", "body.q0[5]", "body.q0[6]",
             "body.v0[1]", "body.v0[2]", "body.v0[3]", "body.v0[4]", "body.v0[5]", "body.v0[6]"});
  // One angle alone, which is no direction of its own away from the start.
  free.free = {"body.q0[2]", "body.v0[1]"};
  expect_exact_derivatives(free, {"body.q0[2]", "body.v0[1]"});

  // The position follows from the fixed point, whose place is unknown as well.
  dae::System top = slow("heavy_top");
  FitProblem held{top, {recorded(top, steps_of(0.005, 0.1), 0.02, {"top.q", "top.x"})}};
  held.free = {"top.X2", "top.q0", "top.v0"};
  expect_exact_derivatives(held, {"top.X2", "top.q0[1]", "top.q0[2]", "top.q0[3]", "top.v0[1]",
                                  "top.v0[2]", "top.v0[3]"});

  // Planar bodies in Rⁿ; the angle of the second arm stays.
  dae::System arms = models::make_model("double_pendulum");
  FitProblem swing{arms,
                   {recorded(arms, steps_of(0.005, 0.1), 0.02, {"arm1.theta", "arm2.theta"})}};
  swing.free = {"arm1.a", "arm1.l", "arm1.q0", "arm2.v0"};
  expect_exact_derivatives(swing, {"arm1.a", "arm1.l", "arm1.q0[3]", "arm2.v0[3]"});
}

/// The same unknowns as parameters and as initial values: both find the same.
TEST(InitialValues, FindWhatParametersOfInitialValuesFind) {
  dae::System truth = models::make_model("double_pendulum");
  FitProblem problem{models::make_model("double_pendulum"), {}};
  std::mt19937 random(2);
  for (const double angle : {0.9, -0.5}) {
    truth.set_parameter("arm1.theta0", angle);
    truth.set_parameter("arm2.rate0", 2 * angle);
    Recording data = recorded(truth, steps_of(1e-4, 1), 0.02, {"arm1.theta", "arm2.theta"});
    add_noise(data, "arm1.theta", 2e-4, random);
    add_noise(data, "arm2.theta", 2e-4, random);
    problem.trials.push_back(data);
  }
  problem.free = {"arm1.J", "arm2.a"};
  problem.start = {{"arm1.J", 0.002}, {"arm2.a", 0.14}};
  FitOptions options = fit_with_steps(1e-3);
  problem.per_trial = {"arm1.theta0", "arm1.rate0", "arm2.theta0", "arm2.rate0"};
  const FitResult parameters = optimize::fit(problem, options);
  problem.per_trial = {"arm1.q0", "arm2.q0", "arm1.v0", "arm2.v0"};
  const FitResult values = optimize::fit(problem, options);
  options.piece = 0.25;
  const FitResult pieces = optimize::fit(problem, options);
  ASSERT_TRUE(parameters.converged && values.converged && pieces.converged)
      << values.message << pieces.message;
  EXPECT_GT(pieces.num_pieces, 4);
  for (const char* const name : {"arm1.J", "arm2.a"}) {
    const double std = parameters[name].std;
    EXPECT_NEAR(values[name].value, parameters[name].value, 1e-4 * std) << name;
    EXPECT_NEAR(values[name].std, std, 1e-6 * std) << name;
    EXPECT_NEAR(pieces[name].value, parameters[name].value, 0.02 * std) << name;
    EXPECT_NEAR(pieces[name].std, std, 0.02 * std) << name;
  }
  // Angles count from those of the system, velocities do not.
  for (const char* const trial : {"@1", "@2"}) {
    EXPECT_NEAR(values[std::string("arm1.q0[3]") + trial].value + 0.5,
                parameters[std::string("arm1.theta0") + trial].value, 1e-7);
    EXPECT_NEAR(values[std::string("arm2.v0[3]") + trial].value,
                parameters[std::string("arm2.rate0") + trial].value, 1e-6);
    EXPECT_NEAR(values[std::string("arm2.v0[3]") + trial].std,
                parameters[std::string("arm2.rate0") + trial].std, 1e-5);
  }
  // A trial that was left out has initial values of its own.
  FitProblem one = problem;
  one.trials.pop_back();
  options.piece = 0;
  const FitResult first = optimize::fit(one, options);
  const optimize::Judgement judged = optimize::judge(one, options, first, problem.trials.back());
  ASSERT_TRUE(judged.message.empty()) << judged.message;
  for (const optimize::OutputFit& output : judged.outputs) EXPECT_LT(output.residual_rms, 4e-4);
}

/// Two releases of a top, from the top with its fixed point built in by a method of order 6.
TEST(InitialValues, OfATopAreFoundOnItsConstraints) {
  FitProblem problem{slow("heavy_top"), {}};
  std::mt19937 random(4);
  const Eigen::Vector3d turns[] = {{0.4, -0.2, 0.3}, {-0.3, 0.5, 0.1}};
  const Eigen::Vector3d spins[] = {{0.5, 15, -0.3}, {-1, 12, 0.4}};
  for (int i = 0; i < 2; ++i) {
    dae::IntegrateOptions fine = steps_of(1e-3, 0.5);
    fine.method = dae::Method::kMuntheKaas;
    fine.tableau = dae::butcher_6();
    const auto q = lie::SO3<double>::exp(turns[i]).coeffs();
    fine.initial = dae::InitialValues{{q.begin(), q.end()}, {spins[i].begin(), spins[i].end()}};
    problem.trials.push_back(recorded(slow("spinning_top"), fine, 0.01, {"top.q"}));
    add_noise(problem.trials.back(), "top.q", 1e-4, random);
  }
  problem.free = {"top.J2", "top.X2"};
  problem.per_trial = {"top.q0", "top.v0"};
  problem.start = {{"top.J2", 0.4}};
  const FitResult result = optimize::fit(problem, fit_with_steps(5e-4));
  ASSERT_TRUE(result.converged) << result.message;
  const auto expect_near = [&](const std::string& name, double truth) {
    EXPECT_LT(std::abs(result[name].value - truth), 4 * result[name].std)
        << name << " " << result[name].value;
    EXPECT_EQ(result[name].verdict, "identifiable") << name;
  };
  expect_near("top.J2", 0.46875);
  expect_near("top.X2", 1);
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 3; ++k) {
      const std::string suffix = "[" + std::to_string(k + 1) + "]@" + std::to_string(i + 1);
      expect_near("top.q0" + suffix, turns[i](k));
      expect_near("top.v0" + suffix, spins[i](k));
    }
    dae::System found = problem.system;
    found.set_parameter("top.X2", result["top.X2"].value);
    dae::Consistency consistency(found, {}, dae::LinearSolverKind::kAutomatic);
    EXPECT_NO_THROW(
        consistency.initial_state(0, {}, result.trials[static_cast<std::size_t>(i)].start));
  }
}

/// From inertias of ten and a third of the truth one run loses the record; short pieces do not.
TEST(RegressionStart, FindsTheWayFromBadGuesses) {
  dae::System truth = models::make_model("double_pendulum");
  truth.set_parameter("arm1.theta0", 2.2);
  truth.set_parameter("arm2.theta0", -1.5);
  FitProblem problem{models::make_model("double_pendulum"), {}};
  problem.trials = {recorded(truth, steps_of(1e-4, 2), 0.01, {"arm1.theta", "arm2.theta"})};
  std::mt19937 random(6);
  add_noise(problem.trials[0], "arm1.theta", 1e-3, random);
  add_noise(problem.trials[0], "arm2.theta", 1e-3, random);
  problem.free = {"arm1.J", "arm2.J", "arm1.theta0", "arm1.rate0", "arm2.theta0", "arm2.rate0"};
  problem.start = {{"arm1.J", 0.012}, {"arm2.J", 0.0005}};
  FitOptions options = fit_with_steps(1e-3);
  options.start_by_regression = true;
  const FitResult result = optimize::fit(problem, options);
  ASSERT_TRUE(result.converged) << result.message;
  EXPECT_LT(std::abs(result["arm1.J"].start / 0.0012 - 1), 0.2) << result["arm1.J"].start;
  EXPECT_LT(std::abs(result["arm2.J"].start / 0.0014 - 1), 0.2) << result["arm2.J"].start;
  EXPECT_LT(std::abs(result["arm1.J"].value - 0.0012), 4 * result["arm1.J"].std);
  EXPECT_LT(std::abs(result["arm2.J"].value - 0.0014), 4 * result["arm2.J"].std);
  options.start_by_regression = false;
  EXPECT_GT(optimize::fit(problem, options).output("arm1.theta").residual_rms, 0.05);
}

TEST(InitialValues, RefuseWhatCannotBe) {
  const dae::System top = slow("heavy_top");
  FitProblem problem{top, {recorded(top, steps_of(0.01, 0.1), 0.02, {"top.q"})}};
  const auto message = [&](const std::vector<std::string>& names) -> std::string {
    problem.free = names;
    try {
      optimize::fit(problem, fit_with_steps(0.01));
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({"top.q0[7]"}),
            "'top.q0[7]': node 'top' has entries [1] to [6]; choose one of them");
  EXPECT_EQ(
      message({"top.q0[1]", "top.q0[2]", "top.q0[3]", "top.q0[4]"}),
      "'top.q0[4]' follows from the constraints and the other initial values that are unknown; "
      "leave it out");
  EXPECT_EQ(message({"top.omega2", "top.q0"}),
            "'top.omega2' and 'top.q0[1]' are both unknown initial values, and the second replaces "
            "what the first does; choose one of these ways");
  EXPECT_EQ(message({"top.q0", "top.q0[1]"}),
            "'top.q0[1]' is named twice as an unknown; name it once");
}

}  // namespace
}  // namespace liegrad::testing
