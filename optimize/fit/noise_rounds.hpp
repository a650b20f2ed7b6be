#pragma once

#include "liegrad/optimize/fit/engine.hpp"
#include "liegrad/optimize/fit/fit.hpp"
#include "liegrad/optimize/fit/statistics.hpp"

namespace liegrad::optimize {

/// A search for the unknowns, repeated with the noise that its residuals show until that stays.
class NoiseRounds {
 public:
  /// Precondition: the problem outlives it.
  NoiseRounds(const FitProblem& problem, const FitOptions& options);

  FitEngine& engine() { return engine_; }
  const FitStatistics& statistics() const { return statistics_; }
  /// Whether levels of noise stayed.
  bool has_settled() const { return has_settled_; }

  /// Moves x near the minimum, with estimates of noise, where steps of runs follow the error. run() does it otherwise.
  void approach(Eigen::VectorXd& x, FitResult& result);
  /// Whether x came there; statistics are those at x then.
  bool is_near() const { return is_near_; }
  /// Of all runs that follow. Precondition: x is near the minimum, and steps follow the error.
  void set_tolerance(double tolerance, const Eigen::VectorXd& x);
  /// Moves x to the minimum, and tells the result how.
  void run(Eigen::VectorXd& x, FitResult& result);

 private:
  // All with statistics where they end.

  /// For one level of noise.
  void minimise(Eigen::VectorXd& x, FitResult& result);
  LeastSquaresSummary search(const LeastSquaresOptions& how, Eigen::VectorXd& x, FitResult& result);
  /// Whether final steps came to the minimum, or were stopped by the user.
  bool arrives(int max_iterations, Eigen::VectorXd& x, FitResult& result);
  void set_noise(const std::vector<double>& noise, const Eigen::VectorXd& x);
  bool follows_error() const;

  const FitProblem& problem_;
  FitEngine engine_;
  FitStatistics statistics_;
  bool is_near_ = false;  ///< to a minimum, that of other levels of noise or with another tolerance
  bool has_approached_ = false, has_ended_ = false;
  int approach_iterations_ = 0;  ///< that the first round has less
  bool has_settled_ = false;
};

}  // namespace liegrad::optimize
