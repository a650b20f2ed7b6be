#include "liegrad/optimize/fit/fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

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

FitResult fit(const FitProblem& given, const FitOptions& options) {
  const auto began = Clock::now();
  FitProblem problem = checked(given, options);
  if (options.start_by_regression) problem = start_by_regression(problem, options);
  if (options.start_from_data) problem = with_starts_from_data(problem, options);
  FitEngine engine(problem, options);
  set_first_noise(problem, engine);
  Eigen::VectorXd x = engine.unknowns().start();
  // A run that fails from the start is a mistake to be told, not a step to be shortened.
  for (int trial = 0; trial < engine.unknowns().num_trials(); ++trial) {
    engine.residuals().check(trial, engine.unknowns().local(trial, x));
    if (!engine.residuals().has_nodes()) engine.evaluate(trial, x, false);
  }

  FitResult result;
  const bool all_given = problem.noise.size() == engine.residuals().outputs().size();
  FitStatistics statistics;
  bool has_settled = false;
  for (int round = 1; round <= options.max_noise_rounds; ++round) {
    const LeastSquaresSummary summary = engine.minimise(x);
    result.noise_rounds = round;
    result.iterations += summary.iterations;
    result.evaluation_seconds += summary.evaluation_seconds;
    result.converged = summary.converged;
    result.was_stopped = summary.was_stopped;
    result.message = summary.message;
    result.cost = summary.cost;
    result.gradient_norm = summary.gradient_norm;
    statistics = statistics_at(engine, x);
    const std::vector<double> noise = estimated_noise(problem, engine, statistics);
    has_settled = all_given || !summary.converged || are_close(noise, engine.noise());
    if (has_settled) break;
    // Estimates depend on ratios of noise only: with one output there is nothing to be done again.
    const double factor = noise[0] / engine.noise()[0];
    const bool same_ratios = std::all_of(noise.begin(), noise.end(), [&](const double& one) {
      const double before = engine.noise()[static_cast<std::size_t>(&one - noise.data())];
      return std::abs(one - factor * before) <= 1e-6 * one;
    });
    engine.noise() = noise;
    if (same_ratios && problem.prior.empty() && options.loss.kind == Loss::Kind::kSquares) {
      result.cost /= factor * factor;
      result.gradient_norm /= factor * factor;
      statistics = statistics_at(engine, x);
      has_settled = true;
      break;
    }
  }
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
  if (!has_settled) {
    result.findings.push_back(
        "levels of noise still changed after " + std::to_string(options.max_noise_rounds) +
        " rounds: one output fits better at the cost of another; give them by --noise");
  }
  for (const std::string& body : at_limit) {
    result.findings.push_back("'" + body +
                              "' ended at the limit of what bodies can have, m = 0 or one inertia "
                              "the sum of the others; its intervals hold only if it is there");
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
  result.evaluations = engine.residuals().num_runs();
  result.differentiated_evaluations = engine.residuals().num_differentiated_runs();
  result.failed_evaluations = engine.failed_evaluations();
  result.last_failure = engine.last_failure();
  result.wall_seconds = seconds_since(began);
  return result;
}

}  // namespace liegrad::optimize
