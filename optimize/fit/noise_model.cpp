#include "liegrad/optimize/fit/noise_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace liegrad::optimize {

Autocovariances autocovariances_of(const std::vector<Eigen::VectorXd>& sequences) {
  Autocovariances result;
  for (const Eigen::VectorXd& r : sequences) {
    result.count += static_cast<double>(r.size());
    result.longest = std::max(result.longest, r.size());
  }
  const double most = std::min({10.0, static_cast<double>(result.longest) / 4, result.count / 10});
  for (Eigen::Index lag = 0; lag <= std::max<Eigen::Index>(static_cast<Eigen::Index>(most), 1);
       ++lag) {
    double sum = 0;
    for (const Eigen::VectorXd& r : sequences) {
      if (r.size() > lag) sum += r.head(r.size() - lag).dot(r.tail(r.size() - lag));
    }
    result.values.push_back(sum / result.count);
  }
  return result;
}

NoiseModel noise_model_of(const Autocovariances& given) {
  const std::vector<double>& gamma = given.values;
  const double count = given.count, variance = gamma[0];
  const int most = static_cast<int>(gamma.size()) - 1;
  NoiseModel model;
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
    if (!(error > 0)) break;  // corrected autocovariances need not be those of a process
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
  for (std::size_t lag = 1; lag < static_cast<std::size_t>(given.longest); ++lag) {
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
  model.effective_samples = count / std::max(1 + 2 * sum, 1.0);
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
