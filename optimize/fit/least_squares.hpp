#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

namespace liegrad::optimize {

/// Consecutive entries of a vector.
struct Range {
  int first = 0, size = 0;
};

/// Residuals that depend on some parts of x. evaluate() gets these parts one after the other and returns false where
/// the residuals do not exist; the Jacobian is wanted when it is not null.
struct ResidualBlock {
  std::vector<Range> parts;
  int rows = 0;
  std::function<bool(const Eigen::VectorXd& local, Eigen::VectorXd& residuals,
                     Eigen::MatrixXd* jacobian)>
      evaluate;
};

/// Minimises the sum of squares of all residuals over 2, within bounds.
struct LeastSquaresProblem {
  std::vector<Range> parts;  ///< of x, each as a whole in a block or not
  Eigen::VectorXd lower, upper;
  std::vector<ResidualBlock> blocks;
  std::vector<int> fixed = {};  ///< entries of x that keep their values
};

enum class TrustRegion { kLevenbergMarquardt, kDogleg };

struct LeastSquaresOptions {
  TrustRegion trust_region = TrustRegion::kLevenbergMarquardt;
  int max_iterations = 200;
  double function_tolerance = 1e-14, parameter_tolerance = 1e-11, gradient_tolerance = 1e-13;
  /// How far derivatives see the minimum where a search ends, in standard deviations of the noise that residuals show.
  double distance = 1e-6;
  int threads = 1;
  struct Iteration {
    int number = 0;
    double cost = 0, step_norm = 0, gradient_norm = 0, seconds = 0;
    bool is_accepted = false;
  };
  /// Called after each iteration with the best x so far; false ends the search there.
  std::function<bool(const Iteration&, const Eigen::VectorXd& x)> on_iteration = {};
};

struct LeastSquaresSummary {
  bool converged = false, was_stopped = false;
  std::string message;
  int iterations = 0;
  double initial_cost = 0, cost = 0, gradient_norm = 0;
  double seconds = 0, evaluation_seconds = 0;
};

/// By Ceres, with the Jacobians of the blocks. x is the start and then the minimum.
LeastSquaresSummary minimise(const LeastSquaresProblem& problem, const LeastSquaresOptions& options,
                             Eigen::VectorXd& x);

}  // namespace liegrad::optimize
