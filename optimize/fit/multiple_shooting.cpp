#include "liegrad/optimize/fit/multiple_shooting.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <Eigen/QR>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/optimize/fit/directions.hpp"
#include "liegrad/optimize/fit/shooting_equations.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using dae::number_text;
using Eigen::Index;
using Clock = std::chrono::steady_clock;
using Nodes = std::vector<dae::InitialValues>;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Fits the node of one piece to the samples of this piece alone, from a guess. Directions that these samples do not
/// show stay as they are.
dae::InitialValues node_from_data(FitEngine& engine, int trial, int piece,
                                  const Eigen::VectorXd& local, dae::InitialValues node) {
  Residuals& residuals = engine.residuals();
  Trial& own = residuals.trial(trial);
  const std::vector<double> parameters = engine.unknowns().parameter_values(trial, local);
  std::vector<Index> rows;
  const auto evaluate = [&](const dae::InitialValues& from, bool with_jacobian) {
    TrialResiduals result;
    residuals.evaluate_piece(trial, piece, from, local, with_jacobian, result);
    weigh(residuals.recording(trial), residuals.outputs_of(trial), engine.noise(),
          engine.options().loss, result);
    if (rows.empty()) {
      const std::vector<int> pieces = residuals.pieces_of_rows(trial);
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i] == piece) rows.push_back(static_cast<Index>(i));
      }
    }
    return result;
  };
  TrialResiduals now = evaluate(node, true);
  if (rows.empty()) return node;
  double damping = 1e-3;
  constexpr int kMost = 30;
  for (int i = 0; i < kMost; ++i) {
    const Eigen::VectorXd r = now.values(rows);
    const Eigen::MatrixXd jacobian = now.jacobian(rows, Eigen::all).rightCols(own.node_size());
    Eigen::MatrixXd matrix(jacobian.rows() + jacobian.cols(), jacobian.cols());
    matrix << jacobian,
        std::sqrt(damping) * Eigen::MatrixXd(jacobian.colwise().norm().asDiagonal());
    Eigen::VectorXd right = Eigen::VectorXd::Zero(matrix.rows());
    right.head(r.size()) = -r;
    const Eigen::VectorXd step = matrix.completeOrthogonalDecomposition().solve(right);
    try {
      const dae::InitialValues next = own.moved(piece, node, step, parameters);
      const double before = r.squaredNorm();
      const double after = evaluate(next, false).values(rows).squaredNorm();
      if (after < before) {
        node = next;
        damping *= 0.2;
        if (after > (1 - 1e-4) * before) break;
        now = evaluate(node, true);
        continue;
      }
    } catch (const Error&) {
      // A shorter step may succeed.
    }
    damping = std::max(10 * damping, 1e-6);
    if (damping > 1e6) break;
  }
  return node;
}

/// Piece after piece: from the end of the one before to what its samples show.
void start_nodes(FitEngine& engine, const Eigen::VectorXd& x) {
  for (int trial = 0; trial < engine.residuals().num_trials(); ++trial) {
    Trial& own = engine.residuals().trial(trial);
    const Eigen::VectorXd local = engine.unknowns().local(trial, x);
    const std::vector<double> parameters = engine.unknowns().parameter_values(trial, local);
    if (own.num_pieces() == 1) continue;
    own.run_first_piece(engine.unknowns().inputs(trial, local),
                        engine.residuals().delays_of(trial, local));
    Nodes nodes;
    for (int k = 1; k < own.num_pieces(); ++k) {
      nodes.push_back(node_from_data(engine, trial, k, local, own.end_of(k - 1, parameters)));
    }
    own.set_nodes(nodes);
  }
}

/// A point at which a cost and a violation of conditions were found.
struct Merit {
  double cost = 0, violation = 0;
};

/// Points that are not better than one of these in cost or violation are refused [WaechterBiegler2006].
class Filter {
 public:
  bool accepts(const Merit& merit) const {
    return std::all_of(list_.begin(), list_.end(),
                       [&](const Merit& one) { return is_better(merit, one); });
  }
  void add(const Merit& merit) { list_.push_back(merit); }

  static bool is_better(const Merit& merit, const Merit& than) {
    constexpr double kMargin = 1e-5;
    return merit.violation <= (1 - kMargin) * than.violation ||
           merit.cost <= than.cost - kMargin * than.violation;
  }

 private:
  std::vector<Merit> list_;
};

class Search {
 public:
  Search(FitEngine& engine, const LeastSquaresOptions& options, const std::vector<int>& fixed,
         Eigen::VectorXd& x)
      : engine_(engine), options_(options), fixed_(fixed), x_(x) {}

  LeastSquaresSummary run() {
    const auto began = Clock::now();
    bool has_nodes = true;
    for (const int trial : trials()) {
      const Trial& own = engine_.residuals().trial(trial);
      has_nodes = has_nodes && std::ssize(own.nodes()) + 1 == own.num_pieces();
    }
    if (!has_nodes) start_nodes(engine_, x_);
    search();
    summary_.seconds = seconds_since(began);
    return summary_;
  }

 private:
  static constexpr double kGapTolerance = 1e-9;
  static constexpr double kLeastDamping = 1e-3, kMostDamping = 1e3;

  std::vector<int> trials() const {
    std::vector<int> list;
    for (int i = 0; i < engine_.residuals().num_trials(); ++i) list.push_back(i);
    return list;
  }

  void search() {
    for (int i = 0; i <= options_.max_iterations; ++i) {
      std::vector<TrialResiduals> weighted;
      for (const int trial : trials()) weighted.push_back(evaluated(trial, x_, true));
      ShootingEquations equations(engine_, weighted, &x_);
      equations.change_columns(engine_.admissible(), x_);
      Merit merit = {0.5 * equations.residuals().squaredNorm(), 0};
      for (const int trial : trials()) {
        merit.violation +=
            equations.violation_of(trial, engine_.residuals().trial(trial).continuity());
      }
      if (i == 0) summary_.initial_cost = merit.cost;
      summary_.cost = merit.cost;
      summary_.iterations = i;
      const Eigen::VectorXd d = step_in_box(equations, 0);
      const double gap = largest_gap(engine_);
      // In standard deviations of what was measured.
      const double change = (equations.jacobian() * d).norm();
      summary_.gradient_norm = change;
      if (options_.on_iteration &&
          !options_.on_iteration({i, merit.cost, change, gap, 0, true}, x_)) {
        summary_.was_stopped = true;
        summary_.message = std::string("stopped before it converged");
        return;
      }
      constexpr double kSmall = 1e-6;
      if (gap <= kGapTolerance && change <= kSmall * (1 + std::sqrt(2 * merit.cost))) {
        summary_.converged = true;
        summary_.message = std::string("converged");
        return;
      }
      if (i == options_.max_iterations) break;
      if (advance(equations, merit, damping_ > 0 ? step_in_box(equations, damping_) : d)) {
        damping_ = damping_ > kLeastDamping ? 0.1 * damping_ : 0;
        continue;
      }
      // Shorter steps that turn towards the gradient.
      bool has_moved = false;
      while (!has_moved && damping_ < kMostDamping) {
        damping_ = std::max(10 * damping_, kLeastDamping);
        has_moved = advance(equations, merit, step_in_box(equations, damping_));
      }
      if (has_moved) continue;
      summary_.message = "steps became too short, with gaps of " + number_text(gap) +
                         " between pieces; shorter pieces may help";
      return;
    }
    summary_.message = std::string("the largest number of iterations was reached");
  }

  /// Of coordinates in which steps are made.
  Eigen::VectorXd lowest() const {
    Eigen::VectorXd lower = engine_.unknowns().lower();
    engine_.admissible().set_lower(lower);
    return lower;
  }

  TrialResiduals evaluated(int trial, const Eigen::VectorXd& x, bool with_jacobian) {
    const auto began = Clock::now();
    TrialResiduals result = engine_.weighted(trial, x, with_jacobian);
    summary_.evaluation_seconds += seconds_since(began);
    return result;
  }

  /// A step that leads out of the box stops at the bound, and the others are found again.
  Eigen::VectorXd step_in_box(const ShootingEquations& equations, double damping) const {
    const Eigen::VectorXd lower = lowest(), upper = engine_.unknowns().upper();
    Eigen::VectorXd here = x_;
    engine_.admissible().to_coordinates(here);
    std::vector<int> held = fixed_;
    for (;;) {
      const Eigen::VectorXd d = equations.step(held, damping);
      bool is_inside = true;
      for (int i = 0; i < x_.size(); ++i) {
        const bool is_held = std::find(held.begin(), held.end(), i) != held.end();
        const bool leaves = (here(i) == lower(i) && d(i) < 0) || (here(i) == upper(i) && d(i) > 0);
        if (is_held || !leaves) continue;
        held.push_back(i);
        is_inside = false;
      }
      if (is_inside) return d;
    }
  }

  /// Takes the longest part of the step that the filter accepts.
  bool advance(const ShootingEquations& equations, const Merit& before, const Eigen::VectorXd& d) {
    const double slope = equations.residuals().dot(equations.jacobian() * d);
    std::vector<Nodes> nodes;
    for (const int trial : trials()) nodes.push_back(engine_.residuals().trial(trial).nodes());
    const Eigen::VectorXd lower = lowest(), upper = engine_.unknowns().upper();
    constexpr double kShortest = 1e-5;
    for (double part = 1; part > kShortest; part *= 0.5) {
      Eigen::VectorXd next = x_;
      engine_.admissible().to_coordinates(next);
      next = (next + part * d.head(x_.size())).cwiseMax(lower).cwiseMin(upper);
      engine_.admissible().to_unknowns(next);
      try {
        move_nodes(equations, nodes, part * d, next);
        Merit merit;
        for (const int trial : trials()) {
          merit.cost += 0.5 * evaluated(trial, next, false).values.squaredNorm();
          merit.violation +=
              equations.violation_of(trial, engine_.residuals().trial(trial).continuity());
        }
        merit.cost += prior_cost(next);
        if (!std::isfinite(merit.cost) || !std::isfinite(merit.violation)) continue;
        // Where conditions nearly hold, the cost itself must fall.
        const bool falls = slope < 0 && before.violation < 1e-4 * (1 + before.cost);
        const bool is_descent =
            merit.cost <= before.cost + 1e-4 * part * slope + 1e-10 * (1 + before.cost);
        const double most = std::max(before.violation, 1e-2 * (1 + before.cost));
        const bool is_accepted = falls ? is_descent && merit.violation <= most
                                       : Filter::is_better(merit, before) && filter_.accepts(merit);
        if (!is_accepted) continue;
        if (!falls) filter_.add(before);
        x_ = next;
        return true;
      } catch (const Error& error) {
        engine_.count_failure(error.what());
      }
    }
    for (const int trial : trials()) {
      engine_.residuals().trial(trial).set_nodes(nodes[index(trial)]);
    }
    return false;
  }

  void move_nodes(const ShootingEquations& equations, const std::vector<Nodes>& from,
                  const Eigen::VectorXd& d, const Eigen::VectorXd& next) {
    for (const int trial : trials()) {
      Trial& own = engine_.residuals().trial(trial);
      const Unknowns& unknowns = engine_.unknowns();
      const std::vector<double> parameters =
          unknowns.parameter_values(trial, unknowns.local(trial, next));
      Nodes nodes;
      for (int k = 1; k < own.num_pieces(); ++k) {
        nodes.push_back(own.moved(k, from[index(trial)][index(k - 1)],
                                  equations.node_step(trial, k, d), parameters));
      }
      own.set_nodes(nodes);
    }
  }

  double prior_cost(const Eigen::VectorXd& x) const {
    double sum = 0;
    for (int i = 0; i < x.size(); ++i) {
      const auto& prior = engine_.unknowns().list()[index(i)].prior;
      if (prior) sum += 0.5 * std::pow((x(i) - prior->value) / prior->std, 2);
    }
    return sum;
  }

  FitEngine& engine_;
  const LeastSquaresOptions& options_;
  const std::vector<int>& fixed_;
  Eigen::VectorXd& x_;
  Filter filter_;
  double damping_ = 0;
  LeastSquaresSummary summary_;
};

}  // namespace

LeastSquaresSummary minimise_with_nodes(FitEngine& engine, const LeastSquaresOptions& options,
                                        const std::vector<int>& fixed, Eigen::VectorXd& x) {
  return Search(engine, options, fixed, x).run();
}

double largest_gap(const FitEngine& engine) {
  double largest = 0;
  for (int trial = 0; trial < engine.residuals().num_trials(); ++trial) {
    for (const Continuity& one : engine.residuals().trial(trial).continuity()) {
      if (one.gap.size() > 0) largest = std::max(largest, one.gap.lpNorm<Eigen::Infinity>());
    }
  }
  return largest;
}

Information information_with_nodes(FitEngine& engine, const std::vector<TrialResiduals>& weighted,
                                   const std::vector<int>& held) {
  const ShootingEquations equations(engine, weighted, nullptr);
  const ShootingEquations::Reduced reduced = equations.reduced(held);
  const int unknowns = engine.unknowns().size();
  const Directions directions = directions_of(reduced.jacobian);
  // From directions back to all entries of the step.
  const auto expanded = [&](const Eigen::MatrixXd& some) {
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(equations.jacobian().cols(), some.cols());
    result(reduced.free, Eigen::all) =
        reduced.scale.cwiseInverse().asDiagonal() * reduced.null_space * some;
    return result;
  };
  const Eigen::MatrixXd factor =
      expanded(directions.determined * directions.effects.cwiseInverse().asDiagonal());
  Information result;
  result.scale = equations.effects();
  for (const int i : held) result.scale(i) = 0;
  result.factor = factor.topRows(unknowns);
  result.covariance = result.factor * result.factor.transpose();
  result.effects = directions.effects;
  for (int trial = 0; trial < engine.residuals().num_trials(); ++trial) {
    std::vector<Eigen::MatrixXd>& list = result.node_factors.emplace_back();
    for (int k = 1; k < engine.residuals().trial(trial).num_pieces(); ++k) {
      list.push_back(equations.node_rows(trial, k, factor));
    }
  }
  // In scaled unknowns, orthonormal; an unknown without effect is a direction of its own.
  const Eigen::VectorXd scale =
      result.scale.unaryExpr([](double length) { return length > 0 ? length : 1.0; });
  const Index missing = directions.undetermined.cols();
  Eigen::MatrixXd lost(unknowns, missing + std::ssize(held));
  lost.leftCols(missing) = scale.asDiagonal() * expanded(directions.undetermined).topRows(unknowns);
  for (std::size_t i = 0; i < held.size(); ++i) {
    lost.col(missing + static_cast<Index>(i)) = Eigen::VectorXd::Unit(unknowns, held[i]);
  }
  result.undetermined.resize(unknowns, 0);
  if (lost.cols() > 0) {
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(lost);
    qr.setThreshold(1e-10);
    result.undetermined = qr.householderQ() * Eigen::MatrixXd::Identity(unknowns, qr.rank());
  }
  return result;
}

}  // namespace liegrad::optimize
