#include "liegrad/optimize/fit/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/optimize/fit/active_bounds.hpp"
#include "liegrad/optimize/fit/noise_model.hpp"
#include "liegrad/optimize/fit/student_t.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using Eigen::Index;

/// The rows of one component of a series, in the order of time.
struct Rows {
  int trial = 0, output = 0;
  Index first = 0, stride = 1, count = 0;
};

std::vector<Rows> rows_of(const Residuals& residuals) {
  std::vector<Rows> list;
  for (int trial = 0; trial < residuals.num_trials(); ++trial) {
    Index row = 0;
    for (const Series& series : residuals.recording(trial).series) {
      const Index size = series.residual_size(), count = std::ssize(series.times);
      for (Index i = 0; i < size && count > 0; ++i) {
        list.push_back({trial, residuals.outputs_of(trial)[index(static_cast<int>(row))], row + i,
                        size, count});
      }
      row += size * count;
    }
  }
  return list;
}

Eigen::MatrixXd taken(const Eigen::MatrixXd& matrix, const Rows& rows) {
  Eigen::MatrixXd part(rows.count, matrix.cols());
  for (Index i = 0; i < rows.count; ++i) part.row(i) = matrix.row(rows.first + i * rows.stride);
  return part;
}

/// The covariance of estimates from the autocorrelation of residuals, C (Σ JᵀΓJ) C: the sandwich.
///
/// Residuals are not the noise: the fit took a part of it, E[r rᵀ] = (I-H) Γ (I-H) with H = J C Jᵀ, so that their
/// autocovariances are too small. What is missing is computed from the model of the noise that they give and added, which is
/// repeated.
class Sandwich {
 public:
  Sandwich(FitEngine& engine, const FitStatistics& statistics)
      : statistics_(statistics), size_(engine.unknowns().size()) {
    const Residuals& residuals = engine.residuals();
    const std::size_t outputs = residuals.outputs().size();
    std::vector<std::vector<Eigen::VectorXd>> sequences(outputs);
    for (const Rows& rows : rows_of(residuals)) {
      const std::size_t k = index(rows.output);
      sequences[k].emplace_back(taken(statistics.residuals[index(rows.trial)].values, rows) /
                                engine.noise()[k]);
      parts_.push_back({rows, taken(statistics.jacobians[index(rows.trial)].jacobian, rows), {}});
    }
    std::vector<Autocovariances> raw;
    for (const auto& list : sequences) {
      raw.push_back(autocovariances_of(list));
      models_.push_back(noise_model_of(raw.back()));
    }
    constexpr int kRepetitions = 3;
    for (int i = 0; i < kRepetitions; ++i) {
      find_middle(engine);
      correct(raw);
    }
    find_middle(engine);
  }

  const std::vector<NoiseModel>& models() const { return models_; }
  Eigen::MatrixXd covariance() const {
    const Eigen::MatrixXd& c = statistics_.information.covariance;
    return c * middle_ * c;
  }

 private:
  struct Part {
    Rows rows;
    Eigen::MatrixXd jacobian, spread;  ///< J and ΓJ
  };

  const std::vector<int>& columns(const Part& part) const {
    return statistics_.jacobians[index(part.rows.trial)].columns;
  }

  void find_middle(FitEngine& engine) {
    middle_ = Eigen::MatrixXd::Zero(size_, size_);
    for (Part& part : parts_) {
      part.spread = times_autocovariance(models_[index(part.rows.output)], part.jacobian);
      const Eigen::MatrixXd product = part.jacobian.transpose() * part.spread;
      const std::vector<int>& places = columns(part);
      for (std::size_t a = 0; a < places.size(); ++a) {
        for (std::size_t b = 0; b < places.size(); ++b) {
          middle_(places[a], places[b]) += product(static_cast<Index>(a), static_cast<Index>(b));
        }
      }
    }
    for (std::size_t i = index(engine.unknowns().num_trials()); i < statistics_.jacobians.size();
         ++i) {
      const WeightedJacobian& prior = statistics_.jacobians[i];
      middle_(prior.columns[0], prior.columns[0]) += prior.jacobian(0, 0) * prior.jacobian(0, 0);
    }
  }

  void correct(const std::vector<Autocovariances>& raw) {
    const Eigen::MatrixXd& c = statistics_.information.covariance;
    const Eigen::MatrixXd outer = covariance();
    std::vector<Autocovariances> corrected = raw;
    for (const Part& part : parts_) {
      Autocovariances& own = corrected[index(part.rows.output)];
      const std::vector<int>& places = columns(part);
      const Eigen::MatrixXd by_c = part.jacobian * c(places, places);
      const Eigen::MatrixXd by_outer = part.jacobian * outer(places, places);
      for (std::size_t i = 0; i < own.values.size(); ++i) {
        const Index lag = static_cast<Index>(i), rows = part.jacobian.rows() - lag;
        if (rows <= 0) break;
        const auto sum = [&](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
          return a.topRows(rows).cwiseProduct(b.bottomRows(rows)).sum();
        };
        own.values[i] +=
            (sum(by_c, part.spread) + sum(part.spread, by_c) - sum(by_outer, part.jacobian)) /
            own.count;
      }
    }
    for (std::size_t k = 0; k < models_.size(); ++k) models_[k] = noise_model_of(corrected[k]);
  }

  const FitStatistics& statistics_;
  int size_;
  std::vector<Part> parts_;
  std::vector<NoiseModel> models_;
  Eigen::MatrixXd middle_;
};

/// The covariance of the unknowns of one trial.
Eigen::MatrixXd local_covariance(const FitStatistics& statistics, int trial) {
  const std::vector<int>& columns = statistics.jacobians[index(trial)].columns;
  Eigen::MatrixXd covariance(std::ssize(columns), std::ssize(columns));
  for (std::size_t a = 0; a < columns.size(); ++a) {
    for (std::size_t b = 0; b < columns.size(); ++b) {
      covariance(static_cast<Index>(a), static_cast<Index>(b)) =
          statistics.information.covariance(columns[a], columns[b]);
    }
  }
  return covariance;
}

std::string verdict_of(const Unknowns::Unknown& unknown, double value,
                       const Information& information, int i) {
  if (value == unknown.lower || value == unknown.upper) return "at a bound";
  if (information.scale(i) == 0) return "no effect";
  return information.is_determined(i) ? "identifiable" : "only in combination";
}

/// In standard deviations, by the linearised problem in the unknowns that no bound holds.
double distance_to_minimum(const Unknowns& unknowns, const Eigen::VectorXd& x,
                           const Eigen::VectorXd& gradient, const FitStatistics& statistics) {
  std::vector<bool> is_held(index(unknowns.size()));
  Eigen::VectorXd projected = gradient;
  for (int i = 0; i < unknowns.size(); ++i) {
    const Unknowns::Unknown& unknown = unknowns.list()[index(i)];
    is_held[index(i)] = is_held_by_bound(x(i), unknown.lower, unknown.upper, gradient(i));
    if (is_held[index(i)]) projected(i) = 0;
  }
  const auto distance = [&projected](const Information& information) {
    return std::sqrt(std::max(projected.dot(information.covariance * projected), 0.0));
  };
  if (std::find(is_held.begin(), is_held.end(), true) == is_held.end()) {
    return distance(statistics.information);
  }
  std::vector<WeightedJacobian> free = statistics.jacobians;
  for (WeightedJacobian& one : free) {
    for (std::size_t j = 0; j < one.columns.size(); ++j) {
      if (is_held[index(one.columns[j])]) one.jacobian.col(static_cast<Index>(j)).setZero();
    }
  }
  return distance(information_of(unknowns.size(), free));
}

Interval interval_of(double value, double half_width, const Unknowns::Unknown& unknown) {
  return {std::max(value - half_width, unknown.lower), std::min(value + half_width, unknown.upper)};
}

void fill_trials(const FitStatistics& statistics, FitEngine& engine, FitResult& result) {
  const Residuals& residuals = engine.residuals();
  result.trials.clear();
  for (int trial = 0; trial < residuals.num_trials(); ++trial) {
    const Recording& recording = residuals.recording(trial);
    const TrialResiduals& own = statistics.residuals[index(trial)];
    const Eigen::MatrixXd covariance = local_covariance(statistics, trial);
    const Eigen::VectorXd variances =
        (own.jacobian * covariance).cwiseProduct(own.jacobian).rowwise().sum();
    FittedTrial& fitted = result.trials.emplace_back();
    fitted.name = recording.name;
    Index place = 0, row = 0;
    for (const Series& series : recording.series) {
      FittedSeries& one = fitted.series.emplace_back();
      one.measured = series;
      const Index samples = std::ssize(series.times);
      const Index values = samples * series.width(), rows = samples * series.residual_size();
      const auto computed = own.predicted.segment(place, values);
      const auto differences = own.values.segment(row, rows);
      one.computed.assign(computed.begin(), computed.end());
      one.residuals.assign(differences.begin(), differences.end());
      for (Index i = 0; i < rows; ++i) {
        one.band.push_back(std::sqrt(std::max(variances(row + i), 0.0)));
      }
      place += values;
      row += rows;
    }
  }
}

/// With the levels of noise that make the likelihood largest, where they are estimated.
void fill_criteria(const FitProblem& problem, const FitStatistics& statistics, FitEngine& engine,
                   FitResult& result) {
  double log_likelihood = 0;
  int estimated = 0;
  for (std::size_t k = 0; k < result.outputs.size(); ++k) {
    const double n = statistics.counts[k];
    const bool is_given = problem.noise.contains(result.outputs[k].output);
    const double variance =
        is_given ? engine.noise()[k] * engine.noise()[k] : std::max(statistics.sums[k] / n, 1e-300);
    log_likelihood -=
        0.5 * (n * std::log(2 * std::numbers::pi * variance) + statistics.sums[k] / variance);
    estimated += is_given ? 0 : 1;
  }
  const double n = result.num_residuals, k = statistics.information.rank() + estimated;
  result.log_likelihood = log_likelihood;
  result.aic = 2 * k - 2 * log_likelihood;
  result.aicc = n - k - 1 > 0 ? result.aic + 2 * k * (k + 1) / (n - k - 1)
                              : std::numeric_limits<double>::infinity();
  result.bic = k * std::log(n) - 2 * log_likelihood;
}

}  // namespace

FitStatistics statistics_at(FitEngine& engine, const Eigen::VectorXd& x) {
  FitStatistics result;
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(x.size());
  Residuals& residuals = engine.residuals();
  const std::size_t outputs = residuals.outputs().size();
  result.sums.assign(outputs, 0);
  result.counts.assign(outputs, 0);
  for (int trial = 0; trial < residuals.num_trials(); ++trial) {
    result.residuals.push_back(engine.evaluate(trial, x, true));
    TrialResiduals over_noise = result.residuals.back();
    weigh(residuals.recording(trial), residuals.outputs_of(trial), engine.noise(),
          engine.options().loss, over_noise);
    WeightedJacobian& one = result.jacobians.emplace_back();
    for (int j = 0; j < engine.unknowns().num_local(trial); ++j) {
      one.columns.push_back(engine.unknowns().global(trial, j));
    }
    one.jacobian = over_noise.jacobian;
    const Eigen::VectorXd own = over_noise.jacobian.transpose() * over_noise.values;
    for (std::size_t j = 0; j < one.columns.size(); ++j) {
      gradient(one.columns[j]) += own(static_cast<Index>(j));
    }
  }
  for (int i = 0; i < engine.unknowns().size(); ++i) {
    const Unknowns::Unknown& unknown = engine.unknowns().list()[index(i)];
    if (unknown.prior) {
      const double std = unknown.prior->std;
      result.jacobians.push_back({{i}, Eigen::MatrixXd::Constant(1, 1, 1 / std)});
      gradient(i) += (x(i) - unknown.prior->value) / (std * std);
    }
  }
  result.information = information_of(engine.unknowns().size(), result.jacobians);
  result.distance_to_minimum = distance_to_minimum(engine.unknowns(), x, gradient, result);

  for (int trial = 0; trial < residuals.num_trials(); ++trial) {
    const Eigen::VectorXd& values = result.residuals[index(trial)].values;
    for (Index i = 0; i < values.size(); ++i) {
      const std::size_t k = index(residuals.outputs_of(trial)[static_cast<std::size_t>(i)]);
      result.sums[k] += values(i) * values(i);
      result.counts[k] += 1;
    }
  }
  update_leverage(engine, result);
  return result;
}

void update_leverage(FitEngine& engine, FitStatistics& statistics) {
  const Residuals& residuals = engine.residuals();
  statistics.leverage.assign(residuals.outputs().size(), 0);
  for (int trial = 0; trial < residuals.num_trials(); ++trial) {
    const Eigen::MatrixXd& jacobian = statistics.jacobians[index(trial)].jacobian;
    const Eigen::VectorXd leverage =
        (jacobian * local_covariance(statistics, trial)).cwiseProduct(jacobian).rowwise().sum();
    for (Index i = 0; i < leverage.size(); ++i) {
      const int output = residuals.outputs_of(trial)[static_cast<std::size_t>(i)];
      statistics.leverage[index(output)] += leverage(i);
    }
  }
}

std::vector<double> estimated_noise(const FitProblem& problem, FitEngine& engine,
                                    const FitStatistics& statistics) {
  const Residuals& residuals = engine.residuals();
  std::vector<double> noise = engine.noise();
  for (std::size_t k = 0; k < noise.size(); ++k) {
    if (problem.noise.contains(residuals.outputs()[k])) continue;
    double estimate = 0;
    if (engine.options().loss.kind == Loss::Kind::kSquares) {
      const double freedom = std::max(statistics.counts[k] - statistics.leverage[k], 1.0);
      estimate = std::sqrt(statistics.sums[k] / freedom);
    } else {
      std::vector<double> magnitudes;
      for (int trial = 0; trial < residuals.num_trials(); ++trial) {
        const Eigen::VectorXd& values = statistics.residuals[index(trial)].values;
        for (Index i = 0; i < values.size(); ++i) {
          const int output = residuals.outputs_of(trial)[static_cast<std::size_t>(i)];
          if (output == static_cast<int>(k)) magnitudes.push_back(std::abs(values(i)));
        }
      }
      const auto middle = magnitudes.begin() + std::ssize(magnitudes) / 2;
      std::nth_element(magnitudes.begin(), middle, magnitudes.end());
      // The median of the magnitude of a normal number.
      estimate = *middle / 0.674489750196082;
    }
    // Data without noise, computed by the same runs, must not be divided by zero.
    constexpr double kLeast = 1e-14;
    noise[k] = std::max(estimate, kLeast);
  }
  return noise;
}

void report(const FitProblem& problem, FitEngine& engine, const Eigen::VectorXd& x,
            const FitStatistics& statistics, FitResult& result) {
  const Unknowns& unknowns = engine.unknowns();
  const Information& information = statistics.information;
  result.num_residuals = engine.residuals().num_residuals();
  result.rank = information.rank();
  result.outputs.clear();
  bool noise_is_given = true;
  for (std::size_t k = 0; k < engine.noise().size(); ++k) {
    OutputFit& output = result.outputs.emplace_back();
    output.output = engine.residuals().outputs()[k];
    output.num_residuals = statistics.counts[k];
    output.residual_rms = std::sqrt(statistics.sums[k] / statistics.counts[k]);
    output.noise = engine.noise()[k];
    output.noise_is_given = problem.noise.contains(output.output);
    noise_is_given = noise_is_given && output.noise_is_given;
  }
  result.covariance = information.covariance;
  result.correlation = correlation_of(information);
  const Sandwich sandwich(engine, statistics);
  result.sandwich_covariance = sandwich.covariance();
  for (std::size_t k = 0; k < result.outputs.size(); ++k) {
    const NoiseModel& model = sandwich.models()[k];
    result.outputs[k].lag_one_correlation = model.lag_one;
    result.outputs[k].is_correlated = model.is_correlated();
    result.outputs[k].effective_samples = model.effective_samples;
  }

  const double freedom = result.num_residuals - result.rank;
  const double quantile = student_t_quantile(
      0.975, noise_is_given || freedom < 1 ? std::numeric_limits<double>::infinity() : freedom);
  const bool is_correlated =
      std::any_of(result.outputs.begin(), result.outputs.end(),
                  [](const OutputFit& output) { return output.is_correlated; });
  result.parameters.clear();
  for (int i = 0; i < unknowns.size(); ++i) {
    const Unknowns::Unknown& unknown = unknowns.list()[index(i)];
    Estimate& estimate = result.parameters.emplace_back();
    estimate.name = unknown.name;
    estimate.value = x(i);
    estimate.start = unknown.start;
    estimate.std = information.std(i);
    estimate.ci95 = interval_of(x(i), quantile * estimate.std, unknown);
    estimate.sandwich_std = !is_correlated || !information.is_determined(i)
                                ? estimate.std
                                : std::sqrt(result.sandwich_covariance(i, i));
    estimate.sandwich_ci95 = interval_of(x(i), quantile * estimate.sandwich_std, unknown);
    estimate.verdict = verdict_of(unknown, x(i), information, i);
  }
  result.undetermined = undetermined_combinations(information, unknowns.names(), x);
  fill_trials(statistics, engine, result);
  fill_criteria(problem, statistics, engine, result);
}

}  // namespace liegrad::optimize
