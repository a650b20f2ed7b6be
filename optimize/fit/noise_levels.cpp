#include "liegrad/optimize/fit/noise_levels.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using Eigen::Index;

/// Data without noise, computed by the same runs, must not be divided by zero.
constexpr double kLeastNoise = 1e-14;

double noise_of(double sum, double count, double leverage) {
  return std::max(std::sqrt(sum / std::max(count - leverage, 1.0)), kLeastNoise);
}

double noise_of_median(const Residuals& residuals, const FitStatistics& statistics,
                       std::size_t output) {
  std::vector<double> magnitudes;
  for (int trial = 0; trial < residuals.num_trials(); ++trial) {
    const Eigen::VectorXd& values = statistics.residuals[index(trial)].values;
    for (Index i = 0; i < values.size(); ++i) {
      const int own = residuals.outputs_of(trial)[static_cast<std::size_t>(i)];
      if (own == static_cast<int>(output)) magnitudes.push_back(std::abs(values(i)));
    }
  }
  const auto middle = magnitudes.begin() + std::ssize(magnitudes) / 2;
  std::nth_element(magnitudes.begin(), middle, magnitudes.end());
  // The median of the magnitude of a normal number.
  return std::max(*middle / 0.674489750196082, kLeastNoise);
}

/// Residuals ρ of an output over its noise as a linear function ρ + W y of steps y along directions that data determine,
/// and the sum of their squares.
struct LinearOutput {
  double sum = 0;            ///< ρᵀρ
  Eigen::VectorXd gradient;  ///< Wᵀρ
  Eigen::MatrixXd square;    ///< WᵀW
};

std::vector<LinearOutput> linear_outputs(const FitEngine& engine, const FitStatistics& statistics) {
  const Residuals& residuals = engine.residuals();
  const Index directions = statistics.information.factor.cols();
  std::vector<LinearOutput> list(residuals.outputs().size());
  for (std::size_t k = 0; k < list.size(); ++k) {
    LinearOutput& one = list[k];
    one.gradient.setZero(directions);
    one.square.setZero(directions, directions);
    for (int trial = 0; trial < residuals.num_trials(); ++trial) {
      const std::vector<int>& outputs = residuals.outputs_of(trial);
      std::vector<Index> rows;
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i] == static_cast<int>(k)) rows.push_back(static_cast<Index>(i));
      }
      const Eigen::MatrixXd spread = statistics.spreads[index(trial)](rows, Eigen::all);
      const Eigen::VectorXd over_noise =
          statistics.residuals[index(trial)].values(rows) / engine.noise()[k];
      one.sum += over_noise.squaredNorm();
      one.gradient += spread.transpose() * over_noise;
      one.square.selfadjointView<Eigen::Lower>().rankUpdate(spread.transpose());
    }
    one.square = one.square.selfadjointView<Eigen::Lower>();
  }
  return list;
}

/// The levels at which those of the minimum are the levels that it was found with, with residuals taken for linear.
std::vector<double> settled(const FitEngine& engine, const FitStatistics& statistics,
                            const std::vector<bool>& is_given, std::vector<double> noise) {
  constexpr int kMostRepetitions = 100;
  constexpr double kSettled = 1e-9;
  const std::vector<LinearOutput> outputs = linear_outputs(engine, statistics);
  const Index directions = statistics.information.factor.cols();
  // What priors add: all squares together are the identity, all gradients that along the directions.
  Eigen::MatrixXd of_priors = Eigen::MatrixXd::Identity(directions, directions);
  Eigen::VectorXd gradient_of_priors = statistics.along;
  for (const LinearOutput& one : outputs) {
    of_priors -= one.square;
    gradient_of_priors -= one.gradient;
  }
  for (int repetition = 0; repetition < kMostRepetitions; ++repetition) {
    Eigen::MatrixXd square = of_priors;
    Eigen::VectorXd gradient = gradient_of_priors;
    std::vector<double> weights;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const double ratio = engine.noise()[k] / noise[k];
      weights.push_back(ratio * ratio);
      square += weights[k] * outputs[k].square;
      gradient += weights[k] * outputs[k].gradient;
    }
    const Eigen::LLT<Eigen::MatrixXd> factor(square);
    if (factor.info() != Eigen::Success) return noise;
    const Eigen::MatrixXd covariance =
        factor.solve(Eigen::MatrixXd::Identity(directions, directions));
    const Eigen::VectorXd step = -covariance * gradient;
    double change = 0;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (is_given[k]) continue;
      const LinearOutput& one = outputs[k];
      const double sum = one.sum + 2 * one.gradient.dot(step) + step.dot(one.square * step);
      const double leverage = weights[k] * covariance.cwiseProduct(one.square).sum();
      const double next = noise_of(engine.noise()[k] * engine.noise()[k] * std::max(sum, 0.0),
                                   statistics.counts[k], leverage);
      change = std::max(change, std::abs(next / noise[k] - 1));
      noise[k] = next;
    }
    if (change < kSettled) break;
  }
  return noise;
}

}  // namespace

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

std::vector<double> estimated_noise(const FitProblem& problem, FitEngine& engine,
                                    const FitStatistics& statistics) {
  const Residuals& residuals = engine.residuals();
  const bool are_squared = engine.options().loss.kind == Loss::Kind::kSquares;
  std::vector<double> noise = engine.noise();
  std::vector<bool> is_given;
  for (std::size_t k = 0; k < noise.size(); ++k) {
    is_given.push_back(problem.noise.contains(residuals.outputs()[k]));
    if (is_given[k]) continue;
    noise[k] = are_squared
                   ? noise_of(statistics.sums[k], statistics.counts[k], statistics.leverage[k])
                   : noise_of_median(residuals, statistics, k);
  }
  // An unknown at a bound does not move as directions say, and one level alone needs no repetition.
  const auto open = std::count(is_given.begin(), is_given.end(), false);
  const bool has_one_level = noise.size() == 1 && problem.prior.empty();
  if (!are_squared || open == 0 || has_one_level || statistics.is_held) return noise;
  return settled(engine, statistics, is_given, noise);
}

}  // namespace liegrad::optimize
