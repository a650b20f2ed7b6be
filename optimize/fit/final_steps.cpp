#include "liegrad/optimize/fit/final_steps.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

namespace liegrad::optimize {
namespace {

using Clock = std::chrono::steady_clock;

/// In standard deviations of the noise that residuals show: where steps end, and where they may end since rounding leaves
/// nothing to be gained.
constexpr double kArrived = 1e-7, kRounding = 1e-4;
/// Steps that are shorter keep the derivatives.
constexpr double kShort = 1e-4;

/// The part of the step to the minimum along directions that runs can tell.
struct Step {
  Eigen::VectorXd change;
  double length = 0;  ///< in standard deviations of the noise that residuals show
};

Step step_from(const FitEngine& engine, const FitStatistics& statistics) {
  const Eigen::VectorXd& effects = statistics.free.effects;
  Eigen::Index count = 0;
  while (count < effects.size() && effects(count) > statistics.least_effect * effects(0)) ++count;
  const double noise = std::sqrt(2 * statistics.cost / engine.residuals().num_residuals());
  const double length = statistics.along.head(count).norm();
  return {-statistics.free.factor.leftCols(count) * statistics.along.head(count),
          noise > 0 ? length / noise : 0};
}

bool is_inside(const Unknowns& unknowns, const Eigen::VectorXd& x) {
  return (x.array() >= unknowns.lower().array()).all() &&
         (x.array() <= unknowns.upper().array()).all();
}

}  // namespace

FinalSteps final_steps(FitEngine& engine, int max_iterations, Eigen::VectorXd& x,
                       FitStatistics& statistics) {
  const auto began = Clock::now();
  const auto& observe = engine.options().solver.on_iteration;
  const auto statistics_there = [&](const Eigen::VectorXd& there, const FitStatistics* nearby) {
    std::optional<FitStatistics> found;
    try {
      found = statistics_at(engine, there, nearby);
    } catch (const Error& error) {
      engine.count_failure(error.what());
    }
    return found;
  };
  const auto has_coarser = [&] { return statistics.least_effect > engine.least_effect(); };
  FinalSteps result;
  Step step = step_from(engine, statistics);
  while (step.length > kArrived || has_coarser()) {
    if (result.iterations == max_iterations) return result;
    const Eigen::VectorXd next = x + step.change;
    if (!is_inside(engine.unknowns(), next)) return result;
    const bool keeps = step.length <= kShort && !has_coarser();
    std::optional<FitStatistics> there = statistics_there(next, keeps ? &statistics : nullptr);
    if (!there) return result;
    result.iterations += 1;
    const Step after = step_from(engine, *there);
    const bool comes_nearer = after.length <= 0.5 * step.length;
    const std::chrono::duration<double> seconds = Clock::now() - began;
    result.was_stopped = observe && !observe({.number = result.iterations,
                                              .cost = there->cost,
                                              .step_norm = step.change.norm(),
                                              .gradient_norm = there->gradient_norm,
                                              .seconds = seconds.count(),
                                              .is_accepted = comes_nearer},
                                             comes_nearer ? next : x);
    if (!comes_nearer && has_coarser() && !result.was_stopped) {
      there = statistics_there(x, nullptr);
      if (!there) return result;
      statistics = std::move(*there);
      step = step_from(engine, statistics);
      continue;
    }
    if (!comes_nearer) {
      result.has_arrived = step.length <= kRounding;
      return result;
    }
    x = next;
    statistics = std::move(*there);
    step = after;
    if (result.was_stopped) return result;
  }
  result.has_arrived = true;
  return result;
}

}  // namespace liegrad::optimize
