#include "liegrad/optimize/fit/run_tolerance.hpp"

#include <algorithm>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;

/// Of steps that the options leave open.
constexpr double kFirstTolerance = 1e-5, kLeastTolerance = 1e-10;
/// What a check is finer by.
constexpr double kFiner = 10;

bool leaves_tolerance_open(const FitOptions& options) {
  return !options.run.adaptive && options.run.step == 0 && options.piece == 0;
}

FitOptions with_tolerance(const FitOptions& options, double tolerance) {
  FitOptions result = options;
  result.run.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = tolerance}};
  return result;
}

/// How far estimates would move, in standard deviations, with runs of another tolerance: |(JF)ᵀ Δr| with the covariance
/// F Fᵀ, to first order. Throws Error when these runs fail.
double shift_with(const FitProblem& problem, const FitOptions& finer, const FitEngine& engine,
                  const FitStatistics& statistics, const Eigen::VectorXd& x) {
  FitEngine other(problem, finer);
  Eigen::VectorXd along = Eigen::VectorXd::Zero(statistics.information.factor.cols());
  for (int trial = 0; trial < other.unknowns().num_trials(); ++trial) {
    const Eigen::VectorXd change =
        other.evaluate(trial, x, false).values - statistics.residuals[index(trial)].values;
    Eigen::VectorXd over_noise(change.size());
    const std::vector<int>& outputs = engine.residuals().outputs_of(trial);
    for (Eigen::Index i = 0; i < change.size(); ++i) {
      over_noise(i) = change(i) / engine.noise()[index(outputs[static_cast<std::size_t>(i)])];
    }
    along += statistics.spreads[index(trial)].transpose() * over_noise;
  }
  return along.norm();
}

}  // namespace

FitOptions with_first_tolerance(const FitOptions& options) {
  return leaves_tolerance_open(options) ? with_tolerance(options, kFirstTolerance) : options;
}

FitOptions with_tolerance_of(const FitResult& result, const FitOptions& options) {
  return result.tolerance > 0 ? with_tolerance(options, result.tolerance) : options;
}

std::unique_ptr<NoiseRounds> search(const FitProblem& problem, const FitOptions& options,
                                    Eigen::VectorXd& x, FitResult& result) {
  const bool is_open = leaves_tolerance_open(options);
  result.tolerance = is_open ? kFirstTolerance : 0;
  std::unique_ptr<NoiseRounds> rounds;
  long runs = 0, differentiated = 0;
  for (;;) {
    auto next = std::make_unique<NoiseRounds>(
        problem, is_open ? with_tolerance(options, result.tolerance) : options);
    FitEngine& engine = next->engine();
    if (rounds) {
      runs += rounds->engine().residuals().num_runs();
      differentiated += rounds->engine().residuals().num_differentiated_runs();
      engine.noise() = rounds->engine().noise();
    } else {
      x = engine.unknowns().start();
      // A run that fails from the start is a mistake to be told, not a step to be shortened.
      for (int trial = 0; trial < engine.unknowns().num_trials(); ++trial) {
        engine.residuals().check(trial, engine.unknowns().local(trial, x));
        if (!engine.residuals().has_nodes()) engine.evaluate(trial, x, false);
      }
    }
    rounds = std::move(next);
    rounds->run(x, result);
    result.evaluations = runs + engine.residuals().num_runs();
    result.differentiated_evaluations =
        differentiated + engine.residuals().num_differentiated_runs();
    if (!is_open || !result.converged) return rounds;
    try {
      result.integration_shift =
          shift_with(problem, with_tolerance(options, result.tolerance / kFiner), engine,
                     rounds->statistics(), x);
      result.evaluations += engine.unknowns().num_trials();
    } catch (const Error&) {
      result.integration_shift.reset();  // a tolerance below rounding
      return rounds;
    }
    const double shift = *result.integration_shift;
    if (shift <= kAllowedShift || result.tolerance <= kLeastTolerance) return rounds;
    // The error is proportional to the tolerance.
    const double enough = 0.5 * result.tolerance * kAllowedShift / shift;
    result.tolerance = std::max(kLeastTolerance, std::min(enough, result.tolerance / kFiner));
  }
}

}  // namespace liegrad::optimize
