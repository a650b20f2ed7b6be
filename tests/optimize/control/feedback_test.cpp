// Gains of the feedback along a solution, against the solutions of disturbed problems.

#include <gtest/gtest.h>

#include <cmath>

#include "liegrad/control/problems/turning_body.hpp"
#include "liegrad/control/solve.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/forces/actuators.hpp"
#include "liegrad/elements/joints/fixed_point.hpp"

namespace liegrad::control {
namespace {

/// A body with three inertias turns by 2 rad about a slanted axis to rest, from a given angular velocity.
Problem turn(const std::vector<double>& omega) {
  dae::System system = turning_body();
  system.set_parameter("body.J2", 2);
  system.set_parameter("body.J3", 3);
  system.set_initial_velocity("body", omega);
  Problem problem(std::move(system), "turn");
  problem.set_horizon(1);
  problem.fix_end_configuration(
      "body", {std::cos(1.0), std::sin(1.0) / 3, -2 * std::sin(1.0) / 3, 2 * std::sin(1.0) / 3});
  problem.fix_end_velocity("body");
  problem.add_running_cost(TorqueSquare{});
  return problem;
}

/// A hanging body on a spherical joint turns by 0.8 rad about x to rest; the joint is a constraint.
Problem swing(double omega) {
  dae::System system("pendulum");
  system.add_node("body", lie::NodeGroup::so3xr3());
  system.add("body", elements::RigidBody{}, {"body"},
             {.values = {{"m", 1}, {"J1", 0.1}, {"J2", 0.2}, {"J3", 0.1}}});
  system.add("joint", elements::FixedPoint{}, {"body"},
             {.values = {{"X1", 0}, {"X2", 0}, {"X3", -1}}});
  system.add("torque", elements::ActuatorTorque{elements::LoadAxes::kBody}, {"body"});
  system.set_initial_configuration("body", {1, 0, 0, 0, 0, 0, -1});
  system.set_initial_velocity("body", {omega, 0, 0, 0, omega, 0});
  Problem problem(std::move(system), "swing");
  problem.set_horizon(1);
  problem.fix_end_configuration(
      "body", {std::cos(0.4), std::sin(0.4), 0, 0, 0, std::sin(0.8), -std::cos(0.8)}, {0, 1, 2});
  problem.fix_end_velocity("body", {0, 1, 2});
  problem.add_running_cost([](const auto& at) {
    const auto &u1 = at.control("torque.m1"), &u2 = at.control("torque.m2"),
               &u3 = at.control("torque.m3");
    using S = std::decay_t<decltype(u1)>;
    return S(u1 * u1 + u2 * u2 + u3 * u3);
  });
  return problem;
}

/// The largest |u_{n+1} - u*_{n+1} - G_n (s_n - s*_n)| but for the last few steps, over the largest change of a control.
double error_of_feedback(const Problem& problem, const Problem& disturbed) {
  SolveOptions options;
  options.transcription.steps = 30;
  options.find_gains = true;
  const Solution nominal = solve(problem, options), other = solve(disturbed, options);
  EXPECT_TRUE(is_solved(nominal.summary.status) && is_solved(other.summary.status));
  EXPECT_EQ(nominal.gains.size(), 30U);
  const auto dof = static_cast<std::size_t>(problem.system().dof());
  const std::size_t controls = problem.system().controls().size(), width = 4 * dof + controls;
  double error = 0, largest = 0;
  for (std::size_t n = 0; n + 5 < nominal.gains.size(); ++n) {
    std::vector<double> change(dof);
    problem.system().configuration_space().minus<double>(other.states[n].q, nominal.states[n].q,
                                                         change);
    const auto add = [&change](const std::vector<double>& a, const std::vector<double>& b) {
      for (std::size_t i = 0; i < a.size(); ++i) change.push_back(a[i] - b[i]);
    };
    add(other.states[n].v, nominal.states[n].v);
    add(other.states[n].v_dot, nominal.states[n].v_dot);
    add(other.states[n].a, nominal.states[n].a);
    add(other.controls[n], nominal.controls[n]);
    for (std::size_t c = 0; c < controls; ++c) {
      double expected = 0;
      for (std::size_t i = 0; i < width; ++i) {
        expected += nominal.gains[n][c * width + i] * change[i];
      }
      const double actual = other.controls[n + 1][c] - nominal.controls[n + 1][c];
      error = std::max(error, std::abs(actual - expected));
      largest = std::max(largest, std::abs(actual));
    }
  }
  EXPECT_GT(largest, 0);
  return error / largest;
}

TEST(Feedback, GivesTheOptimumOfADisturbedMotionToFirstOrder) {
  const double small = error_of_feedback(turn({0, 0, 0}), turn({1e-4, -2e-4, 1e-4}));
  const double large = error_of_feedback(turn({0, 0, 0}), turn({1e-2, -2e-2, 1e-2}));
  EXPECT_LT(small, 1e-3);
  EXPECT_NEAR(large / small, 100, 30);
}

TEST(Feedback, KnowsConstraints) {
  const double small = error_of_feedback(swing(0), swing(1e-3));
  const double large = error_of_feedback(swing(0), swing(1e-2));
  EXPECT_LT(small, 1e-2);
  EXPECT_NEAR(large / small, 10, 3);
}

}  // namespace
}  // namespace liegrad::control
