#pragma once

#include "liegrad/optimize/fit/engine.hpp"

namespace liegrad::optimize {

/// What residuals and Jacobians at the minimum say.
struct FitStatistics {
  std::vector<TrialResiduals> residuals;  ///< in units, with Jacobians
  /// By trial, rows over noise: J F with the covariance F Fᵀ.
  std::vector<Eigen::MatrixXd> spreads;
  Information information;
  std::vector<double> leverage;  ///< by output: how many unknowns its residuals determine
  std::vector<double> sums;      ///< by output: sum of squares of residuals, in units
  std::vector<int> counts;       ///< by output
  /// √(gᵀ C g), g the gradient and C the covariance: how far the minimum is, in standard deviations. Unknowns at a
  /// bound do not count.
  double distance_to_minimum = 0;
  bool is_held = false;                ///< whether a bound holds an unknown
  Information free;                    ///< of the unknowns that no bound holds
  Eigen::VectorXd along;               ///< Fᵀg, with the directions of `free`
  double cost = 0, gradient_norm = 0;  ///< half the sum of squares, and the largest entry of g
  double least_effect = 0;  ///< FitEngine::least_effect() of the runs that were differentiated
};

/// With the Jacobians of `nearby`, if there is one, so that no run is differentiated. Throws Error when a run fails.
FitStatistics statistics_at(FitEngine& engine, const Eigen::VectorXd& x,
                            const FitStatistics* nearby = nullptr);

/// Fills estimates, covariances, outputs, trials and criteria.
void report(const FitProblem& problem, FitEngine& engine, const Eigen::VectorXd& x,
            const FitStatistics& statistics, FitResult& result);

}  // namespace liegrad::optimize
