#include "liegrad/optimize/fit/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <ceres/ceres.h>

#include "liegrad/optimize/fit/information.hpp"

namespace liegrad::optimize {
namespace {

/// A block as Ceres sees it.
class Cost final : public ceres::CostFunction {
 public:
  explicit Cost(const ResidualBlock& block) : block_(block) {
    set_num_residuals(block.rows);
    for (const Range& part : block.parts) mutable_parameter_block_sizes()->push_back(part.size);
  }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    Eigen::Index columns = 0;
    for (const Range& part : block_.parts) columns += part.size;
    Eigen::VectorXd local(columns);
    Eigen::Index first = 0;
    for (std::size_t i = 0; i < block_.parts.size(); ++i) {
      const int size = block_.parts[i].size;
      local.segment(first, size) = Eigen::Map<const Eigen::VectorXd>(parameters[i], size);
      first += size;
    }
    Eigen::VectorXd r;
    Eigen::MatrixXd jacobian;
    const bool succeeds = block_.evaluate(local, r, jacobians != nullptr ? &jacobian : nullptr);
    if (!succeeds || !r.allFinite() || !jacobian.allFinite()) {
      if (has_succeeded_) return false;
      // Ceres would print an error of its own.
      fails_at_start_ = true;
      r = Eigen::VectorXd::Zero(block_.rows);
      jacobian = Eigen::MatrixXd::Zero(block_.rows, columns);
    }
    has_succeeded_ = has_succeeded_ || !fails_at_start_;
    Eigen::Map<Eigen::VectorXd>(residuals, r.size()) = r;
    if (jacobians == nullptr) return true;
    first = 0;
    for (std::size_t i = 0; i < block_.parts.size(); ++i) {
      const int size = block_.parts[i].size;
      if (jacobians[i] != nullptr) {
        using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        // Eigen has vectors of one column in column-major order only; both are the same then.
        if (size == 1) {
          Eigen::Map<Eigen::VectorXd>(jacobians[i], r.size()) = jacobian.col(first);
        } else {
          Eigen::Map<RowMajor>(jacobians[i], r.size(), size) = jacobian.middleCols(first, size);
        }
      }
      first += size;
    }
    residuals_ = std::move(r);
    jacobian_ = std::move(jacobian);
    return true;
  }

  const ResidualBlock& block() const { return block_; }
  /// Whether the first evaluation failed; its residuals were taken as zero, and the search ends.
  bool fails_at_start() const { return fails_at_start_; }
  // Of the last evaluation that had derivatives.
  const Eigen::VectorXd& residuals() const { return residuals_; }
  const Eigen::MatrixXd& jacobian() const { return jacobian_; }

 private:
  const ResidualBlock& block_;
  // Ceres evaluates a block in one thread at a time.
  mutable Eigen::VectorXd residuals_;
  mutable Eigen::MatrixXd jacobian_;
  mutable bool has_succeeded_ = false, fails_at_start_ = false;
};

bool fails_at_start(const std::vector<Cost*>& costs) {
  return std::ranges::any_of(costs, [](const Cost* cost) { return cost->fails_at_start(); });
}

/// By how much the last derivatives expect the cost to fall to its minimum, in the unknowns that are not fixed:
/// ½ |Fᵀ Jᵀ r|² with the covariance F Fᵀ, along directions that have an effect.
double expected_decrease(const LeastSquaresProblem& problem, const std::vector<Cost*>& costs) {
  std::vector<WeightedJacobian> jacobians;
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(problem.lower.size());
  for (const Cost* const cost : costs) {
    WeightedJacobian& own = jacobians.emplace_back(std::vector<int>{}, cost->jacobian());
    for (const Range& part : cost->block().parts) {
      for (int i = 0; i < part.size; ++i) own.columns.push_back(part.first + i);
    }
    for (std::size_t j = 0; j < own.columns.size(); ++j) {
      const bool is_fixed = std::find(problem.fixed.begin(), problem.fixed.end(), own.columns[j]) !=
                            problem.fixed.end();
      if (is_fixed) own.jacobian.col(static_cast<Eigen::Index>(j)).setZero();
    }
    gradient(own.columns) += own.jacobian.transpose() * cost->residuals();
  }
  const Information information = information_of(static_cast<int>(gradient.size()), jacobians);
  return 0.5 * (information.factor.transpose() * gradient).squaredNorm();
}

/// From here on equations for a step are sparse.
constexpr Eigen::Index kManyUnknowns = 60;

class Observer final : public ceres::IterationCallback {
 public:
  Observer(const LeastSquaresProblem& problem, const LeastSquaresOptions& options,
           const Eigen::VectorXd& x, const std::vector<Cost*>& costs)
      : problem_(problem), options_(options), x_(x), costs_(costs) {
    for (const ResidualBlock& block : problem.blocks) num_residuals_ += block.rows;
  }

  /// Whether the search is as near to the minimum as residuals allow.
  bool has_converged() const { return has_converged_; }

  ceres::CallbackReturnType operator()(const ceres::IterationSummary& summary) override {
    if (fails_at_start(costs_)) return ceres::SOLVER_ABORT;
    if (!goes_on(summary)) return ceres::SOLVER_TERMINATE_SUCCESSFULLY;
    has_converged_ = is_there(summary) || is_rough(summary);
    return has_converged_ ? ceres::SOLVER_TERMINATE_SUCCESSFULLY : ceres::SOLVER_CONTINUE;
  }

 private:
  bool goes_on(const ceres::IterationSummary& summary) {
    if (!options_.on_iteration) return true;
    return options_.on_iteration(
        {summary.iteration, summary.cost, summary.step_norm, summary.gradient_max_norm,
         summary.cumulative_time_in_seconds, summary.step_is_successful},
        x_);
  }

  /// Whether a step was good enough that there is nothing left to be gained. Another step would cost a run to find that
  /// out. With many unknowns to ask costs something too, and the step must have been a small one.
  bool is_there(const ceres::IterationSummary& summary) const {
    constexpr double kSmallGain = 1e-2;
    const double near = options_.distance;
    if (!summary.step_is_successful || summary.iteration == 0) return false;
    const double variance = 2 * summary.cost / num_residuals_;
    if (x_.size() > kManyUnknowns && summary.cost_change > kSmallGain * variance) return false;
    return expected_decrease(problem_, costs_) <= 0.5 * near * near * variance;
  }

  /// Runs whose steps follow the error have residuals that are smooth to their tolerance only, and all are smooth to
  /// rounding. A hardly damped step from which derivatives expect a hundredth of a standard deviation, and that makes
  /// things worse, ends the search: shorter ones would do no better.
  bool is_rough(const ceres::IterationSummary& summary) const {
    constexpr double kSmall = 1e-4, kHardlyDamped = 100;
    if (summary.step_is_successful || !summary.step_is_valid || summary.iteration == 0)
      return false;
    if (summary.trust_region_radius < kHardlyDamped) return false;
    const double expected = summary.cost_change / summary.relative_decrease;
    return expected > 0 &&
           expected < kSmall * 2 * (summary.cost + summary.cost_change) / num_residuals_;
  }

  const LeastSquaresProblem& problem_;
  const LeastSquaresOptions& options_;
  const Eigen::VectorXd& x_;
  const std::vector<Cost*>& costs_;
  int num_residuals_ = 0;
  bool has_converged_ = false;
};

void fix(const std::vector<int>& fixed, const Range& part, Eigen::VectorXd& x,
         ceres::Problem& problem) {
  std::vector<int> inside;
  for (const int i : fixed) {
    if (i >= part.first && i < part.first + part.size) inside.push_back(i - part.first);
  }
  if (inside.empty()) return;
  double* const block = x.data() + part.first;
  if (std::ssize(inside) == part.size) {
    problem.SetParameterBlockConstant(block);
  } else {
    problem.SetManifold(block, new ceres::SubsetManifold(part.size, inside));
  }
}

std::string message_of(const ceres::Solver::Summary& summary) {
  switch (summary.termination_type) {
    case ceres::CONVERGENCE: return "converged";
    case ceres::NO_CONVERGENCE: return "the largest number of iterations was reached";
    case ceres::USER_SUCCESS: return "stopped before it converged";
    default: return "the search could not go on: " + summary.message;
  }
}

}  // namespace

LeastSquaresSummary minimise(const LeastSquaresProblem& problem, const LeastSquaresOptions& options,
                             Eigen::VectorXd& x) {
  ceres::Problem ceres_problem;
  for (const Range& part : problem.parts) {
    if (part.size == 0) continue;
    ceres_problem.AddParameterBlock(x.data() + part.first, part.size);
    for (int i = 0; i < part.size; ++i) {
      const double lower = problem.lower(part.first + i), upper = problem.upper(part.first + i);
      if (std::isfinite(lower)) {
        ceres_problem.SetParameterLowerBound(x.data() + part.first, i, lower);
      }
      if (std::isfinite(upper)) {
        ceres_problem.SetParameterUpperBound(x.data() + part.first, i, upper);
      }
    }
    fix(problem.fixed, part, x, ceres_problem);
  }
  std::vector<Cost*> costs;  // owned by the problem of Ceres
  for (const ResidualBlock& block : problem.blocks) {
    std::vector<double*> pointers;
    for (const Range& part : block.parts) pointers.push_back(x.data() + part.first);
    costs.push_back(new Cost(block));
    ceres_problem.AddResidualBlock(costs.back(), nullptr, pointers);
  }

  ceres::Solver::Options settings;
  settings.trust_region_strategy_type =
      options.trust_region == TrustRegion::kDogleg ? ceres::DOGLEG : ceres::LEVENBERG_MARQUARDT;
  settings.max_num_iterations = options.max_iterations;
  settings.function_tolerance = options.function_tolerance;
  settings.parameter_tolerance = options.parameter_tolerance;
  settings.gradient_tolerance = options.gradient_tolerance;
  // A run that fails is a step that was too long: it is shortened by half and half again.
  settings.max_num_consecutive_invalid_steps = 40;
  settings.linear_solver_type =
      x.size() > kManyUnknowns ? ceres::SPARSE_NORMAL_CHOLESKY : ceres::DENSE_QR;
  settings.num_threads = options.threads;
  settings.logging_type = ceres::SILENT;
  settings.update_state_every_iteration = true;
  Observer observer(problem, options, x, costs);
  settings.callbacks.push_back(&observer);

  ceres::Solver::Summary summary;
  ceres::Solve(settings, &ceres_problem, &summary);
  LeastSquaresSummary result;
  result.converged = summary.termination_type == ceres::CONVERGENCE || observer.has_converged();
  result.was_stopped = summary.termination_type == ceres::USER_SUCCESS && !result.converged;
  result.message = result.converged ? "converged" : message_of(summary);
  result.iterations =
      summary.iterations.empty() ? 0 : static_cast<int>(summary.iterations.size()) - 1;
  result.initial_cost = summary.initial_cost;
  result.cost = summary.final_cost;
  if (fails_at_start(costs)) {
    result.converged = result.was_stopped = false;
    result.message = "the search could not go on: residuals cannot be evaluated at its start";
    result.initial_cost = result.cost = std::numeric_limits<double>::infinity();
  }
  if (!summary.iterations.empty()) {
    result.gradient_norm = summary.iterations.back().gradient_max_norm;
  }
  result.seconds = summary.total_time_in_seconds;
  result.evaluation_seconds =
      summary.residual_evaluation_time_in_seconds + summary.jacobian_evaluation_time_in_seconds;
  return result;
}

}  // namespace liegrad::optimize
