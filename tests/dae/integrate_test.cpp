// Running a system: bad input and its sentences, runs that cannot go on, samples, dense output, callbacks
// and events.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heavy_top_runs.hpp"
#include "liegrad/dae/run/dense_output.hpp"
#include "liegrad/dae/run/newton.hpp"
#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/joints/fixed_point.hpp"
#include "liegrad/elements/planar/pendulum.hpp"

namespace liegrad::testing {
namespace {

using dae::IntegrateOptions;
using dae::NodeRole;
using dae::System;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

std::string message_of_run(const System& system, const IntegrateOptions& options = {}) {
  return message_of([&] { dae::integrate(system, options); });
}

TEST(BadOptions, AreNamed) {
  const System top = models::make_model("heavy_top");
  IntegrateOptions options = dae::alpha_steps();
  options.step = -1e-3;
  EXPECT_EQ(message_of_run(top, options), "the step -0.001 must be positive");
  options = dae::alpha_steps();
  options.t_start = 2;
  EXPECT_EQ(message_of_run(top, options), "the end time t_end = 1 must be after the start 2");
  options = dae::alpha_steps();
  options.t_end = kNaN;
  EXPECT_EQ(message_of_run(top, options), "the end time t_end = nan must be after the start 0");
  options = dae::alpha_steps();
  options.sample_interval = -1;
  EXPECT_EQ(message_of_run(top, options),
            "the time between samples must not be negative or infinite; it is -1");
  options = dae::alpha_steps();
  options.adaptive = dae::AdaptiveOptions{.tolerance = {0, 1e-6}};
  EXPECT_EQ(message_of_run(top, options),
            "the relative tolerance 0 must be finite and at least 1e-13, where rounding begins");
  options = dae::alpha_steps();
  options.method = dae::Method::kMuntheKaas;
  options.tableau = dae::gauss_2();
  EXPECT_EQ(
      message_of_run(top, options),
      "implicit Munthe-Kaas methods such as 'rkmk-gauss2' are for systems without constraints and "
      "algebraic states, and 'heavy_top' has 3; use a Radau or a generalized-alpha method");
  options.tableau = dae::rk4();
  options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-4}};
  EXPECT_EQ(message_of_run(models::make_model("spinning_top"), options),
            "adaptive steps need an embedded method, which 'rkmk-rk4' has not; give a step, or "
            "choose another method");
  options = dae::alpha_steps();
  options.alpha.variant = dae::AlphaVariant::kUpdatedLagrangianExp;
  options.alpha.formulation = dae::Formulation::kIndex2;
  EXPECT_EQ(message_of_run(top, options),
            "updated Lagrangian methods exist for index 3 only; choose that formulation");
  options = dae::alpha_steps();
  options.events = {{.output = "top.y.1"}};
  EXPECT_EQ(
      message_of_run(top, options),
      "system 'heavy_top': there is no output 'top.y.1'; did you mean 'top.x.1', 'top.q.1' or "
      "'top.u.1'?");
  EXPECT_EQ(message_of([] { dae::AlphaParameters::from_spectral_radius(1.5); }),
            "spectral radius at infinity rho = 1.5 is outside [0, 1]; choose 0 (strongest damping) "
            "to 1 (none)");
}

TEST(BadOptions, AreAllNamedAtOnce) {
  IntegrateOptions options = dae::alpha_steps();
  options.step = -1;
  options.t_end = -1;
  EXPECT_EQ(options.problems(models::make_model("pendulum")).size(), 2u);
}

TEST(DoubtfulOptions, AreWarnedOf) {
  IntegrateOptions options = dae::alpha_steps();
  options.t_end = 0.01;
  options.alpha.method.parameters = dae::AlphaParameters::newmark();
  const auto summary = dae::integrate(models::make_model("pendulum"), options).summary;
  EXPECT_TRUE(summary.is_complete());
  EXPECT_FALSE(summary.warnings.empty());
}

TEST(BadParameters, AreNamedWithTheNearestName) {
  System top = models::make_model("heavy_top");
  EXPECT_EQ(message_of([&] { top.set_parameter("top.mm", 1); }),
            "system 'heavy_top': there is no parameter 'top.mm'; did you mean 'top.m'?");
  EXPECT_EQ(message_of([&] { top.set_parameter("top.m", kNaN); }),
            "the value of parameter 'top.m' is not finite; give it a number");
  EXPECT_EQ(message_of([] { models::make_model("heavy_topp"); }),
            "there is no built-in system 'heavy_topp'; did you mean 'heavy_top'?");
}

System body_on_a_point() {
  System system("body");
  system.add_node("body", lie::NodeGroup::so3xr3());
  system.add("body", elements::RigidBody{}, {"body"});
  system.add("point", elements::FixedPoint{}, {"body"});
  system.set_initial_configuration("body", {1, 0, 0, 0, 0, 1, 0});
  return system;
}

TEST(BadInitialValues, AreNamed) {
  System system = body_on_a_point();
  EXPECT_EQ(message_of([&] {
              system.set_initial_velocity("body", {1, 2});
            }),
            "initial velocity of node 'body' has 2 numbers; the node has 6");
  EXPECT_EQ(message_of([&] {
              system.set_initial_velocity("body", {1, 2, kNaN, 0, 0, 0});
            }),
            "initial velocity of node 'body' is not finite in entry 3; give it a number");
  EXPECT_EQ(message_of([&] { system.set_initial_velocity("bodi", {}); }),
            "system 'body': there is no node 'bodi'; did you mean 'body'?");
  system.set_initial_configuration("body", {1, 0.5, 0, 0, 0, 1, 0});
  EXPECT_EQ(message_of_run(system),
            "initial quaternion of node 'body' has length 1.11803 instead of 1; normalise it");
  system.set_initial_configuration("body", {1, 0, 0, 0, 0, 1.25, 0});
  EXPECT_EQ(message_of_run(system),
            "initial positions violate constraint point[2] by -0.25; correct them, or ask for a "
            "projection");
  system.set_initial_configuration("body", {1, 0, 0, 0, 0, 1, 0});
  system.set_initial_velocity("body", {0, 0, 2, 0, 0, 0});
  EXPECT_EQ(message_of_run(system),
            "initial velocities violate constraint point[1] by -2; correct them, or ask for a "
            "projection");
}

TEST(InconsistentInitialValues, AreProjectedWhenAsked) {
  System system = body_on_a_point();
  system.set_initial_configuration("body", {1, 0, 0, 0, 0.1, 1.2, 0});
  system.set_initial_velocity("body", {0, 0, 2, 0, 0, 0});
  IntegrateOptions options = dae::alpha_steps();
  options.t_end = 0.1;
  options.alpha.consistency.project = true;
  const dae::Solution solution = dae::integrate(system, options);
  EXPECT_TRUE(solution.summary.is_complete());
  EXPECT_LE(solution.summary.max_position_residual, 1e-14);
  EXPECT_GT(solution.summary.consistency.position_change, 0.05);
  EXPECT_GT(solution.summary.consistency.velocity_change, 0.05);
  dae::Outputs outputs(system);
  std::vector<double> numbers(static_cast<std::size_t>(outputs.size()));
  outputs.evaluate(solution.samples.front(), {}, numbers);
  EXPECT_LE(numbers[static_cast<std::size_t>(outputs.column("residual.position"))], 1e-14);
  EXPECT_LE(numbers[static_cast<std::size_t>(outputs.column("residual.velocity"))], 1e-13);
}

TEST(RedundantConstraints, AreFoundNamedAndRunWhenAsked) {
  System system = body_on_a_point();
  system.add("again", elements::FixedPoint{}, {"body"});
  const std::string message = message_of_run(system);
  EXPECT_NE(message.find("(rank 3 of 6): remove them, or allow redundant constraints"),
            std::string::npos)
      << message;
  IntegrateOptions options = dae::alpha_steps();
  options.t_end = 0.2;
  options.alpha.consistency.allow_redundant = true;
  const dae::Solution redundant = dae::integrate(system, options);
  EXPECT_EQ(redundant.summary.consistency.redundant_constraints.size(), 3u);
  EXPECT_EQ(redundant.summary.solver, dae::LinearSolverKind::kMinimumNorm);
  // The motion is that of the one joint, and each of two equal ones carries half of the force.
  const dae::Solution plain = dae::integrate(body_on_a_point(), options);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(redundant.final.q[i], plain.final.q[i], 1e-9);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(redundant.final.lambda[i], plain.final.lambda[i] / 2, 1e-5);
    EXPECT_NEAR(redundant.final.lambda[i + 3], plain.final.lambda[i] / 2, 1e-5);
  }
}

/// Inertia of two of three coordinates.
struct FlatMass {
  dae::ElementShape shape() const {
    return {.type = "flat_mass", .nodes = {{NodeRole::kCoordinates, 3}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    for (const int i : {0, 2}) balance.row(0, i) += at.acceleration_coordinates(0)(i);
  }
};

TEST(MassThatIsSingularOnTheKernelOfB, IsNamed) {
  System system("flat");
  system.add_node("a", lie::NodeGroup::rn(3));
  system.add("a", FlatMass{}, {"a"});
  EXPECT_EQ(message_of_run(system),
            "the mass matrix is singular on the kernel of the constraints at t = 0: a.v[2] has no "
            "inertia; give it mass or a constraint");
}

/// A force that is not a number after t = 0.5.
struct Breaking {
  dae::ElementShape shape() const {
    return {.type = "breaking", .nodes = {{NodeRole::kCoordinates, 1}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using std::sqrt;
    balance.row(0, 0) += at.acceleration_coordinates(0)(0) + sqrt(S(0.5) - at.time());
  }
};

TEST(AnElementThatReturnsNaN, EndsTheRunWithItsNameAndTheTime) {
  System system("broken");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add("wire", Breaking{}, {"x"});
  IntegrateOptions options = dae::alpha_steps();
  options.step = 0.1;
  const dae::Solution solution = dae::integrate(system, options);
  EXPECT_EQ(solution.summary.termination, dae::Termination::kNonFinite);
  EXPECT_EQ(solution.summary.message,
            "the step from t = 0.5 to 0.6 failed: element 'wire' returns a number that is not "
            "finite");
  // What was reached is kept.
  EXPECT_EQ(solution.samples.size(), 6u);
  EXPECT_DOUBLE_EQ(solution.final.t, 0.5);
}

/// ẍ = -λ, x² + t = 1: no solution after t = 1.
struct Vanishing {
  dae::ElementShape shape() const {
    return {.type = "vanishing", .nodes = {{NodeRole::kCoordinates, 1}}, .constraints = 1};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.row(0, 0) += at.acceleration_coordinates(0)(0);
  }
  template <class S>
  lie::Vec<S, 1> constraint(const dae::Position<S>& at) const {
    const S x = at.coordinates(0)(0);
    return lie::Vec<S, 1>(x * x + at.time() - S(1));
  }
};

TEST(NewtonFailure, HalvesTheStepAndThenKeepsWhatItHas) {
  System system("vanishing");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add("wall", Vanishing{}, {"x"});
  system.set_initial_configuration("x", {1});
  system.set_initial_velocity("x", {-0.5});
  IntegrateOptions options = dae::alpha_steps();
  options.step = 0.03;
  options.t_end = 2;
  const dae::Solution solution = dae::integrate(system, options);
  EXPECT_FALSE(solution.summary.is_complete());
  EXPECT_GT(solution.summary.failed_attempts, 5);
  EXPECT_GT(solution.final.t, 0.9);
  EXPECT_LT(solution.final.t, 1.0001);
  EXPECT_NE(solution.summary.message.find("smaller steps down to"), std::string::npos)
      << solution.summary.message;
  EXPECT_EQ(solution.samples.back().t, solution.final.t);
}

TEST(NewtonFailure, TriesShorterStepsWhereOneSpansTheRun) {
  System system("vanishing");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add("wall", Vanishing{}, {"x"});
  system.set_initial_configuration("x", {1});
  system.set_initial_velocity("x", {-0.5});
  IntegrateOptions options = dae::alpha_steps();
  options.step = 1e300;
  options.t_end = 2;
  const dae::IntegrateSummary halved = dae::integrate(system, options).summary;
  EXPECT_GT(halved.failed_attempts, 5);
  EXPECT_NE(halved.message.find("smaller steps down to"), std::string::npos) << halved.message;

  options.smallest_fraction = 1;
  const dae::IntegrateSummary single = dae::integrate(system, options).summary;
  EXPECT_EQ(single.failed_attempts, 1);
  EXPECT_EQ(single.message.find("smaller steps"), std::string::npos) << single.message;
}

TEST(NewtonFailure, NamesTheVelocityThatDoesNotConverge) {
  TopRun run{.t_end = 0.1};
  IntegrateOptions options = run.options();
  options.alpha.newton.max_iterations = 1;
  options.alpha.guess = dae::FirstGuess::kZeroMultiplier;
  options.smallest_fraction = 1;
  const dae::Solution solution = dae::integrate(models::make_model("heavy_top"), options);
  EXPECT_EQ(solution.summary.termination, dae::Termination::kNewtonDiverged);
  EXPECT_NE(solution.summary.message.find("does not converge in 1 iterations; its last correction "
                                          "is largest in top.v["),
            std::string::npos)
      << solution.summary.message;
}

TEST(Samples, AreTakenWhereAskedAndAgreeWithSmallerSteps) {
  TopRun run{.t_end = 0.1};
  run.h = 1e-3;
  IntegrateOptions options = run.options();
  options.sample_interval = 0.0037;
  const dae::Solution solution = dae::integrate(models::make_model("heavy_top"), options);
  ASSERT_EQ(solution.samples.size(), 28u);
  for (std::size_t i = 0; i < solution.samples.size(); ++i) {
    EXPECT_NEAR(solution.samples[i].t, 0.0037 * static_cast<double>(i), 1e-12);
    double norm = 0;
    for (std::size_t k = 0; k < 4; ++k) norm += std::pow(solution.samples[i].q[k], 2);
    EXPECT_NEAR(norm, 1, 1e-14);
  }
}

TEST(DenseOutput, IsOfFifthOrderInVelocityAndSixthInPosition) {
  // On ends that are exact but for 1e-13, at 0.4 of one step.
  const System system = models::make_model("spinning_top");
  std::vector<double> q_errors, v_errors, v_dot_errors;
  for (const double h : {2e-3, 1e-3}) {
    IntegrateOptions options = dae::alpha_steps();
    options.t_end = h;
    options.step = h / 50;
    options.method = dae::Method::kMuntheKaas;
    options.tableau = dae::butcher_6();
    const std::vector<dae::State> samples = dae::integrate(system, options).samples;
    const dae::State& middle = samples[20];
    dae::State at;
    dae::DenseOutput dense(system.configuration_space());
    dense.set_step(samples[0], samples[50], h);
    dense.evaluate(middle.t, at);
    std::vector<double> difference(3);
    system.configuration_space().minus<double>(at.q, middle.q, difference);
    q_errors.push_back(dae::max_of(difference));
    for (std::size_t i = 0; i < 3; ++i) difference[i] = at.v[i] - middle.v[i];
    v_errors.push_back(dae::max_of(difference));
    for (std::size_t i = 0; i < 3; ++i) difference[i] = at.v_dot[i] - middle.v_dot[i];
    v_dot_errors.push_back(dae::max_of(difference));
  }
  EXPECT_NEAR(std::log2(q_errors[0] / q_errors[1]), 6, 0.5);
  EXPECT_NEAR(std::log2(v_errors[0] / v_errors[1]), 5, 0.5);
  EXPECT_NEAR(std::log2(v_dot_errors[0] / v_dot_errors[1]), 3, 0.5);
}

TEST(Callbacks, SeeEveryStepAndCanStop) {
  IntegrateOptions options = dae::alpha_steps();
  options.step = 0.01;
  int calls = 0;
  options.on_step = [&](const dae::State& state) {
    calls += 1;
    return state.t < 0.255;
  };
  const dae::Solution solution = dae::integrate(models::make_model("pendulum"), options);
  EXPECT_EQ(calls, 26);
  EXPECT_EQ(solution.summary.termination, dae::Termination::kStoppedByCallback);
  EXPECT_TRUE(solution.summary.is_complete());
}

TEST(Events, AreLocatedToTheirTolerance) {
  // A free fall from z = 1 with 3 m/s upwards passes z = 0 at a known time.
  IntegrateOptions options = dae::alpha_steps();
  options.step = 0.01;
  options.t_end = 2;
  options.events = {{.output = "body.u[3]", .direction = dae::EventOptions::Direction::kFalling},
                    {.output = "body.x.3", .stop = true}};
  const dae::Solution solution = dae::integrate(models::make_model("free_body"), options);
  ASSERT_EQ(solution.events.size(), 2u);
  EXPECT_NEAR(solution.events[0].state.t, 3 / 9.81, 1e-9);
  EXPECT_NEAR(solution.events[1].state.t, (3 + std::sqrt(9 + 2 * 9.81)) / 9.81, 1e-9);
  EXPECT_EQ(solution.summary.termination, dae::Termination::kStoppedByEvent);
  EXPECT_EQ(solution.final.t, solution.events[1].state.t);
  EXPECT_NEAR(solution.final.q[6], 0, 1e-8);
}

TEST(Events, HaveADirection) {
  IntegrateOptions options = dae::alpha_steps();
  options.step = 0.01;
  options.t_end = 6;
  using Direction = dae::EventOptions::Direction;
  options.events = {{.output = "mass.x.1", .direction = Direction::kRising},
                    {.output = "mass.x.1", .direction = Direction::kFalling},
                    {.output = "mass.x.1"}};
  const dae::Solution solution = dae::integrate(models::make_model("pendulum"), options);
  std::array<int, 3> counts{};
  for (const auto& event : solution.events) counts[static_cast<std::size_t>(event.event)] += 1;
  EXPECT_GE(counts[0], 2);
  EXPECT_EQ(counts[0] + counts[1], counts[2]);
}

TEST(LastStep, IsShorterWhenTheIntervalIsNotAMultiple) {
  IntegrateOptions options = dae::alpha_steps();
  options.step = 0.03;
  options.t_end = 0.1;
  const dae::Solution solution = dae::integrate(models::make_model("pendulum"), options);
  EXPECT_EQ(solution.summary.steps, 4);
  EXPECT_DOUBLE_EQ(solution.final.t, 0.1);
}

TEST(Outputs, AreEqualInBothGroups) {
  // The same physics: what is reported does not depend on the group beyond the error of the method.
  IntegrateOptions options = dae::alpha_steps();
  options.step = 1e-4;
  options.t_end = 0.05;
  std::vector<std::vector<double>> numbers;
  for (const auto& group : {lie::NodeGroup::so3xr3(), lie::NodeGroup::se3()}) {
    const System system = models::make_model("free_body", group);
    dae::Outputs outputs(system);
    numbers.emplace_back(static_cast<std::size_t>(outputs.size()));
    outputs.evaluate(dae::integrate(system, options).final, {}, numbers.back());
  }
  for (std::size_t i = 0; i < numbers[0].size(); ++i) {
    EXPECT_NEAR(numbers[0][i], numbers[1][i], 1e-6 * std::max(1.0, std::abs(numbers[0][i])));
  }
}

TEST(FreeBody, KeepsEnergyAndMomentum) {
  System system = models::make_model("free_body");
  system.set_parameter("gravity3", 0);
  IntegrateOptions options = dae::alpha_steps();
  options.step = 1e-3;
  options.t_end = 2;
  options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(1.0);
  const dae::Solution solution = dae::integrate(system, options);
  dae::Outputs outputs(system);
  std::vector<double> first(static_cast<std::size_t>(outputs.size())), last = first;
  outputs.evaluate(solution.samples.front(), {}, first);
  outputs.evaluate(solution.final, {}, last);
  for (const char* name : {"energy", "momentum.linear.1", "momentum.linear.3", "momentum.angular.1",
                           "momentum.angular.2", "momentum.angular.3"}) {
    const auto i = static_cast<std::size_t>(outputs.column(name));
    EXPECT_NEAR(last[i], first[i], 3e-6 * std::max(1.0, std::abs(first[i]))) << name;
  }
}

}  // namespace
}  // namespace liegrad::testing
