#include "liegrad/optimize/fit/fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/optimize/fit/false_effects.hpp"
#include "liegrad/optimize/fit/findings.hpp"
#include "liegrad/optimize/fit/multiple_shooting.hpp"
#include "liegrad/optimize/fit/regression_start.hpp"
#include "liegrad/optimize/fit/run_tolerance.hpp"
#include "liegrad/optimize/fit/start_values.hpp"
#include "liegrad/optimize/fit/statistics.hpp"
#include "liegrad/optimize/fit/tracking_start.hpp"

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

void check_pieces(const Recording& trial, double length) {
  std::set<double> times;
  for (const Series& series : trial.series) times.insert(series.times.begin(), series.times.end());
  const double pieces = (trial.last_time() - trial.first_time()) / length;
  if (pieces <= static_cast<double>(times.size())) return;
  throw InvalidArgument("pieces of " + number_text(length) + " are shorter than the time between " +
                        "samples of " + trial.name + ", which has " + std::to_string(times.size()) +
                        "; choose longer pieces");
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
  for (Recording& trial : result.trials) {
    check_recording(trial);
    if (options.piece > 0) check_pieces(trial, options.piece);
  }
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
  const FitOptions rough = with_first_tolerance(options);
  std::string remark;
  if (options.start_by_regression) problem = start_by_regression(problem, rough, remark);
  if (options.start_by_tracking) problem = start_by_tracking(problem, rough);
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
  if (!remark.empty()) result.findings.push_back(remark);
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
  if (result.integration_shift.value_or(0) > kAllowedShift) {
    result.findings.push_back(
        "the error of integration moves estimates by " + number_text(*result.integration_shift) +
        " standard deviations at a tolerance of " + number_text(result.tolerance) +
        ": the data are more exact than the runs, and intervals are too narrow");
  }
  if (result.converged && result.tolerance > 0 && !result.integration_shift) {
    result.findings.push_back(
        "how far the error of integration moves estimates is not known: at a "
        "tenth of the tolerance of " +
        number_text(result.tolerance) + " runs fail; give steps of your own, such as --step");
  }
  if (!result.was_stopped) {
    for (const std::string& sentence : false_effects(problem, options, engine, x, statistics)) {
      result.findings.push_back(sentence);
    }
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
