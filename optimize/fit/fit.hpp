#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/optimize/fit/information.hpp"
#include "liegrad/optimize/fit/least_squares.hpp"
#include "liegrad/optimize/fit/loss.hpp"
#include "liegrad/optimize/fit/problem.hpp"
#include "liegrad/sensitivity/differentiate.hpp"

namespace liegrad::optimize {

struct FitOptions {
  /// Method and steps of the runs; their times follow from the data. Where both are left open runs have the explicit
  /// method rkmk-54, or radau-3 in systems that are stiff or not for it. Where steps are left open they follow the error, at
  /// a tolerance that is chosen by the noise: runs with a tenth of it must not move the estimates by more than a
  /// twentieth of a standard deviation. In multiple shooting it is 1e-8.
  dae::IntegrateOptions run;
  /// Forward or adjoint by the numbers of unknowns and samples, unless given; differences to compare with.
  std::optional<sensitivity::Mode> jacobian = {};
  Loss loss;
  LeastSquaresOptions solver;
  /// Multiple shooting: trials are cut into pieces of about that length, whose initial values are unknowns and which
  /// meet at the end. 0: one run for each trial.
  double piece = 0;
  /// Initial values that are unknown and have no given start are first fitted to the first samples of each trial.
  bool start_from_data = true;
  /// A first estimate of the shared unknowns from the equations of motion on smoothed data, see start_by_regression().
  bool start_by_regression = false;
  /// Starts of all unknowns by fits with forces that pull runs to the data and fade, see start_by_tracking().
  bool start_by_tracking = false;
  /// Of fits with noise levels from the one before.
  int max_noise_rounds = 20;

  /// One sentence for each mistake; empty when usable.
  std::vector<std::string> problems() const;
};

/// An interval with 95 % probability.
struct Interval {
  double lower = 0, upper = 0;
};

/// An unknown as it was found.
struct Estimate {
  std::string name;
  double value = 0, start = 0;
  double std = 0;  ///< infinite where data do not determine it
  Interval ci95;   ///< by Student's distribution where noise was estimated
  /// With the autocorrelation of residuals (the sandwich), equal to the above where they are white.
  double sandwich_std = 0;
  Interval sandwich_ci95;
  /// "identifiable", "at a bound", "no effect", "only in combination"; after a profile "one-sided" or "flat".
  std::string verdict;
};

/// What the residuals of an output look like. Numbers are for one component; orientations in rad.
struct OutputFit {
  std::string output;
  double residual_rms = 0;
  double noise = 0;  ///< standard deviation, given or estimated
  bool noise_is_given = false;
  int num_residuals = 0;
  double lag_one_correlation = 0;
  bool is_correlated = false;
  double effective_samples = 0;
};

/// Measured and computed values of one series of one trial.
struct FittedSeries {
  Series measured;
  std::vector<double> computed;   ///< as Series::values
  std::vector<double> residuals;  ///< for each time one, or three of an orientation
  std::vector<double> band;       ///< standard deviation of what was computed, as residuals
};

struct FittedTrial {
  std::string name;
  std::vector<FittedSeries> series;
  double t_start = 0;        ///< of its run
  dae::InitialValues start;  ///< what its run starts from
};

struct FitResult {
  bool converged = false, was_stopped = false;
  std::string message = "fit() was not called";
  std::vector<Estimate> parameters;
  Eigen::MatrixXd covariance, correlation, sandwich_covariance;
  std::vector<OutputFit> outputs;
  std::vector<Undetermined> undetermined;
  std::vector<std::string> findings;
  std::vector<FittedTrial> trials;
  int iterations = 0, noise_rounds = 0;
  int num_pieces = 0;      ///< runs of all trials, more than trials in multiple shooting
  double largest_gap = 0;  ///< between pieces, in coordinates of the nodes and their velocities
  long evaluations = 0;    ///< runs of trials
  long differentiated_evaluations = 0;  ///< those with derivatives
  long failed_evaluations = 0;
  std::string last_failure;
  double cost = 0;           ///< half the sum of squares of residuals over noise
  double gradient_norm = 0;  ///< largest entry at the end
  double log_likelihood = 0, aic = 0, aicc = 0, bic = 0;
  int num_residuals = 0, rank = 0;
  sensitivity::Mode jacobian_used = sensitivity::Mode::kForward;
  std::string method;             ///< of the runs, "rkmk-54"
  std::string reason_for_method;  ///< where the options left it open; otherwise empty
  /// Relative tolerance of steps that the options left open; 0 where they did not.
  double tolerance = 0;
  /// How far estimates move with a tenth of it, in standard deviations, where that is known.
  std::optional<double> integration_shift = {};
  double wall_seconds = 0, evaluation_seconds = 0;

  const Estimate& operator[](const std::string& name) const;
  const OutputFit& output(const std::string& name) const;
};

/// How the runs of a fit were made, with the method and the tolerance that it chose.
FitOptions with_runs_of(const FitResult& result, const FitOptions& options);

/// Finds the unknowns whose runs fit the measurements best, weighted by their noise, with intervals and a word on what the
/// data cannot tell. Throws InvalidArgument for bad input, and Error when the runs from the start fail. A search
/// that does not converge returns what it has, with a message.
FitResult fit(const FitProblem& problem, const FitOptions& options);

}  // namespace liegrad::optimize
