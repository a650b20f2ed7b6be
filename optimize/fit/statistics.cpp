#include "liegrad/optimize/fit/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/optimize/fit/active_bounds.hpp"
#include "liegrad/optimize/fit/multiple_shooting.hpp"
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

/// J F of the rows of a trial: their derivatives along the directions that data determine, in standard deviations. The
/// covariance of what J maps to is JF (JF)ᵀ; without squaring it keeps the digits that the product J C Jᵀ would cancel.
Eigen::MatrixXd spread_of(const FitEngine& engine, const Information& information, int trial,
                          const Eigen::MatrixXd& jacobian) {
  const Unknowns& unknowns = engine.unknowns();
  const Index local = unknowns.num_local(trial);
  std::vector<int> columns;
  for (int j = 0; j < local; ++j) columns.push_back(unknowns.global(trial, j));
  Eigen::MatrixXd result = jacobian.leftCols(local) * information.factor(columns, Eigen::all);
  if (jacobian.cols() == local) return result;
  const std::vector<int> pieces = engine.residuals().pieces_of_rows(trial);
  const auto& factors = information.node_factors[index(trial)];
  for (Index i = 0; i < jacobian.rows(); ++i) {
    const int piece = pieces[static_cast<std::size_t>(i)];
    if (piece == 0) continue;
    result.row(i) += jacobian.row(i).tail(jacobian.cols() - local) * factors[index(piece - 1)];
  }
  return result;
}

/// The covariance of estimates from the autocorrelation of residuals, C (Σ JᵀΓJ) C: the sandwich. With W = J F and
/// C = F Fᵀ it is F (Σ WᵀΓW) Fᵀ.
///
/// Residuals are not the noise: the fit took a part of it, E[r rᵀ] = (I-H) Γ (I-H) with H = W Wᵀ, so that their
/// autocovariances are too small. What is missing is computed from the model of the noise that they give and added, which is
/// repeated.
class Sandwich {
 public:
  Sandwich(FitEngine& engine, const FitStatistics& statistics) : statistics_(statistics) {
    const Residuals& residuals = engine.residuals();
    const std::size_t outputs = residuals.outputs().size();
    std::vector<std::vector<Eigen::VectorXd>> sequences(outputs);
    for (const Rows& rows : rows_of(residuals)) {
      const std::size_t k = index(rows.output);
      sequences[k].emplace_back(taken(statistics.residuals[index(rows.trial)].values, rows) /
                                engine.noise()[k]);
      parts_.push_back({rows, taken(statistics.spreads[index(rows.trial)], rows), {}});
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
    const Eigen::MatrixXd& factor = statistics_.information.factor;
    return factor * middle_ * factor.transpose();
  }

 private:
  struct Part {
    Rows rows;
    Eigen::MatrixXd spread, correlated;  ///< W and ΓW
  };

  void find_middle(FitEngine& engine) {
    const Index directions = statistics_.information.factor.cols();
    middle_ = Eigen::MatrixXd::Zero(directions, directions);
    for (Part& part : parts_) {
      part.correlated = times_autocovariance(models_[index(part.rows.output)], part.spread);
      middle_ += part.spread.transpose() * part.correlated;
    }
    for (int i = 0; i < engine.unknowns().size(); ++i) {
      const auto& prior = engine.unknowns().list()[index(i)].prior;
      if (!prior) continue;
      const Eigen::RowVectorXd own = statistics_.information.factor.row(i) / prior->std;
      middle_ += own.transpose() * own;
    }
  }

  void correct(const std::vector<Autocovariances>& raw) {
    std::vector<Autocovariances> corrected = raw;
    for (const Part& part : parts_) {
      Autocovariances& own = corrected[index(part.rows.output)];
      const Eigen::MatrixXd by_middle = part.spread * middle_;
      for (std::size_t i = 0; i < own.values.size(); ++i) {
        const Index lag = static_cast<Index>(i), rows = part.spread.rows() - lag;
        if (rows <= 0) break;
        const auto sum = [&](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
          return a.topRows(rows).cwiseProduct(b.bottomRows(rows)).sum();
        };
        own.values[i] += (sum(part.spread, part.correlated) + sum(part.correlated, part.spread) -
                          sum(by_middle, part.spread)) /
                         own.count;
      }
    }
    for (std::size_t k = 0; k < models_.size(); ++k) models_[k] = noise_model_of(corrected[k]);
  }

  const FitStatistics& statistics_;
  std::vector<Part> parts_;
  std::vector<NoiseModel> models_;
  Eigen::MatrixXd middle_;
};

std::string verdict_of(const Unknowns::Unknown& unknown, double value,
                       const Information& information, int i) {
  if (value == unknown.lower || value == unknown.upper) return "at a bound";
  if (information.scale(i) == 0) return "no effect";
  return information.is_determined(i) ? "identifiable" : "only in combination";
}

Interval interval_of(double value, double half_width, const Unknowns::Unknown& unknown) {
  return {std::max(value - half_width, unknown.lower), std::min(value + half_width, unknown.upper)};
}

void fill_trials(const FitStatistics& statistics, FitEngine& engine, const Eigen::VectorXd& x,
                 FitResult& result) {
  Residuals& residuals = engine.residuals();
  const Unknowns& unknowns = engine.unknowns();
  result.trials.clear();
  for (int trial = 0; trial < residuals.num_trials(); ++trial) {
    const Recording& recording = residuals.recording(trial);
    const TrialResiduals& own = statistics.residuals[index(trial)];
    const Eigen::VectorXd deviations =
        spread_of(engine, statistics.information, trial, own.jacobian).rowwise().norm();
    FittedTrial& fitted = result.trials.emplace_back();
    fitted.name = recording.name;
    fitted.t_start = residuals.trial(trial).t_start();
    fitted.start = residuals.trial(trial).start(unknowns.inputs(trial, unknowns.local(trial, x)));
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
      one.band.assign(deviations.begin() + row, deviations.begin() + row + rows);
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

/// Of the unknowns without those that are held, which then have no effect.
Information information_at(FitEngine& engine, const std::vector<TrialResiduals>& weighted,
                           const std::vector<int>& held) {
  if (engine.residuals().has_nodes()) return information_with_nodes(engine, weighted, held);
  std::vector<WeightedJacobian> jacobians;
  const auto add = [&](const std::vector<int>& columns, const Eigen::MatrixXd& jacobian) {
    WeightedJacobian& one = jacobians.emplace_back(columns, jacobian);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const bool is_held = std::find(held.begin(), held.end(), columns[j]) != held.end();
      if (is_held) one.jacobian.col(static_cast<Index>(j)).setZero();
    }
  };
  const Unknowns& unknowns = engine.unknowns();
  for (int trial = 0; trial < unknowns.num_trials(); ++trial) {
    std::vector<int> columns;
    for (int j = 0; j < unknowns.num_local(trial); ++j)
      columns.push_back(unknowns.global(trial, j));
    add(columns, weighted[index(trial)].jacobian);
  }
  for (int i = 0; i < unknowns.size(); ++i) {
    const auto& prior = unknowns.list()[index(i)].prior;
    if (prior) add({i}, Eigen::MatrixXd::Constant(1, 1, 1 / prior->std));
  }
  return information_of(unknowns.size(), jacobians);
}

}  // namespace

FitStatistics statistics_at(FitEngine& engine, const Eigen::VectorXd& x,
                            const FitStatistics* nearby) {
  FitStatistics result;
  result.least_effect = nearby != nullptr ? nearby->least_effect : engine.least_effect();
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(x.size());
  Residuals& residuals = engine.residuals();
  const std::size_t outputs = residuals.outputs().size();
  result.sums.assign(outputs, 0);
  result.counts.assign(outputs, 0);
  std::vector<TrialResiduals> weighted;
  for (int trial = 0; trial < residuals.num_trials(); ++trial) {
    TrialResiduals& own =
        result.residuals.emplace_back(engine.evaluate(trial, x, nearby == nullptr));
    if (nearby != nullptr) own.jacobian = nearby->residuals[index(trial)].jacobian;
    TrialResiduals& over_noise = weighted.emplace_back(own);
    weigh(residuals.recording(trial), residuals.outputs_of(trial), engine.noise(),
          engine.options().loss, over_noise);
    for (int j = 0; j < engine.unknowns().num_local(trial); ++j) {
      gradient(engine.unknowns().global(trial, j)) +=
          over_noise.jacobian.col(j).dot(over_noise.values);
    }
    result.cost += 0.5 * over_noise.values.squaredNorm();
  }
  for (int i = 0; i < engine.unknowns().size(); ++i) {
    const Unknowns::Unknown& unknown = engine.unknowns().list()[index(i)];
    if (!unknown.prior) continue;
    const double std = unknown.prior->std, distance = (x(i) - unknown.prior->value) / std;
    gradient(i) += distance / std;
    result.cost += 0.5 * distance * distance;
  }
  std::vector<int> held;
  for (int i = 0; i < engine.unknowns().size(); ++i) {
    const Unknowns::Unknown& unknown = engine.unknowns().list()[index(i)];
    // With nodes the gradient is that along continuous pieces; the search itself minded the bounds.
    const bool is_held = residuals.has_nodes()
                             ? x(i) == unknown.lower || x(i) == unknown.upper
                             : is_held_by_bound(x(i), unknown.lower, unknown.upper, gradient(i));
    if (is_held) held.push_back(i);
  }
  result.information = information_at(engine, weighted, {});
  result.is_held = !held.empty();
  result.gradient_norm = gradient.size() > 0 ? gradient.cwiseAbs().maxCoeff() : 0;
  // In standard deviations, in the unknowns that no bound holds.
  result.free = held.empty() ? result.information : information_at(engine, weighted, held);
  const Information& free = result.free;
  Eigen::VectorXd& along = result.along;
  along.setZero(free.factor.cols());
  for (int trial = 0; trial < residuals.num_trials(); ++trial) {
    const TrialResiduals& own = weighted[index(trial)];
    along += spread_of(engine, free, trial, own.jacobian).transpose() * own.values;
    result.spreads.push_back(spread_of(engine, result.information, trial, own.jacobian));
  }
  for (int i = 0; i < engine.unknowns().size(); ++i) {
    const auto& prior = engine.unknowns().list()[index(i)].prior;
    if (!prior) continue;
    along += free.factor.row(i).transpose() * (x(i) - prior->value) / (prior->std * prior->std);
  }
  result.distance_to_minimum = along.norm();

  result.leverage.assign(outputs, 0);
  for (int trial = 0; trial < residuals.num_trials(); ++trial) {
    const Eigen::VectorXd& values = result.residuals[index(trial)].values;
    const Eigen::VectorXd leverage = result.spreads[index(trial)].rowwise().squaredNorm();
    for (Index i = 0; i < values.size(); ++i) {
      const std::size_t k = index(residuals.outputs_of(trial)[static_cast<std::size_t>(i)]);
      result.sums[k] += values(i) * values(i);
      result.counts[k] += 1;
      result.leverage[k] += leverage(i);
    }
  }
  return result;
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
  fill_trials(statistics, engine, x, result);
  fill_criteria(problem, statistics, engine, result);
}

}  // namespace liegrad::optimize
