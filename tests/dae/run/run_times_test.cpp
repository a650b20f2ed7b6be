// Times of runs may be large, and steps any: comparisons are relative, and bad options are refused before a run.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/run/dense_output.hpp"
#include "liegrad/dae/run/run_times.hpp"
#include "liegrad/dae/system/element.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

using dae::IntegrateOptions;
using dae::RunTimes;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(RunTimes, AreComparedRelativeToTheLargest) {
  const RunTimes stamps(1.7e9, 1.7e9 + 1);
  EXPECT_TRUE(stamps.is_same(1.7e9 + 0.1, 1.7e9 + 0.1 + 1e-6));
  EXPECT_FALSE(stamps.is_same(1.7e9 + 0.1, 1.7e9 + 0.2));
  const RunTimes usual(0, 0.2);
  EXPECT_TRUE(usual.contains(0.1 + 0.1 + 2e-17));
  EXPECT_TRUE(usual.contains(200 * 1e-3));
  EXPECT_FALSE(usual.contains(0.2 + 1e-12));
  EXPECT_FALSE(usual.contains(kNaN));
  // Zero in the middle of a run has the rounding of its ends.
  EXPECT_TRUE(RunTimes(-1, 1).is_same(-1 + 1000 * 1e-3, 1e-17));
}

TEST(RunTimes, HaveStepsThatEndAtTheEnd) {
  const auto steps = [](double t_end, double h) { return RunTimes(0, t_end).fixed_steps(h); };
  EXPECT_EQ(steps(0.2, 1e-3).count, 200);
  EXPECT_EQ(steps(0.2, 1e-3).last, 1e-3);
  EXPECT_EQ(steps(1, 0.3).count, 4);
  EXPECT_NEAR(steps(1, 0.3).last, 0.1, 1e-15);
  // A rest of 1e-9 of a step is not a step of its own.
  EXPECT_EQ(steps(1, 0.333333333).count, 3);
  EXPECT_NEAR(steps(1, 0.333333333).last, 0.333333334, 1e-12);
  EXPECT_EQ(steps(1e-300, 1e-3).count, 1);
  EXPECT_EQ(steps(1e-300, 1e-3).last, 1e-300);
  EXPECT_EQ(steps(1, 1e300).count, 1);
}

TEST(Events, AreFoundAtLargeTimes) {
  const dae::System system = models::make_model("free_body");
  for (const auto& [t_start, length, step] :
       {std::tuple(0.0, 1e6, 10.0), std::tuple(1.7e9, 2.0, 0.01)}) {
    IntegrateOptions options = dae::alpha_steps();
    options.t_start = t_start;
    options.t_end = t_start + length;
    options.step = step;
    options.keep_samples = false;
    options.events = {{.output = "body.x[1]", .level = 0}};
    const double speed = system.initial_velocity()[3];
    ASSERT_NE(speed, 0);
    options.events[0].level = system.initial_configuration()[4] + 0.6 * length * speed;
    const dae::Solution solution = dae::integrate(system, options);
    EXPECT_EQ(solution.summary.termination, dae::Termination::kReachedEnd);
    ASSERT_EQ(solution.events.size(), 1u);
    EXPECT_NEAR(solution.events[0].state.t, t_start + 0.6 * length,
                1e-9 * length + RunTimes(t_start, options.t_end).rounding());
  }
}

TEST(Samples, AreAsManyAtLargeTimes) {
  const dae::System system = models::make_model("pendulum");
  for (const double t_start : {0.0, 1.7e9}) {
    IntegrateOptions options = dae::alpha_steps();
    options.t_start = t_start;
    options.t_end = t_start + 1;
    options.step = 0.01;
    options.sample_interval = 0.05;
    const dae::Solution solution = dae::integrate(system, options);
    EXPECT_EQ(solution.samples.size(), 21u);
    EXPECT_EQ(solution.summary.steps, 100);
  }
}

TEST(DenseOutput, KeepsItsDigitsAtLargeTimes) {
  // The difference of time stamps has lost three digits of this step.
  const dae::System system = models::make_model("pendulum");
  const auto middle = [&system](double t_start) {
    IntegrateOptions options = dae::alpha_steps();
    options.t_start = t_start;
    options.t_end = t_start + 0.0625;
    options.step = 0.001 + 1e-7;
    options.sample_interval = 0.03125;
    return dae::integrate(system, options).samples[1];
  };
  EXPECT_NEAR(middle(1.7e9).q[0], middle(0).q[0], 1e-7);
}

std::string refusal(const std::function<void(IntegrateOptions&)>& change) {
  IntegrateOptions options = dae::alpha_steps();
  options.adaptive.reset();
  change(options);
  const std::vector<std::string> problems = options.problems(models::make_model("pendulum"));
  return problems.empty() ? "none" : problems[0];
}

TEST(Options, ThatCannotWorkAreRefused) {
  using O = IntegrateOptions;
  EXPECT_EQ(refusal([](O&) {}), "none");
  EXPECT_EQ(
      refusal([](O& o) { o.step = 1e-20; }),
      "the step 1e-20 is below the rounding of times, 3.55271e-15 in this run; choose a longer "
      "one");
  EXPECT_EQ(refusal([](O& o) { o.step = -1; }), "the step -1 must be positive");
  EXPECT_EQ(refusal([](O& o) { o.step = kInfinity; }), "the step inf must be finite");
  EXPECT_NE(refusal([](O& o) { o.sample_interval = 1e-30; }).find("is below the rounding of times"),
            std::string::npos);
  for (const double wrong : {0.0, -1.0, 2.0, kNaN}) {
    EXPECT_NE(refusal([&](O& o) { o.smallest_fraction = wrong; }).find("smallest_fraction"),
              std::string::npos);
  }
  for (const double wrong : {0.0, 1e-20, -1.0, kNaN, kInfinity}) {
    EXPECT_NE(refusal([&](O& o) {
                o.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = wrong}};
              }).find("the relative tolerance"),
              std::string::npos);
  }
  for (const double wrong : {-1.0, kNaN, kInfinity}) {
    EXPECT_NE(refusal([&](O& o) {
                o.adaptive = dae::AdaptiveOptions{.tolerance = {}, .smallest_step = wrong};
              }).find("the smallest step"),
              std::string::npos);
    EXPECT_NE(refusal([&](O& o) {
                o.adaptive = dae::AdaptiveOptions{.tolerance = {}, .largest_step = wrong};
              }).find("the largest step"),
              std::string::npos);
    EXPECT_NE(refusal([&](O& o) {
                o.adaptive = dae::AdaptiveOptions{.tolerance = {}, .initial_step = wrong};
              }).find("the first step"),
              std::string::npos);
    EXPECT_NE(refusal([&](O& o) {
                o.events = {{.output = "energy", .time_tolerance = wrong}};
              }).find("the time tolerance of the event 'energy'"),
              std::string::npos);
    EXPECT_NE(refusal([&](O& o) { o.alpha.newton.relative_tolerance = wrong; }).find("Newton"),
              std::string::npos);
  }
  EXPECT_NE(refusal([](O& o) {
              o.adaptive =
                  dae::AdaptiveOptions{.tolerance = {}, .smallest_step = 1, .largest_step = 0.1};
            }).find("must not exceed"),
            std::string::npos);
  EXPECT_NE(refusal([](O& o) { o.alpha.newton.max_iterations = 0; }).find("max_iterations"),
            std::string::npos);
  EXPECT_NE(refusal([](O& o) { o.events = {{.output = "energy", .level = kNaN}}; }).find("level"),
            std::string::npos);
}

TEST(AdaptiveSteps, ReachTheEndWithALargeSmallestStep) {
  IntegrateOptions options = dae::alpha_steps();
  options.t_end = 2;
  options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-2}, .smallest_step = 0.3};
  const dae::Solution solution = dae::integrate(models::make_model("torsional_ball"), options);
  EXPECT_EQ(solution.summary.termination, dae::Termination::kReachedEnd);
  EXPECT_EQ(solution.final.t, 2);
}

TEST(Summary, OfARunThatWasNotMadeIsNoSuccess) {
  const dae::IntegrateSummary summary;
  EXPECT_EQ(summary.termination, dae::Termination::kNotRun);
  EXPECT_FALSE(summary.is_complete());
  EXPECT_FALSE(summary.trusted);
}

/// A coordinate that does not move, under a force that its constraint carries.
struct HeldUnderForce {
  dae::ElementShape shape() const {
    return {
        .type = "held_under_force", .nodes = {{dae::NodeRole::kCoordinates, 1}}, .constraints = 1};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using std::sin;
    balance.row(0, 0) += at.acceleration_coordinates(0)(0) - sin(S(20) * at.time());
  }
  template <class S>
  lie::Vec<S, 1> constraint(const dae::Position<S>& at) const {
    return lie::Vec<S, 1>(at.coordinates(0)(0));
  }
};

TEST(AdaptiveSteps, FollowMultipliersOnRequest) {
  dae::System system("held");
  system.add_node("x", lie::NodeGroup::rn(1));
  system.add("held", HeldUnderForce{}, {"x"});
  const auto run = [&system](bool multipliers) {
    IntegrateOptions options = dae::alpha_steps();
    options.adaptive =
        dae::AdaptiveOptions{.tolerance = {.relative = 1e-4, .multipliers = multipliers}};
    return dae::integrate(system, options);
  };
  const long plain = run(false).summary.steps, with = run(true).summary.steps;
  EXPECT_LT(plain, 30);
  EXPECT_GT(with, 2 * plain);
}

}  // namespace
}  // namespace liegrad::testing
