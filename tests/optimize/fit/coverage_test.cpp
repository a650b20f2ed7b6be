// Intervals of 95 % hold the truth in about 95 % of the cases: over many draws of the noise, white and
// correlated. Data come from steps ten times finer.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "liegrad/models/models.hpp"
#include "liegrad/optimize/fit/fit.hpp"
#include "synthetic.hpp"

namespace liegrad::testing {
namespace {

using optimize::FitOptions;
using optimize::FitProblem;
using optimize::FitResult;
using optimize::Recording;

constexpr int kDraws = 200;

/// How often intervals hold the truth, by unknown, in per cent.
struct Coverage {
  std::map<std::string, double> plain, sandwich;
};

Coverage coverage(double correlation, unsigned seed) {
  dae::System truth = models::make_model("torsional_ball");
  dae::IntegrateOptions fine = dae::alpha_steps();
  fine.t_end = 4;
  fine.step = 2e-3;
  const Recording exact = recorded(truth, fine, 0.02, {"ball.q", "ball.omega"});
  std::map<std::string, double> values;
  FitProblem problem{truth, {}};
  problem.free = {"ball.d", "ball.k", "ball.omega1", "ball.omega3"};
  for (const std::string& name : problem.free) values[name] = truth.parameter(name);
  FitOptions options;
  options.run = dae::alpha_steps();
  options.run.step = 0.04;
  options.run.method = dae::Method::kMuntheKaas;
  options.run.tableau = dae::rk4();
  options.start_from_data = false;
  std::mt19937 random(seed);
  Coverage hits;
  for (int draw = 0; draw < kDraws; ++draw) {
    Recording data = exact;
    add_noise(data, "ball.q", 0.01, random, correlation);
    add_noise(data, "ball.omega", 0.05, random, correlation);
    problem.trials = {data};
    const FitResult result = optimize::fit(problem, options);
    EXPECT_TRUE(result.converged) << result.message;
    for (const optimize::Estimate& one : result.parameters) {
      const double value = values[one.name];
      const auto holds = [value](const optimize::Interval& interval) {
        return interval.lower <= value && value <= interval.upper ? 100.0 / kDraws : 0;
      };
      hits.plain[one.name] += holds(one.ci95);
      hits.sandwich[one.name] += holds(one.sandwich_ci95);
    }
  }
  return hits;
}

TEST(Coverage, IsThatOfTheIntervalsWithWhiteNoise) {
  const Coverage hits = coverage(0, 11);
  for (const auto& [name, per_cent] : hits.plain) {
    EXPECT_GE(per_cent, 92) << name;
    EXPECT_LE(per_cent, 98) << name;
    EXPECT_GE(hits.sandwich.at(name), 91) << name;
  }
}

TEST(Coverage, IsThatOfTheSandwichWithCorrelatedNoise) {
  const Coverage hits = coverage(0.7, 12);
  double worst = 100;
  for (const auto& [name, per_cent] : hits.sandwich) {
    EXPECT_GE(per_cent, 92) << name;
    EXPECT_LE(per_cent, 98) << name;
    worst = std::min(worst, hits.plain.at(name));
  }
  // The negative control: intervals that take such noise for white are too short.
  EXPECT_LT(worst, 85);
}

}  // namespace
}  // namespace liegrad::testing
