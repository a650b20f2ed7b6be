#pragma once

#include <vector>

#include <Eigen/Core>

namespace liegrad::optimize {

/// Noise of one output whose values may depend on those before them: an autoregressive process
/// e_n = φ_1 e_{n-1} + … + φ_k e_{n-k} + white noise, found from residuals.
struct NoiseModel {
  std::vector<double> coefficients;    ///< φ; none for white noise
  std::vector<double> autocovariance;  ///< γ_0, γ_1, … until they are negligible
  double lag_one = 0;                  ///< correlation of neighbours
  double limit = 0;  ///< of a lag-one correlation that white noise has in 95 % of the cases
  double effective_samples = 0;  ///< N/(1 + 2 Σ ρ_l)

  bool is_correlated() const { return !coefficients.empty(); }
};

/// Autocovariances of residuals up to a lag, pooled over sequences and divided by the number of all residuals, so that
/// they are those of some process.
struct Autocovariances {
  std::vector<double> values;  ///< γ_0, γ_1, …
  double count = 0;            ///< of residuals
  Eigen::Index longest = 0;    ///< sequence
};
Autocovariances autocovariances_of(const std::vector<Eigen::VectorXd>& sequences);

/// By the equations of Yule and Walker; the order is that of the least BIC.
NoiseModel noise_model_of(const Autocovariances& given);

/// Γ X for each column of X, where Γ_nm = γ_|n-m|.
Eigen::MatrixXd times_autocovariance(const NoiseModel& model, const Eigen::MatrixXd& x);

}  // namespace liegrad::optimize
