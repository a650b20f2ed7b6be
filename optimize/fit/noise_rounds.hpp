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

  /// Moves x to the minimum, and tells the result how.
  void run(Eigen::VectorXd& x, FitResult& result);

 private:
  /// For one level of noise, with statistics there.
  LeastSquaresSummary minimise(Eigen::VectorXd& x, FitResult& result);

  const FitProblem& problem_;
  FitEngine engine_;
  FitStatistics statistics_;
  bool has_settled_ = false;
};

}  // namespace liegrad::optimize
