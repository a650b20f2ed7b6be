#include "liegrad/optimize/fit/active_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace liegrad::optimize {
namespace {

bool is_at_bound(const LeastSquaresProblem& problem, const Eigen::VectorXd& x, int i) {
  return x(i) == problem.lower(i) || x(i) == problem.upper(i);
}

/// Of half the sum of squares; none where residuals do not exist.
std::optional<Eigen::VectorXd> gradient_at(const LeastSquaresProblem& problem,
                                           const Eigen::VectorXd& x) {
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(x.size());
  for (const ResidualBlock& block : problem.blocks) {
    Eigen::VectorXd local(0), residuals;
    for (const Range& part : block.parts) {
      local.conservativeResize(local.size() + part.size);
      local.tail(part.size) = x.segment(part.first, part.size);
    }
    Eigen::MatrixXd jacobian;
    if (!block.evaluate(local, residuals, &jacobian)) return {};
    const Eigen::VectorXd own = jacobian.transpose() * residuals;
    if (!own.allFinite()) return {};
    Eigen::Index first = 0;
    for (const Range& part : block.parts) {
      gradient.segment(part.first, part.size) += own.segment(first, part.size);
      first += part.size;
    }
  }
  return gradient;
}

/// Unknowns that their bounds hold at x, besides those that are fixed anyway.
std::vector<int> held_at(const LeastSquaresProblem& problem, const Eigen::VectorXd& x) {
  std::vector<int> held;
  for (int i = 0; i < x.size(); ++i) {
    const bool is_fixed =
        std::find(problem.fixed.begin(), problem.fixed.end(), i) != problem.fixed.end();
    if (!is_fixed && is_at_bound(problem, x, i)) held.push_back(i);
  }
  if (held.empty()) return held;
  const std::optional<Eigen::VectorXd> gradient = gradient_at(problem, x);
  std::erase_if(held, [&](int i) {
    return !gradient || !is_held_by_bound(x(i), problem.lower(i), problem.upper(i), (*gradient)(i));
  });
  return held;
}

/// The result of the latest search, with the work of all.
void add(const LeastSquaresSummary& latest, bool is_first, LeastSquaresSummary& total) {
  const LeastSquaresSummary before = total;
  total = latest;
  if (is_first) return;
  total.initial_cost = before.initial_cost;
  total.iterations += before.iterations;
  total.seconds += before.seconds;
  total.evaluation_seconds += before.evaluation_seconds;
}

/// Ends a search in which a free unknown stays at a bound.
class BoundWatch {
 public:
  BoundWatch(const LeastSquaresProblem& problem, const std::vector<int>& fixed)
      : problem_(problem), fixed_(fixed) {}

  bool has_ended() const { return has_ended_; }
  bool goes_on(const Eigen::VectorXd& x) {
    std::vector<int> now;
    for (int i = 0; i < x.size(); ++i) {
      const bool is_fixed = std::find(fixed_.begin(), fixed_.end(), i) != fixed_.end();
      if (!is_fixed && is_at_bound(problem_, x, i)) now.push_back(i);
    }
    has_ended_ = std::any_of(now.begin(), now.end(), [&](int i) {
      return std::find(before_.begin(), before_.end(), i) != before_.end();
    });
    before_ = now;
    return !has_ended_;
  }

 private:
  const LeastSquaresProblem& problem_;
  const std::vector<int>& fixed_;
  std::vector<int> before_;
  bool has_ended_ = false;
};

}  // namespace

bool is_held_by_bound(double value, double lower, double upper, double gradient) {
  return (value == lower && gradient > 0) || (value == upper && gradient < 0);
}

LeastSquaresSummary minimise_within_bounds(const LeastSquaresProblem& problem,
                                           const LeastSquaresOptions& options, Eigen::VectorXd& x) {
  const bool has_bounds =
      problem.lower.array().isFinite().any() || problem.upper.array().isFinite().any();
  if (!has_bounds) return minimise(problem, options, x);

  LeastSquaresSummary total;
  std::vector<int> held = held_at(problem, x);
  bool watches = true;
  const int most_searches = 2 * static_cast<int>(x.size()) + 10;
  for (int search = 0; search < most_searches; ++search) {
    LeastSquaresProblem part = problem;
    part.fixed.insert(part.fixed.end(), held.begin(), held.end());
    BoundWatch watch(problem, part.fixed);
    LeastSquaresOptions own = options;
    own.max_iterations = options.max_iterations - total.iterations;
    own.on_iteration = [&](LeastSquaresOptions::Iteration now, const Eigen::VectorXd& there) {
      now.number += total.iterations;
      if (options.on_iteration && !options.on_iteration(now, there)) return false;
      return !watches || watch.goes_on(there);
    };
    const LeastSquaresSummary one = minimise(part, own, x);
    add(one, search == 0, total);
    const bool was_stopped_by_watch = one.was_stopped && watch.has_ended();
    if (!one.converged && !was_stopped_by_watch) return total;

    const std::vector<int> now = held_at(problem, x);
    if (one.converged && now == held) return total;
    // An unknown that stays at a bound without being held is left to the steps of Ceres.
    watches = now != held;
    held = now;
    if (total.iterations >= options.max_iterations) break;
  }
  total.converged = total.was_stopped = false;
  total.message = std::string("the largest number of iterations was reached at the bounds");
  return total;
}

}  // namespace liegrad::optimize
