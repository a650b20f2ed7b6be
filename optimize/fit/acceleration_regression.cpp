#include "liegrad/optimize/fit/acceleration_regression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/optimize/fit/least_squares.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using Eigen::Index;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Velocities of a system up to which dense matrices of them are small.
constexpr int kMostVelocities = 150;

/// Times at which the finest of the paths say something new: one for each coefficient. Ends of a spline, whose second
/// derivatives are poor, are left out.
std::vector<double> times_of(const std::vector<SmoothPath>& paths) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double first = kInfinity, last = -kInfinity, length = kInfinity;
  for (const SmoothPath& path : paths) {
    if (!path.exists()) continue;
    first = std::min(first, path.first_time());
    last = std::max(last, path.last_time());
    length = std::min(length, path.length());
  }
  std::vector<double> times;
  if (!(first < last)) return times;
  constexpr double kLargestEnd = 0.1;
  const double duration = last - first, end = std::min(length, kLargestEnd * duration);
  const int count = static_cast<int>(std::lround(duration / length)) + 3;
  for (int i = 0; i < count; ++i) {
    times.push_back(first + end + (i + 0.5) / count * (duration - 2 * end));
  }
  return times;
}

}  // namespace

AccelerationRegression::AccelerationRegression(const dae::System& system, const Unknowns& unknowns,
                                               const std::vector<Recording>& trials,
                                               const dae::ControlLaw& controls,
                                               const std::vector<int>& chosen)
    : system_(system),
      unknowns_(unknowns),
      chosen_(chosen),
      measured_(system, trials),
      layout_(system),
      accelerations_(system, dae::LinearSolverKind::kAutomatic),
      elements_(system) {
  for (const std::string& name : unknowns.parameters()) {
    parameters_.push_back(system.parameter_index(name));
  }
  if (measured_.size() == 0) {
    reason_against_ = "no measured output depends on positions alone";
    return;
  }
  if (system.dof() > kMostVelocities) {
    reason_against_ = "the system has more than " + std::to_string(kMostVelocities) + " velocities";
    return;
  }
  for (int trial = 0; trial < unknowns.num_trials(); ++trial) {
    const dae::ControlLaw& own = trials[index(trial)].controls;
    for (const Recording& part : parts_without_gaps(trials[index(trial)])) {
      find_points(part, trial, own ? own : controls);
    }
  }
  moves_configurations_ = moves_configurations();
  if (points_.size() * index(measured_.size()) >= 2 * chosen_.size()) reason_against_.reset();
  if (points_.empty() && !reason_against_) reason_against_ = "there are too few samples to smooth";
}

void AccelerationRegression::set_parameters(int trial, const Eigen::VectorXd& x) {
  const std::vector<double> values = unknowns_.parameter_values(trial, unknowns_.local(trial, x));
  measured_.set_parameters(values);
  accelerations_.set_parameters(values);
}

bool AccelerationRegression::moves_configurations() const {
  for (int trial = 0; trial < unknowns_.num_trials(); ++trial) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!measured_.depends_on(parameters_[i])) continue;
      const auto changes = unknowns_.parameter_map(trial)(static_cast<Index>(i), chosen_);
      if (!changes.isZero(0)) return true;
    }
  }
  return false;
}

/// A recording in which most times have no motion has none of them.
void AccelerationRegression::find_points(const Recording& recording, int trial,
                                         const dae::ControlLaw& law) {
  set_parameters(trial, unknowns_.start());
  const std::vector<SmoothPath> paths = MeasuredMotion::paths_of(recording);
  const std::vector<double> times = times_of(paths);
  const std::size_t before = points_.size(), dof = index(system_.dof());
  dae::State state{.t = 0,
                   .q = system_.initial_configuration(),
                   .v = std::vector<double>(dof, 0.0),
                   .v_dot = std::vector<double>(dof, 0.0),
                   .lambda = std::vector<double>(index(system_.num_multipliers()), 0.0),
                   .s = std::vector<double>(index(system_.num_algebraic()), 0.0)};
  for (const double t : times) {
    Point point{trial, measured_.target(recording, paths, t),
                std::vector<double>(system_.controls().size(), 0.0), state};
    point.state.t = t;
    if (law) law(t, point.controls);
    if (const auto reason = measured_.find(point.target, point.controls, point.state)) {
      reason_against_ = reason;
      continue;
    }
    state = point.state;
    points_.push_back(std::move(point));
  }
  if (2 * (points_.size() - before) < times.size()) points_.resize(before);
}

bool AccelerationRegression::evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& residuals,
                                      Eigen::MatrixXd* jacobian) {
  const Index size = measured_.size(), columns = std::ssize(chosen_);
  residuals.resize(size * std::ssize(points_));
  if (jacobian != nullptr) jacobian->resize(residuals.size(), columns);
  int trial = -1;
  Eigen::MatrixXd by_parameters = Eigen::MatrixXd::Zero(layout_.size, columns);
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const Point& point = points_[k];
    if (point.trial != trial) {
      trial = point.trial;
      set_parameters(trial, x);
      for (std::size_t i = 0; i < parameters_.size(); ++i) {
        by_parameters.row(layout_.parameters + parameters_[i]) =
            unknowns_.parameter_map(trial)(static_cast<Index>(i), chosen_);
      }
    }
    dae::State state = point.state;
    if (moves_configurations_ && measured_.find(point.target, point.controls, state)) return false;
    try {
      accelerations_.solve(state, point.controls, state.t);
    } catch (const Error&) {
      return false;
    }
    const Index first = static_cast<Index>(k) * size;
    residuals.segment(first, size) = measured_.residual(point.target, state, point.controls);
    if (jacobian == nullptr) continue;
    Eigen::MatrixXd motion = by_parameters;
    if (moves_configurations_) measured_.follow(point.target, motion);
    RowMajor rows = motion;
    accelerations_.tangent(static_cast<int>(columns),
                           {rows.data(), static_cast<std::size_t>(rows.size())});
    jacobian->middleRows(first, size) = measured_.residual_derivative(point.target, rows);
  }
  return residuals.allFinite() && (jacobian == nullptr || jacobian->allFinite());
}

/// Their starts; of those that start at zero what would change residuals by as much as these are.
Eigen::VectorXd AccelerationRegression::scales(const Eigen::VectorXd& residuals,
                                               const Eigen::MatrixXd& jacobian) const {
  Eigen::VectorXd scale = unknowns_.start()(chosen_).cwiseAbs();
  for (Index j = 0; j < scale.size(); ++j) {
    if (scale(j) > 0) continue;
    const double effect = jacobian.col(j).norm();
    scale(j) = effect > 0 ? residuals.norm() / effect : 1;
  }
  return scale;
}

Eigen::VectorXd AccelerationRegression::levels(const Eigen::VectorXd& residuals) const {
  const Index size = measured_.size(), times = std::ssize(points_);
  Eigen::VectorXd result = Eigen::VectorXd::Ones(residuals.size());
  for (Index i = 0; i < size; ++i) {
    Index count = 0;
    for (const Point& point : points_) count += point.target.weight(i) > 0 ? 1 : 0;
    const auto own = Eigen::seqN(i, times, size);
    const double level = residuals(own).norm() / std::sqrt(static_cast<double>(count));
    if (level > 0 && std::isfinite(level)) result(own).setConstant(level);
  }
  return result;
}

/// Rounds of a search in multiples of the scales, each with the levels of noise that the one before it left. A start counts
/// as known up to itself, as one measurement does: what data do not determine stays there.
Eigen::VectorXd AccelerationRegression::minimised() {
  constexpr int kMostRounds = 5, kMostIterations = 50;
  constexpr double kSettled = 1e-3;
  const Eigen::VectorXd start = unknowns_.start();
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;
  if (!evaluate(start, residuals, &jacobian)) return start;
  const Eigen::VectorXd scale = scales(residuals, jacobian);
  const Index rows = residuals.size(), count = scale.size();
  const Eigen::VectorXd first = start(chosen_).cwiseQuotient(scale);
  const auto unknowns_at = [&](const Eigen::VectorXd& z) {
    Eigen::VectorXd x = start;
    x(chosen_) = z.cwiseProduct(scale);
    return x;
  };
  Eigen::VectorXd level = levels(residuals), z = first;
  LeastSquaresProblem problem;
  problem.parts = {{0, static_cast<int>(count)}};
  problem.lower = unknowns_.lower()(chosen_).cwiseQuotient(scale);
  problem.upper = unknowns_.upper()(chosen_).cwiseQuotient(scale);
  problem.blocks.push_back(
      {problem.parts, static_cast<int>(rows + count),
       [&](const Eigen::VectorXd& local, Eigen::VectorXd& values, Eigen::MatrixXd* derivatives) {
         if (!evaluate(unknowns_at(local), residuals, derivatives ? &jacobian : nullptr)) {
           return false;
         }
         values.resize(rows + count);
         values << residuals.cwiseQuotient(level), local - first;
         if (derivatives == nullptr) return true;
         derivatives->setIdentity(rows + count, count);
         derivatives->bottomRows(count).setIdentity();
         derivatives->topRows(rows) =
             level.cwiseInverse().asDiagonal() * jacobian * scale.asDiagonal();
         return true;
       }});
  LeastSquaresOptions options;
  options.max_iterations = kMostIterations;
  for (int round = 0; round < kMostRounds; ++round) {
    const Eigen::VectorXd before = z;
    minimise(problem, options, z);
    if (!evaluate(unknowns_at(z), residuals, nullptr)) return unknowns_at(before);
    level = levels(residuals);
    if (round > 0 && (z - before).lpNorm<Eigen::Infinity>() < kSettled) break;
  }
  return unknowns_at(z);
}

bool AccelerationRegression::is_accepted(const Eigen::VectorXd& x) {
  int trial = -1;
  for (const Point& point : points_) {
    if (point.trial == trial) continue;
    trial = point.trial;
    try {
      elements_.check(point.state.q, unknowns_.parameter_values(trial, unknowns_.local(trial, x)),
                      point.controls, point.state.t);
    } catch (const InvalidArgument&) {
      return false;
    }
  }
  return true;
}

/// Where elements refuse what was found, an inertia that no body has, the one unknown that leads there keeps its start.
Eigen::VectorXd AccelerationRegression::solve() {
  const Eigen::VectorXd start = unknowns_.start();
  while (!chosen_.empty()) {
    const Eigen::VectorXd x = minimised();
    if (is_accepted(x)) return x;
    const auto leads_there = [&](int unknown) {
      Eigen::VectorXd without = x;
      without(unknown) = start(unknown);
      return is_accepted(without);
    };
    const auto one = std::ranges::find_if(chosen_, leads_there);
    if (one == chosen_.end()) break;
    chosen_.erase(one);
  }
  return start;
}

}  // namespace liegrad::optimize
