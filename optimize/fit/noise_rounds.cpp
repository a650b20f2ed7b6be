#include "liegrad/optimize/fit/noise_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "liegrad/optimize/fit/final_steps.hpp"
#include "liegrad/optimize/fit/noise_levels.hpp"

namespace liegrad::optimize {
namespace {

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

LeastSquaresSummary NoiseRounds::search(const LeastSquaresOptions& how, Eigen::VectorXd& x,
                                        FitResult& result) {
  const LeastSquaresSummary summary = engine_.minimise(x, {}, &how);
  result.iterations += summary.iterations;
  result.evaluation_seconds += summary.evaluation_seconds;
  result.converged = summary.converged;
  result.was_stopped = summary.was_stopped;
  result.message = summary.message;
  result.cost = summary.cost;
  result.gradient_norm = summary.gradient_norm;
  statistics_ = statistics_at(engine_, x);
  is_near_ = summary.converged;
  return summary;
}

bool NoiseRounds::follows_error() const {
  return engine_.options().run.adaptive && !engine_.residuals().has_nodes();
}

void NoiseRounds::set_noise(const std::vector<double>& noise, const Eigen::VectorXd& x) {
  engine_.noise() = noise;
  // With nodes a run belongs to its derivatives.
  const bool keeps_derivatives = !engine_.residuals().has_nodes();
  statistics_ = statistics_at(engine_, x, keeps_derivatives ? &statistics_ : nullptr);
}

/// Residuals of runs whose steps follow the error are smooth to their tolerance only. Within a thirtieth of a standard
/// deviation what a search gains may be that: from there it goes on with the steps that were found.
void NoiseRounds::approach(Eigen::VectorXd& x, FitResult& result) {
  if (!follows_error() || std::exchange(has_approached_, true)) return;
  constexpr double kNear = 1.0 / 30, kLeastGain = kNear * kNear;
  const LeastSquaresOptions& whole = engine_.options().solver;
  bool gains_little = false;
  double cost = std::numeric_limits<double>::infinity();
  LeastSquaresOptions first = whole;
  first.distance = kNear;
  first.on_iteration = [&](const LeastSquaresOptions::Iteration& now, const Eigen::VectorXd& at) {
    if (whole.on_iteration && !whole.on_iteration(now, at)) return false;
    if (!now.is_accepted) return true;
    const double gain = std::exchange(cost, now.cost) - now.cost;
    gains_little = gain < kLeastGain * 2 * now.cost / engine_.residuals().num_residuals();
    return !gains_little;
  };
  const LeastSquaresSummary summary = search(first, x, result);
  approach_iterations_ = summary.iterations;
  const bool was_interrupted = summary.was_stopped && !gains_little;
  is_near_ = !was_interrupted && (summary.converged || gains_little);
  has_ended_ = was_interrupted || (!is_near_ && summary.iterations >= whole.max_iterations);
  if (!is_near_) return;
  engine_.residuals().hold_steps(x);
  set_noise(estimated_noise(problem_, engine_, statistics_), x);
}

void NoiseRounds::set_tolerance(double tolerance, const Eigen::VectorXd& x) {
  engine_.set_tolerance(tolerance);
  engine_.residuals().hold_steps(x);
  try {
    statistics_ = statistics_at(engine_, x, &statistics_);
  } catch (const Error&) {
    is_near_ = false;  // a search tells what fails
  }
}

bool NoiseRounds::arrives(int max_iterations, Eigen::VectorXd& x, FitResult& result) {
  if (engine_.residuals().has_nodes() || !engine_.admissible().is_empty()) return false;
  const FinalSteps steps = final_steps(engine_, max_iterations, x, statistics_);
  result.iterations += steps.iterations;
  if (!steps.has_arrived && !steps.was_stopped) return false;
  result.converged = steps.has_arrived;
  result.was_stopped = !steps.has_arrived;
  result.message = steps.has_arrived ? "converged" : "stopped before it converged";
  result.cost = statistics_.cost;
  result.gradient_norm = statistics_.gradient_norm;
  return true;
}

void NoiseRounds::minimise(Eigen::VectorXd& x, FitResult& result) {
  approach(x, result);
  if (has_ended_) return;
  LeastSquaresOptions rest = engine_.options().solver;
  rest.max_iterations -= std::exchange(approach_iterations_, 0);
  if (follows_error() && !engine_.residuals().holds_steps()) engine_.residuals().hold_steps(x);
  const int before = result.iterations;
  if (is_near_ && arrives(rest.max_iterations, x, result)) return;
  rest.max_iterations = std::max(1, rest.max_iterations - (result.iterations - before));
  search(rest, x, result);
}

void NoiseRounds::run(Eigen::VectorXd& x, FitResult& result) {
  const FitOptions& options = engine_.options();
  const bool all_given = problem_.noise.size() == engine_.residuals().outputs().size();
  for (int round = 1; round <= options.max_noise_rounds; ++round) {
    minimise(x, result);
    result.noise_rounds = round;
    const std::vector<double> noise = estimated_noise(problem_, engine_, statistics_);
    has_settled_ = all_given || !result.converged || are_close(noise, engine_.noise());
    if (has_settled_) break;
    // Estimates depend on ratios of noise only: with one output there is nothing to be done again.
    const double factor = noise[0] / engine_.noise()[0];
    const bool same_ratios = std::all_of(noise.begin(), noise.end(), [&](const double& one) {
      const double before = engine_.noise()[static_cast<std::size_t>(&one - noise.data())];
      return std::abs(one - factor * before) <= 1e-6 * one;
    });
    const bool is_settled =
        same_ratios && problem_.prior.empty() && options.loss.kind == Loss::Kind::kSquares;
    set_noise(noise, x);
    if (!is_settled) continue;
    result.cost /= factor * factor;
    result.gradient_norm /= factor * factor;
    has_settled_ = true;
    break;
  }
}

}  // namespace liegrad::optimize
