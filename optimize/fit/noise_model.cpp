#include "liegrad/optimize/fit/noise_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace liegrad::optimize {
namespace {

/// Divided by the number of all residuals, so that they are those of some process.
std::vector<double> pooled_autocovariance(const std::vector<Eigen::VectorXd>& sequences, int lags,
                                          double count) {
  std::vector<double> gamma;
  for (int lag = 0; lag <= lags; ++lag) {
    double sum = 0;
    for (const Eigen::VectorXd& r : sequences) {
      if (r.size() <= lag) continue;
      sum += r.head(r.size() - lag).dot(r.tail(r.size() - lag));
    }
    gamma.push_back(sum / count);
  }
  return gamma;
}

}  // namespace

NoiseModel noise_model_of(const std::vector<Eigen::VectorXd>& sequences, double freedom) {
  double count = 0;
  Eigen::Index longest = 0;
  for (const Eigen::VectorXd& r : sequences) {
    count += static_cast<double>(r.size());
    longest = std::max(longest, r.size());
  }
  NoiseModel model;
  const int most =
      static_cast<int>(std::min<double>({10, static_cast<double>(longest) / 4, count / 10}));
  const std::vector<double> gamma = pooled_autocovariance(sequences, std::max(most, 1), count);
  // What the fit took from the residuals.
  const double variance = gamma[0] * count / std::max(freedom, 1.0);
  model.lag_one = gamma[0] > 0 ? gamma[1] / gamma[0] : 0;
  model.limit = 1.96 / std::sqrt(count);
  model.effective_samples = count;
  model.autocovariance = {variance};
  if (!(gamma[0] > 0) || std::abs(model.lag_one) < model.limit) return model;

  // Levinson's recursion gives the coefficients of all orders.
  std::vector<double> phi;
  double error = gamma[0];
  double best = count * std::log(error);
  for (int k = 1; k <= most; ++k) {
    double numerator = gamma[static_cast<std::size_t>(k)];
    for (int i = 1; i < k; ++i) {
      numerator -= phi[static_cast<std::size_t>(i - 1)] * gamma[static_cast<std::size_t>(k - i)];
    }
    const double reflection = numerator / error;
    std::vector<double> next = phi;
    for (std::size_t i = 0; i < phi.size(); ++i) {
      next[i] = phi[i] - reflection * phi[phi.size() - 1 - i];
    }
    next.push_back(reflection);
    phi = next;
    error *= 1 - reflection * reflection;
    const double bic = count * std::log(error) + k * std::log(count);
    if (bic < best) {
      best = bic;
      model.coefficients = phi;
    }
  }
  if (model.coefficients.empty()) return model;

  // Autocovariances of that process, from its own recursion.
  const std::size_t order = model.coefficients.size();
  double sum = 0;
  for (std::size_t lag = 1; lag < static_cast<std::size_t>(longest); ++lag) {
    double value = 0;
    if (lag <= order) {
      value = variance * gamma[lag] / gamma[0];
    } else {
      for (std::size_t i = 0; i < order; ++i) {
        value += model.coefficients[i] * model.autocovariance[lag - 1 - i];
      }
    }
    model.autocovariance.push_back(value);
    sum += value / variance;
    constexpr double kNegligible = 1e-4;
    if (lag > 2 * order && std::abs(value) < kNegligible * variance) break;
  }
  model.effective_samples = count / std::max(1 + 2 * sum, 1 / count);
  return model;
}

Eigen::MatrixXd times_autocovariance(const NoiseModel& model, const Eigen::MatrixXd& x) {
  Eigen::MatrixXd result = model.autocovariance[0] * x;
  const Eigen::Index rows = x.rows();
  for (std::size_t i = 1; i < model.autocovariance.size(); ++i) {
    const Eigen::Index lag = static_cast<Eigen::Index>(i);
    if (lag >= rows) break;
    result.topRows(rows - lag) += model.autocovariance[i] * x.bottomRows(rows - lag);
    result.bottomRows(rows - lag) += model.autocovariance[i] * x.topRows(rows - lag);
  }
  return result;
}

}  // namespace liegrad::optimize
