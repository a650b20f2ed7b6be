#include "liegrad/optimize/fit/fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/optimize/fit/findings.hpp"
#include "liegrad/optimize/fit/multiple_shooting.hpp"
#include "liegrad/optimize/fit/regression_start.hpp"
#include "liegrad/optimize/fit/start_values.hpp"
#include "liegrad/optimize/fit/statistics.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using dae::number_text;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void check_noise(const FitProblem& problem) {
  std::vector<std::string> outputs;
  for (const Recording& trial : problem.trials) {
    for (const Series& series : trial.series) outputs.push_back(series.output);
  }
  std::sort(outputs.begin(), outputs.end());
  outputs.erase(std::unique(outputs.begin(), outputs.end()), outputs.end());
  for (const auto& [output, noise] : problem.noise) {
    if (std::find(outputs.begin(), outputs.end(), output) == outputs.end()) {
      throw InvalidArgument("a noise level is given for what is not measured: " +
                            dae::unknown_name_message("measured output", output, outputs));
    }
    if (noise > 0 && std::isfinite(noise)) continue;
    throw InvalidArgument("the noise of '" + output + "' is " + number_text(noise) +
                          "; it must be positive");
  }
}

/// A problem whose recordings are checked and normalised.
FitProblem checked(const FitProblem& problem, const FitOptions& options) {
  std::string all;
  for (const std::string& sentence : options.problems()) {
    all += (all.empty() ? "" : "; ") + sentence;
  }
  if (!all.empty()) throw InvalidArgument(all);
  if (problem.trials.empty()) throw InvalidArgument("a fit needs data; there is no trial");
  FitProblem result = problem;
  for (Recording& trial : result.trials) check_recording(trial);
  check_noise(result);
  const Unknowns unknowns(result);
  int numbers = 0;
  for (const Recording& trial : result.trials) {
    for (const Series& series : trial.series) {
      numbers += static_cast<int>(series.times.size()) * series.residual_size();
    }
  }
  for (const Unknowns::Unknown& unknown : unknowns.list()) numbers += unknown.prior ? 1 : 0;
  if (numbers <= unknowns.size()) {
    throw InvalidArgument("the fit has " + std::to_string(unknowns.size()) + " unknowns and only " +
                          std::to_string(numbers) +
                          " measured numbers; fix some unknowns or measure more");
  }
  return result;
}

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

/// What elements have against the values that were found.
void add_refusals(FitEngine& engine, const Eigen::VectorXd& x, std::vector<std::string>& findings) {
  for (int trial = 0; trial < engine.unknowns().num_trials(); ++trial) {
    try {
      engine.residuals().check(trial, engine.unknowns().local(trial, x));
    } catch (const InvalidArgument& error) {
      findings.push_back(std::string("the values found are not possible: ") + error.what() +
                         "; within their intervals some may be");
      return;
    }
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

std::vector<std::string> FitOptions::problems() const {
  std::vector<std::string> list;
  const auto require = [&list](bool holds, const std::string& sentence) {
    if (!holds) list.push_back(sentence);
  };
  require(loss.d > 0 && std::isfinite(loss.d),
          "the limit of the loss must be positive; it is " + number_text(loss.d));
  require(solver.max_iterations >= 1, "a fit needs at least one iteration");
  require(solver.threads >= 1, "a fit needs at least one thread");
  require(piece >= 0 && std::isfinite(piece),
          "pieces must have a positive length; it is " + number_text(piece));
  require(max_noise_rounds >= 1, "a fit needs at least one round");
  return list;
}

const Estimate& FitResult::operator[](const std::string& name) const {
  for (const Estimate& estimate : parameters) {
    if (estimate.name == name) return estimate;
  }
  throw InvalidArgument(dae::unknown_name_message("unknown", name, dae::names_of(parameters)));
}

const OutputFit& FitResult::output(const std::string& name) const {
  std::vector<std::string> names;
  for (const OutputFit& one : outputs) {
    if (one.output == name) return one;
    names.push_back(one.output);
  }
  throw InvalidArgument(dae::unknown_name_message("measured output", name, names));
}

namespace {

/// Of steps that the options leave open.
constexpr double kFirstTolerance = 1e-5, kLeastTolerance = 1e-10;
/// How far, in standard deviations, the error of integration may move estimates.
constexpr double kAllowedShift = 0.05;
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

/// A search for the unknowns and the levels of noise, with given runs.
class NoiseRounds {
 public:
  NoiseRounds(const FitProblem& problem, const FitOptions& options)
      : problem_(problem), engine_(problem, options) {
    set_first_noise(problem, engine_);
  }

  FitEngine& engine() { return engine_; }
  const FitStatistics& statistics() const { return statistics_; }
  /// Whether levels of noise stayed.
  bool has_settled() const { return has_settled_; }

  void run(Eigen::VectorXd& x, FitResult& result) {
    const FitOptions& options = engine_.options();
    const bool all_given = problem_.noise.size() == engine_.residuals().outputs().size();
    for (int round = 1; round <= options.max_noise_rounds; ++round) {
      const LeastSquaresSummary summary = engine_.minimise(x);
      result.noise_rounds = round;
      result.iterations += summary.iterations;
      result.evaluation_seconds += summary.evaluation_seconds;
      result.converged = summary.converged;
      result.was_stopped = summary.was_stopped;
      result.message = summary.message;
      result.cost = summary.cost;
      result.gradient_norm = summary.gradient_norm;
      statistics_ = statistics_at(engine_, x);
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

 private:
  const FitProblem& problem_;
  FitEngine engine_;
  FitStatistics statistics_;
  bool has_settled_ = false;
};

/// Searches with runs whose error does not matter, see FitOptions::run.
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
      return rounds;  // a tolerance below rounding
    }
    if (result.integration_shift <= kAllowedShift || result.tolerance <= kLeastTolerance) {
      return rounds;
    }
    // The error is proportional to the tolerance.
    const double enough = 0.5 * result.tolerance * kAllowedShift / result.integration_shift;
    result.tolerance = std::clamp(enough, kLeastTolerance, result.tolerance / kFiner);
  }
}

}  // namespace

FitOptions with_tolerance_of(const FitResult& result, const FitOptions& options) {
  return result.tolerance > 0 ? with_tolerance(options, result.tolerance) : options;
}

FitResult fit(const FitProblem& given, const FitOptions& options) {
  const auto began = Clock::now();
  FitProblem problem = checked(given, options);
  const FitOptions rough =
      leaves_tolerance_open(options) ? with_tolerance(options, kFirstTolerance) : options;
  if (options.start_by_regression) problem = start_by_regression(problem, rough);
  if (options.start_from_data) problem = with_starts_from_data(problem, rough);
  FitResult result;
  Eigen::VectorXd x;
  const std::unique_ptr<NoiseRounds> rounds = search(problem, options, x, result);
  FitEngine& engine = rounds->engine();
  const FitStatistics& statistics = rounds->statistics();
  // A search whose steps became short since runs fail ends anywhere.
  constexpr double kFar = 0.05;
  const std::vector<std::string> at_limit = engine.admissible().at_limit(x);
  if (result.converged && at_limit.empty() && statistics.distance_to_minimum > kFar) {
    result.converged = false;
    result.message =
        "the search ended " + number_text(statistics.distance_to_minimum) +
        " standard deviations from where its derivatives see the minimum" +
        (engine.failed_evaluations() > 0 ? "; steps that go on fail: " + engine.last_failure()
                                         : std::string());
  }
  report(problem, engine, x, statistics, result);
  result.findings = findings_of(result, engine.unknowns());
  if (!rounds->has_settled()) {
    result.findings.push_back(
        "levels of noise still changed after " + std::to_string(options.max_noise_rounds) +
        " rounds: one output fits better at the cost of another; give them by --noise");
  }
  for (const std::string& body : at_limit) {
    result.findings.push_back("'" + body +
                              "' ended at the limit of what bodies can have, m = 0 or one inertia "
                              "the sum of the others; its intervals hold only if it is there");
  }
  if (result.integration_shift > kAllowedShift) {
    result.findings.push_back(
        "the error of integration moves estimates by " + number_text(result.integration_shift) +
        " standard deviations at a tolerance of " + number_text(result.tolerance) +
        ": the data are more exact than the runs, and intervals are too narrow");
  }
  add_refusals(engine, x, result.findings);
  if (engine.failed_evaluations() > 0) {
    result.findings.push_back(std::to_string(engine.failed_evaluations()) +
                              " runs failed during the search, whose steps were shortened; the "
                              "last one: " +
                              engine.last_failure());
  }
  for (int trial = 0; trial < engine.residuals().num_trials(); ++trial) {
    result.num_pieces += engine.residuals().trial(trial).num_pieces();
  }
  result.largest_gap = largest_gap(engine);
  result.jacobian_used = engine.mode();
  result.failed_evaluations = engine.failed_evaluations();
  result.last_failure = engine.last_failure();
  result.wall_seconds = seconds_since(began);
  return result;
}

}  // namespace liegrad::optimize
