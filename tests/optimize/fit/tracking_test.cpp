// Starts by forces that pull runs to the data and fade: from guesses where one run alone loses the record.

#include <gtest/gtest.h>

#include <cmath>

#include "liegrad/elements/forces/point_spring.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/optimize/fit/fit.hpp"
#include "liegrad/optimize/fit/measured_path.hpp"
#include "liegrad/optimize/fit/tracking_force.hpp"
#include "synthetic.hpp"

namespace liegrad::testing {
namespace {

using optimize::FitOptions;
using optimize::FitProblem;
using optimize::FitResult;
using optimize::MeasuredPath;
using optimize::Recording;
using optimize::Series;

dae::IntegrateOptions steps_of(double h, double t_end) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = t_end;
  return options;
}

void expect_found(const FitResult& result, const std::string& name, double truth) {
  EXPECT_LT(std::abs(result[name].value - truth), 4 * result[name].std)
      << name << " " << result[name].value << " ± " << result[name].std;
}

/// One run loses the record, with a tracking force first it does not; the force leaves nothing behind.
void expect_only_tracking_finds(const FitProblem& problem, FitOptions options,
                                const std::map<std::string, double>& truth) {
  const FitResult alone = optimize::fit(problem, options);
  bool is_lost = false;
  for (const auto& [name, value] : truth) {
    is_lost = is_lost || std::abs(alone[name].value / value - 1) > 0.2;
  }
  EXPECT_TRUE(is_lost);
  options.start_by_tracking = true;
  const FitResult result = optimize::fit(problem, options);
  ASSERT_TRUE(result.converged) << result.message;
  for (const auto& [name, value] : truth) expect_found(result, name, value);
  EXPECT_LT(result.outputs.front().residual_rms, 0.05 * alone.outputs.front().residual_rms);
  // The same fit from the truth, without any force.
  FitProblem from_truth = problem;
  for (const auto& [name, value] : truth) from_truth.start[name] = value;
  options.start_by_tracking = false;
  const FitResult reference = optimize::fit(from_truth, options);
  for (const auto& [name, value] : truth) {
    EXPECT_NEAR(result[name].value, reference[name].value, 0.05 * reference[name].std) << name;
  }
}

TEST(TrackingStart, FindsTheDoublePendulumFromFarAway) {
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
  FitOptions options;
  options.run = steps_of(1e-3, 2);
  expect_only_tracking_finds(problem, options, {{"arm1.J", 0.0012}, {"arm2.J", 0.0014}});
}

/// The slider's mass and a spring in the loop: a sensor that is an angle counted over turns, and one that is a function
/// of poses.
TEST(TrackingStart, FindsTheSliderCrankFromFarAway) {
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
  problem.start = {{"spring.k", 40}, {"spring.d", 8}, {"slider.m", 6}, {"crank.omega0", 4}};
  FitOptions options;
  options.run = steps_of(1e-3, 1);
  expect_only_tracking_finds(problem, options,
                             {{"spring.k", 200}, {"spring.d", 1.5}, {"slider.m", 2}});
}

/// Positions and orientations: a body whose inertias are far off turns like the recorded one while it is pulled.
TEST(TrackingForce, PullsABodyToItsPoses) {
  dae::System system = models::make_model("free_body");
  system.set_parameter("body.omega2", 4);
  system.set_parameter("body.omega1", 0.5);
  const std::vector<Recording> trials = {
      recorded(system, steps_of(1e-3, 1), 0.01, {"body.x", "body.q"})};
  optimize::TrackedSystem tracked(system, trials);
  const auto distance = [&](double gain) {
    tracked.set_gain(gain);
    dae::System pulled = tracked.system();
    pulled.set_parameter("body.J1", 2.5 * system.parameter("body.J1"));
    pulled.set_parameter("body.m", 3 * system.parameter("body.m"));
    pulled.set_parameter("body.omega3", 1);
    dae::IntegrateOptions run = steps_of(1e-3, 1);
    run.controls = tracked.controls(trials[0], {});
    const Recording followed = recorded(pulled, run, 0.01, {"body.x", "body.q"});
    const auto& q = trials[0].series.back().values;
    const auto& p = followed.series.back().values;
    double product = 0;
    for (std::size_t i = q.size() - 4; i < q.size(); ++i) product += q[i] * p[i];
    return 2 * std::acos(std::min(1.0, std::abs(product)));
  };
  EXPECT_GT(distance(0), 0.2);
  EXPECT_LT(distance(1e2), 0.1 * distance(0));
  EXPECT_LT(distance(1e3), 0.01 * distance(0));
}

TEST(TrackingForce, RefusesWhatIsNoPosition) {
  const dae::System system = models::make_model("double_pendulum");
  const Recording trial = recorded(system, steps_of(1e-2, 0.1), 0.02, {"arm1.rate"});
  try {
    optimize::TrackedSystem tracked(system, {trial});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "a tracking force needs measured positions, angles or orientations: 'arm1.rate' "
                 "cannot be pulled: it depends on more than positions; start by other means");
  }
}

TEST(MeasuredPath, GoesThroughItsSamplesWithItsRate) {
  dae::System system = models::make_model("free_body");
  system.set_parameter("body.omega2", 4);
  const Recording data = recorded(system, steps_of(1e-3, 1), 0.05, {"body.x", "body.q"});
  for (const Series& series : {data.series[0], data.series.back()}) {
    const MeasuredPath path(series);
    const std::size_t width = static_cast<std::size_t>(series.width()),
                      size = static_cast<std::size_t>(series.residual_size());
    std::vector<double> at(width), later(width), rate(size), other(size);
    for (std::size_t i = 0; i < series.times.size(); ++i) {
      path.at(series.times[i], at, rate);
      for (std::size_t c = 0; c < width; ++c) {
        EXPECT_NEAR(at[c], series.values[i * width + c], 1e-12);
      }
    }
    for (const double t : {0.012, 0.0499, 0.51}) {
      const double h = 1e-6;
      path.at(t, at, rate);
      path.at(t - h, at, other);
      path.at(t + h, later, other);
      if (width == 1) {
        EXPECT_NEAR(rate[0], (later[0] - at[0]) / (2 * h), 1e-6 * (1 + std::abs(rate[0])));
        continue;
      }
      using SO3 = lie::SO3<double>;
      using Vec4 = lie::Vec<double, 4>;
      const auto rotation = [](const std::vector<double>& q) {
        return SO3::from_coeffs(Vec4(q[0], q[1], q[2], q[3]));
      };
      const lie::Vec<double, 3> turned = (rotation(at).inverse() * rotation(later)).log() / (2 * h);
      for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(rate[static_cast<std::size_t>(c)], turned(c), 1e-5 * (1 + turned.norm()));
      }
    }
  }
}

}  // namespace
}  // namespace liegrad::testing
