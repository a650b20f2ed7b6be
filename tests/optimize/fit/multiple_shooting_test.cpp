// A double pendulum that swings over for ten seconds. Neighbouring motions drift apart by ten orders of magnitude: one
// run from the start loses the record, and multiple shooting follows it.

#include "liegrad/optimize/fit/fit.hpp"

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

/// Data from a Runge–Kutta method of order 6.
FitProblem swinging_over(double t_end) {
  dae::System truth = models::make_model("double_pendulum");
  truth.set_parameter("arm1.theta0", 2);
  truth.set_parameter("arm2.theta0", 2.2);
  truth.set_parameter("joint1.viscous", 3e-4);
  dae::IntegrateOptions fine;
  fine.method = dae::Method::kMuntheKaas;
  fine.tableau = dae::butcher_6();
  fine.step = 5e-4;
  fine.t_end = t_end;
  Recording data = recorded(truth, fine, 0.02, {"arm1.theta", "arm2.theta"});
  std::mt19937 random(3);
  add_noise(data, "arm1.theta", 1e-3, random);
  add_noise(data, "arm2.theta", 1e-3, random);
  FitProblem problem{models::make_model("double_pendulum"), {data}};
  problem.free = {"arm1.J",     "arm2.J",      "joint1.viscous", "arm1.theta0",
                  "arm1.rate0", "arm2.theta0", "arm2.rate0"};
  problem.start = {{"arm1.J", 0.0016}, {"arm2.J", 0.0011}};
  return problem;
}

FitOptions radau_steps(double step, double piece) {
  FitOptions options;
  options.run.method = dae::Method::kRadau;
  options.run.step = step;
  options.piece = piece;
  return options;
}

void expect_same(const FitResult& pieces, const FitResult& whole) {
  ASSERT_TRUE(pieces.converged) << pieces.message;
  ASSERT_TRUE(whole.converged) << whole.message;
  EXPECT_LE(pieces.largest_gap, 1e-9);
  for (const optimize::Estimate& estimate : whole.parameters) {
    const optimize::Estimate& other = pieces[estimate.name];
    EXPECT_NEAR(other.value, estimate.value, 0.05 * estimate.std) << estimate.name;
    EXPECT_NEAR(other.std, estimate.std, 0.01 * estimate.std) << estimate.name;
    EXPECT_NEAR(other.sandwich_std, estimate.sandwich_std, 0.01 * estimate.sandwich_std);
    EXPECT_EQ(other.verdict, estimate.verdict);
  }
  const double band = pieces.trials[0].series[0].band.back();
  EXPECT_NEAR(band, whole.trials[0].series[0].band.back(), 0.01 * band);
}

TEST(MultipleShooting, FindsAChaoticPendulumOfTenSecondsOnWhichShootingFails) {
  const FitProblem problem = swinging_over(10);
  const FitResult found = optimize::fit(problem, radau_steps(5e-3, 0.25));
  ASSERT_TRUE(found.converged) << found.message;
  EXPECT_EQ(found.num_pieces, 40);
  EXPECT_LE(found.largest_gap, 1e-9);
  const std::pair<const char*, double> expected[] = {
      {"arm1.J", 0.0012}, {"arm2.J", 0.0014},   {"joint1.viscous", 3e-4}, {"arm1.theta0", 2},
      {"arm1.rate0", 0},  {"arm2.theta0", 2.2}, {"arm2.rate0", 0}};
  for (const auto& [name, value] : expected) {
    EXPECT_LT(std::abs(found[name].value - value), 4 * found[name].std)
        << name << " " << found[name].value << " ± " << found[name].std;
    EXPECT_EQ(found[name].verdict, "identifiable");
  }
  EXPECT_LT(found["arm1.J"].std, 1e-3 * 0.0012);
  EXPECT_NEAR(found.output("arm1.theta").noise, 1e-3, 1e-4);
  EXPECT_NEAR(found.output("arm2.theta").noise, 1e-3, 1e-4);

  FitOptions one_run = radau_steps(5e-3, 0);
  one_run.solver.max_iterations = 10;
  one_run.max_noise_rounds = 1;
  const FitResult lost = optimize::fit(problem, one_run);
  EXPECT_GT(lost.output("arm2.theta").residual_rms, 0.5);
}

TEST(MultipleShooting, EqualsShootingWhereBothConverge) {
  const FitProblem problem = swinging_over(1);
  expect_same(optimize::fit(problem, radau_steps(2e-3, 0.2)),
              optimize::fit(problem, radau_steps(2e-3, 0)));
}

/// Nodes of a body on SO(3)×R³ and on SE(3), held by a joint whose place is unknown as well.
TEST(MultipleShooting, KeepsNodesOnTheGroupAndOnConstraints) {
  dae::System truth = models::make_model("spinning_top");
  for (const lie::NodeGroup& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    dae::System system = models::make_model("heavy_top", group);
    for (dae::System* const one : {&truth, &system}) {
      one->set_parameter("top.omega2", 15);
      one->set_parameter("top.omega3", -0.461538);
    }
    dae::IntegrateOptions fine;
    fine.method = dae::Method::kMuntheKaas;
    fine.tableau = dae::butcher_6();
    fine.step = 1e-3;
    fine.t_end = 1;
    Recording data = recorded(truth, fine, 0.01, {"top.q", "top.omega"});
    std::mt19937 random(5);
    add_noise(data, "top.q", 1e-4, random);
    add_noise(data, "top.omega", 1e-3, random);
    FitProblem problem{system, {data}};
    problem.free = {"top.J1", "top.J2", "top.X2", "top.omega1", "top.omega2", "top.omega3"};
    problem.start = {{"top.J1", 0.2}, {"top.J2", 0.4}, {"top.X2", 1.1}};
    expect_same(optimize::fit(problem, radau_steps(5e-3, 0.2)),
                optimize::fit(problem, radau_steps(5e-3, 0)));

    // Mass and inertia together have no scale.
    problem.free = {"top.m", "top.J1", "top.J2", "top.J3", "top.omega2"};
    problem.start = {};
    const FitResult more = optimize::fit(problem, radau_steps(5e-3, 0.2));
    ASSERT_TRUE(more.converged) << more.message;
    ASSERT_EQ(more.undetermined.size(), 1U);
    EXPECT_EQ(more.undetermined[0].sentence,
              "top.m, top.J1, top.J2 and top.J3 only up to a common factor");
    EXPECT_EQ(more["top.m"].verdict, "only in combination");
  }
}

}  // namespace
}  // namespace liegrad::testing
