#pragma once

#include <string>
#include <vector>

#include "liegrad/optimize/fit/admissible_inertia.hpp"
#include "liegrad/optimize/fit/fit.hpp"
#include "liegrad/optimize/fit/residuals.hpp"

namespace liegrad::optimize {

/// The least-squares problem behind a fit: residuals over noise and priors as a function of all unknowns, for given
/// levels of noise.
class FitEngine {
 public:
  FitEngine(const FitProblem& problem, const FitOptions& options);

  const Unknowns& unknowns() const { return unknowns_; }
  Residuals& residuals() { return residuals_; }
  const Residuals& residuals() const { return residuals_; }
  const FitOptions& options() const { return options_; }
  /// Of the error of all runs that follow. Precondition: steps follow the error.
  void set_tolerance(double tolerance);
  /// Of the largest, of directions of unknowns: what is less may be the error of derivatives.
  double least_effect() const;
  const AdmissibleInertia& admissible() const { return admissible_; }
  sensitivity::Mode mode() const { return mode_; }

  /// Standard deviations by Residuals::outputs().
  std::vector<double>& noise() { return noise_; }
  const std::vector<double>& noise() const { return noise_; }

  /// All residuals of a trial with derivatives, in their units. Throws Error when a run fails.
  TrialResiduals evaluate(int trial, const Eigen::VectorXd& x, bool with_jacobian);
  /// The same, over noise and with the loss.
  TrialResiduals weighted(int trial, const Eigen::VectorXd& x, bool with_jacobian);
  /// Infinite where a run fails.
  double cost(const Eigen::VectorXd& x);
  /// x is the start and then the minimum; `fixed` entries stay.
  LeastSquaresSummary minimise(Eigen::VectorXd& x, const std::vector<int>& fixed = {},
                               const LeastSquaresOptions* options = nullptr);

  void count_failure(const std::string& what) {
    failed_ += 1;
    last_failure_ = what;
  }
  long failed_evaluations() const { return failed_; }
  const std::string& last_failure() const { return last_failure_; }

 private:
  LeastSquaresProblem least_squares(const std::vector<int>& fixed);

  FitOptions options_;
  Unknowns unknowns_;
  AdmissibleInertia admissible_;
  sensitivity::Mode mode_;
  Residuals residuals_;
  std::vector<double> noise_;
  long failed_ = 0;
  std::string last_failure_;
};

}  // namespace liegrad::optimize
