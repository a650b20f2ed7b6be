#include "liegrad/optimize/fit/noise_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace liegrad::optimize {
namespace {

/// First levels of noise: the spread of what was measured, so that outputs of any unit count alike.
void set_first_noise(const FitProblem& problem, FitEngine& engine) {
  const std::vector<std::string>& outputs = engine.residuals().outputs();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (const auto given = problem.noise.find(outputs[k]); given != problem.noise.end()) {
      engine.noise()[k] = given->second;
      continue;
    }
    double sum = 0, count = 0;
    for (const Recording& trial : problem.trials) {
      for (const Series& series : trial.series) {
        if (series.output != outputs[k] || series.comparison == Comparison::kRotation) continue;
        double mean = 0;
        for (const double value : series.values)
          mean += value / static_cast<double>(series.values.size());
        for (const double value : series.values) sum += (value - mean) * (value - mean);
        count += static_cast<double>(series.values.size());
      }
    }
    engine.noise()[k] = sum > 0 ? std::sqrt(sum / count) : 1;
  }
}

bool are_close(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double kTolerance = 1e-6;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) > kTolerance * std::abs(b[i])) return false;
  }
  return true;
}

}  // namespace

NoiseRounds::NoiseRounds(const FitProblem& problem, const FitOptions& options)
    : problem_(problem), engine_(problem, options) {
  set_first_noise(problem, engine_);
}

LeastSquaresSummary NoiseRounds::minimise(Eigen::VectorXd& x, FitResult& result) {
  const auto search = [&](const LeastSquaresOptions& how) {
    const LeastSquaresSummary summary = engine_.minimise(x, {}, &how);
    result.iterations += summary.iterations;
    result.evaluation_seconds += summary.evaluation_seconds;
    result.converged = summary.converged;
    result.was_stopped = summary.was_stopped;
    result.message = summary.message;
    result.cost = summary.cost;
    result.gradient_norm = summary.gradient_norm;
    statistics_ = statistics_at(engine_, x);
    return summary;
  };
  const LeastSquaresOptions& whole = engine_.options().solver;
  Residuals& residuals = engine_.residuals();
  const bool is_rough =
      engine_.options().run.adaptive && !residuals.has_nodes() && !residuals.holds_steps();
  if (!is_rough) return search(whole);

  // Residuals of runs whose steps follow the error are smooth to their tolerance only. What a search gains by less than
  // a thirtieth of a standard deviation may be that; it then goes on with the steps that were found, from where it is.
  constexpr double kLeastGain = 1e-3, kNear = 1e-3;
  bool gains_little = false;
  double cost = std::numeric_limits<double>::infinity();
  LeastSquaresOptions first = whole;
  first.on_iteration = [&](const LeastSquaresOptions::Iteration& now, const Eigen::VectorXd& at) {
    if (whole.on_iteration && !whole.on_iteration(now, at)) return false;
    if (!now.is_accepted) return true;
    const double gain = std::exchange(cost, now.cost) - now.cost;
    gains_little = gain < kLeastGain * 2 * now.cost / residuals.num_residuals();
    return !gains_little;
  };
  LeastSquaresSummary summary = search(first);
  if (gains_little && summary.was_stopped) {
    summary.converged = result.converged = true;
    summary.was_stopped = result.was_stopped = false;
    summary.message = result.message = "converged";
  }
  const bool ended_by_itself =
      summary.converged || (!summary.was_stopped && summary.iterations < whole.max_iterations);
  if (!ended_by_itself || statistics_.distance_to_minimum <= kNear) return summary;
  residuals.hold_steps();
  LeastSquaresOptions rest = whole;
  rest.max_iterations = std::max(1, whole.max_iterations - summary.iterations);
  return search(rest);
}

void NoiseRounds::run(Eigen::VectorXd& x, FitResult& result) {
  const FitOptions& options = engine_.options();
  const bool all_given = problem_.noise.size() == engine_.residuals().outputs().size();
  for (int round = 1; round <= options.max_noise_rounds; ++round) {
    const LeastSquaresSummary summary = minimise(x, result);
    result.noise_rounds = round;
    const std::vector<double> noise = estimated_noise(problem_, engine_, statistics_);
    has_settled_ = all_given || !summary.converged || are_close(noise, engine_.noise());
    if (has_settled_) break;
    // Estimates depend on ratios of noise only: with one output there is nothing to be done again.
    const double factor = noise[0] / engine_.noise()[0];
    const bool same_ratios = std::all_of(noise.begin(), noise.end(), [&](const double& one) {
      const double before = engine_.noise()[static_cast<std::size_t>(&one - noise.data())];
      return std::abs(one - factor * before) <= 1e-6 * one;
    });
    engine_.noise() = noise;
    if (same_ratios && problem_.prior.empty() && options.loss.kind == Loss::Kind::kSquares) {
      result.cost /= factor * factor;
      result.gradient_norm /= factor * factor;
      statistics_ = statistics_at(engine_, x);
      has_settled_ = true;
      break;
    }
  }
}

}  // namespace liegrad::optimize
