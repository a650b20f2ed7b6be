#include "liegrad/optimize/fit/run_tolerance.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/optimize/fit/run_method.hpp"

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

/// How far an estimate would move at most, in standard deviations, with runs of another tolerance: by F (JF)ᵀ Δr with the
/// covariance F Fᵀ, to first order. Throws Error when these runs fail.
double shift_with(double tolerance, FitEngine& engine, const FitStatistics& statistics,
                  const Eigen::VectorXd& x) {
  Eigen::VectorXd along = Eigen::VectorXd::Zero(statistics.information.factor.cols());
  TrialResiduals finer;
  for (int trial = 0; trial < engine.unknowns().num_trials(); ++trial) {
    engine.residuals().evaluate_with(tolerance, trial, engine.unknowns().local(trial, x), finer);
    const Eigen::VectorXd change = finer.values - statistics.residuals[index(trial)].values;
    Eigen::VectorXd over_noise(change.size());
    const std::vector<int>& outputs = engine.residuals().outputs_of(trial);
    for (Eigen::Index i = 0; i < change.size(); ++i) {
      over_noise(i) = change(i) / engine.noise()[index(outputs[static_cast<std::size_t>(i)])];
    }
    along += statistics.spreads[index(trial)].transpose() * over_noise;
  }
  // With many unknowns each may move a little without any of them moving much.
  const Eigen::MatrixXd& factor = statistics.information.factor;
  const Eigen::VectorXd moves = factor * along;
  double largest = 0;
  for (Eigen::Index i = 0; i < moves.size(); ++i) {
    const double std = factor.row(i).norm();
    if (std > 0) largest = std::max(largest, std::abs(moves(i)) / std);
  }
  return largest;
}

}  // namespace

FitOptions with_first_tolerance(const FitOptions& options) {
  return leaves_tolerance_open(options) ? with_tolerance(options, kFirstTolerance) : options;
}

FitOptions with_runs_of(const FitResult& result, const FitOptions& options) {
  if (!(result.tolerance > 0)) return options;
  const bool is_explicit = leaves_method_open(options) && result.method == kExplicitMethod;
  return with_tolerance(is_explicit ? with_explicit_method(options) : options, result.tolerance);
}

namespace {

/// The rounds with which a search begins. Where the method is left open it is chosen here, and told to the result.
std::unique_ptr<NoiseRounds> first_rounds(const FitProblem& problem, const FitOptions& options,
                                          Eigen::VectorXd& x, FitResult& result) {
  const auto rounds_with = [&](const FitOptions& open) {
    return std::make_unique<NoiseRounds>(
        problem, result.tolerance > 0 ? with_tolerance(open, result.tolerance) : open);
  };
  result.method = options.run.method_name();
  if (leaves_method_open(options)) {
    const FitOptions with_explicit = with_explicit_method(options);
    try {
      auto rounds = rounds_with(with_explicit);
      x = rounds->engine().unknowns().start();
      if (explicit_method_suits(rounds->engine(), result.tolerance, x)) {
        result.method = kExplicitMethod;
        result.reason_for_method = "explicit, and accuracy decides on its steps";
        return rounds;
      }
    } catch (const Error&) {
      // Not for this system.
    }
    result.reason_for_method = "since the system is stiff, or not for explicit steps";
  }
  auto rounds = rounds_with(options);
  x = rounds->engine().unknowns().start();
  return rounds;
}

/// What the error of integration does to estimates near the minimum, by runs with a tenth of the tolerance.
class ErrorCheck {
 public:
  ErrorCheck(NoiseRounds& rounds, FitResult& result) : rounds_(rounds), result_(result) {}

  /// Whether runs have to be finer at x; they have a smaller tolerance then. What was found within a standard deviation for
  /// levels of noise that are nearly the same holds on.
  bool refines(const Eigen::VectorXd& x) {
    FitEngine& engine = rounds_.engine();
    if (is_known_at(x)) return false;
    noise_ = engine.noise();
    x_ = x;
    try {
      // The error is proportional to the tolerance: the finer run has a part of it left.
      constexpr double kWhole = kFiner / (kFiner - 1);
      result_.integration_shift =
          kWhole * shift_with(result_.tolerance / kFiner, engine, rounds_.statistics(), x);
    } catch (const Error&) {
      result_.integration_shift.reset();  // a tolerance below rounding
      noise_.clear();
      return false;
    }
    const double shift = *result_.integration_shift;
    double enough = result_.tolerance;
    if (shift > kAllowedShift) enough *= 0.5 * kAllowedShift / shift;
    // Whether a direction without effect is one is not seen where the error of runs is larger.
    const double condition = rounds_.statistics().information.condition();
    if (condition * engine.least_effect() > 1) enough /= condition * engine.least_effect();
    if (enough >= result_.tolerance || result_.tolerance <= kLeastTolerance) return false;
    result_.tolerance = std::max(kLeastTolerance, std::min(enough, result_.tolerance / kFiner));
    rounds_.set_tolerance(result_.tolerance, x);
    result_.integration_shift.reset();
    noise_.clear();
    return true;
  }

 private:
  bool is_known_at(const Eigen::VectorXd& x) const {
    constexpr double kNearly = 0.1;
    const bool has_noise = std::ranges::equal(
        rounds_.engine().noise(), noise_,
        [](double now, double known) { return std::abs(now - known) <= kNearly * known; });
    if (!has_noise) return false;
    const Eigen::VectorXd deviations = rounds_.statistics().information.factor.rowwise().norm();
    return ((x - x_).array().abs() <= deviations.array()).all();
  }

  NoiseRounds& rounds_;
  FitResult& result_;
  /// That it was found for, with the tolerance of now; or none.
  std::vector<double> noise_;
  Eigen::VectorXd x_;
};

}  // namespace

std::unique_ptr<NoiseRounds> search(const FitProblem& problem, const FitOptions& options,
                                    Eigen::VectorXd& x, FitResult& result) {
  const bool is_open = leaves_tolerance_open(options);
  result.tolerance = is_open ? kFirstTolerance : 0;
  std::unique_ptr<NoiseRounds> rounds = first_rounds(problem, options, x, result);
  // A run that fails from the start is a mistake to be told, not a step to be shortened.
  for (int trial = 0; trial < rounds->engine().unknowns().num_trials(); ++trial) {
    FitEngine& engine = rounds->engine();
    engine.residuals().check(trial, engine.unknowns().local(trial, x));
    if (!engine.residuals().has_nodes()) engine.evaluate(trial, x, false);
  }
  ErrorCheck check(*rounds, result);
  if (is_open) {
    rounds->approach(x, result);
    if (rounds->is_near()) check.refines(x);
  }
  do {
    rounds->run(x, result);
  } while (is_open && result.converged && check.refines(x));
  const Residuals& residuals = rounds->engine().residuals();
  result.evaluations = residuals.num_runs();
  result.differentiated_evaluations = residuals.num_differentiated_runs();
  return rounds;
}

}  // namespace liegrad::optimize
