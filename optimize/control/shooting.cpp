#include "liegrad/control/shooting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "liegrad/control/border_stage.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

using dae::index;

constexpr int kMaxNewtonIterations = 30;
/// Newton's corrections end at this part of the unknowns, or below the second one when they shrink no more: multipliers
/// of index 3 have rounding errors of ε/h².
constexpr double kNewtonTolerance = 1e-11, kNewtonRounding = 1e-6;

bool is_free(const Interval& bounds) {
  return !std::isfinite(bounds.lower) && !std::isfinite(bounds.upper);
}

}  // namespace

ShootingProgram::ShootingProgram(Transcription& transcription, Nlp& nlp, const StopRequest& stop)
    : transcription_(transcription),
      nlp_(nlp),
      stop_(stop),
      start_(transcription.problem().system(), {.check_elements = false},
             dae::LinearSolverKind::kAutomatic),
      step_(transcription.problem().system(), transcription.options().formulation,
            transcription.method(), transcription.options().backend),
      x_(transcription.guess()) {
  const TranscriptionOptions& options = transcription.options();
  choose(options.kind == TranscriptionKind::kMultipleShooting ? options.segments : 1);
  row_entries_.resize(index(nlp.num_constraints()));
  for (std::size_t k = 0; k < nlp.jacobian_pattern().size(); ++k) {
    const auto& [row, column] = nlp.jacobian_pattern()[k];
    row_entries_[index(row)].emplace_back(column, static_cast<int>(k));
  }
  // All depends on all.
  shape_.variable_stages.assign(kept_.size(), kBorderStage);
  shape_.constraint_stages.assign(kept_rows_.size() + bounded_.size(), kBorderStage);
  shape_.has_joints = nlp.has_joints();
  for (int i = 0; i < num_constraints(); ++i) {
    for (int j = 0; j < num_variables(); ++j) shape_.jacobian_pattern.emplace_back(i, j);
  }
  for (int i = 0; i < num_variables(); ++i) {
    for (int j = 0; j <= i; ++j) shape_.hessian_pattern.emplace_back(i, j);
  }
  entries_.resize(nlp.jacobian_pattern().size());
  hessian_entries_.resize(nlp.hessian_pattern().size());
}

/// What is eliminated, and what stays.
void ShootingProgram::choose(int segments) {
  const GridLayout& layout = transcription_.layout();
  const RowLayout& rows = transcription_.rows();
  const int steps = layout.num_steps;
  if (segments < 1 || segments > steps) {
    throw InvalidArgument("problem '" + transcription_.problem().name() +
                          "': " + std::to_string(segments) + " segments do not fit a grid of " +
                          std::to_string(steps) + " steps");
  }
  is_eliminated_.assign(index(steps + 1), true);
  for (int k = 1; k < segments; ++k) is_eliminated_[index(k * steps / segments)] = false;

  std::vector<bool> goes(index(layout.num_variables), false);
  std::vector<bool> row_goes(index(rows.size), false);
  row_goes[index(rows.cost)] = true;
  for (int n = 0; n <= steps; ++n) {
    if (!is_eliminated_[index(n)]) continue;
    Point& point = points_.emplace_back();
    point.n = n;
    for (int offset = 0; offset < layout.width; ++offset) {
      if (offset >= layout.controls && offset < layout.time) continue;
      const int variable = layout.at(n, offset);
      const Interval& bounds = transcription_.variable_bounds()[index(variable)];
      goes[index(variable)] = true;
      if (n == 0 && bounds.is_point()) continue;  // initial values
      point.unknowns.push_back(variable);
      if (!is_free(bounds)) bounded_.push_back(variable);
    }
    const int first = n == 0 ? rows.start_motion : rows.step_to(n);
    const int end = n == 0 ? rows.start_end : first + rows.path;
    for (int row = first; row < end; ++row) {
      point.rows.push_back(row - 1);
      row_goes[index(row)] = true;
    }
  }
  for (int i = 0; i < layout.num_variables; ++i) {
    if (!goes[index(i)]) kept_.push_back(i);
  }
  for (int row = 0; row < rows.size; ++row) {
    if (!row_goes[index(row)]) kept_rows_.push_back(row - 1);
  }
}

Interval ShootingProgram::variable_interval(int variable) const {
  return nlp_.variable_interval(kept_[index(variable)]);
}

Interval ShootingProgram::constraint_interval(int constraint) const {
  const auto rows = static_cast<int>(kept_rows_.size());
  return constraint < rows ? nlp_.constraint_interval(kept_rows_[index(constraint)])
                           : nlp_.variable_interval(bounded_[index(constraint - rows)]);
}

std::vector<double> ShootingProgram::reduced(std::span<const double> x) const {
  std::vector<double> z;
  for (const int variable : kept_) z.push_back(x[index(variable)]);
  return z;
}

bool ShootingProgram::set_point(std::span<const double> z) {
  for (std::size_t i = 0; i < kept_.size(); ++i) x_[index(kept_[i])] = z[i];
  has_derivatives_ = false;
  if (!run()) return false;
  transcription_.set_references();
  nlp_.set_point(x_);
  return true;
}

/// The motion from the start, and from each end of a segment.
bool ShootingProgram::run() {
  const GridLayout& layout = transcription_.layout();
  const std::vector<double> parameters = transcription_.parameters(x_);
  start_.set_parameters(parameters);
  std::copy(parameters.begin(), parameters.end(),
            step_.point().begin() + step_.layout().parameters);
  dae::State state;
  try {
    state = start_.initial_state(0, transcription_.controls(x_, 0));
  } catch (const Error&) {
    return false;
  }
  const auto put = [&](int offset, const std::vector<double>& list) {
    std::copy(list.begin(), list.end(), x_.begin() + layout.at(0, offset));
  };
  put(layout.v_dot, state.v_dot);
  put(layout.a, state.v_dot);
  put(layout.lambda, state.lambda);
  put(layout.s, state.s);
  const double horizon = transcription_.horizon(x_);
  for (int n = 1; n <= layout.num_steps; ++n) {
    if (layout.has_times && is_eliminated_[index(n)]) {
      x_[index(layout.at(n, layout.time))] = horizon * transcription_.share(n);
    }
    if ((heeds_stop_ && stop_.is_made()) || (is_eliminated_[index(n)] && !run_step(n)))
      return false;
  }
  return true;
}

/// Newton's method for the unknowns at the end of a step.
bool ShootingProgram::run_step(int n) {
  const dae::Model& system = transcription_.problem().system();
  const lie::GroupList& space = system.configuration_space();
  const GridLayout& layout = transcription_.layout();
  const auto& at = step_.layout();
  const double horizon = transcription_.horizon(x_), h = horizon * transcription_.step_share(n);
  const int dof = system.dof(), start = layout.at(n - 1, 0), end = layout.at(n, 0);

  // The end is counted from where the velocity leads, or from a target.
  const dae::State before = transcription_.state(x_, n - 1);
  std::vector<double> turn(index(dof)), q(before.q.size()), delta(index(dof));
  for (int i = 0; i < dof; ++i) turn[index(i)] = h * before.v[index(i)];
  space.plus<double>(before.q, turn, q);
  if (n < layout.num_steps) transcription_.set_reference(n, q);
  space.minus<double>(q, transcription_.reference(n), delta);
  step_.set_references(transcription_.reference(n - 1), transcription_.reference(n));

  const std::span<double> point = step_.point();
  std::copy_n(x_.begin() + start, 4 * dof, point.begin() + at.start.q);
  if (n > 1) std::copy_n(x_.begin() + start + layout.start_a, dof, point.begin() + at.start.a);
  std::copy(delta.begin(), delta.end(), point.begin() + at.end.q);
  std::copy_n(x_.begin() + start + layout.v, layout.stabilizer - layout.v,
              point.begin() + at.end.v);
  std::fill_n(point.begin() + at.stabilizer, system.num_multipliers(), 0.0);
  const std::span<const double> u = transcription_.controls(x_, n);
  std::copy(u.begin(), u.end(), point.begin() + at.controls);
  point[index(at.start_time)] = horizon * transcription_.share(n - 1);
  point[index(at.end_time)] = horizon * transcription_.share(n);
  point[index(at.h)] = h;

  const int rows = step_.num_rows();
  Eigen::MatrixXd matrix(rows, rows);
  Eigen::VectorXd residual(rows);
  std::vector<double> entries(step_.jacobian_pattern().size());
  double last_size = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kMaxNewtonIterations; ++iteration) {
    residual.setZero();
    step_.residual({residual.data(), index(rows)});
    if (!residual.allFinite()) return false;
    std::fill(entries.begin(), entries.end(), 0.0);
    step_.jacobian(entries);
    matrix.setZero();
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const auto& [row, column] = step_.jacobian_pattern()[k];
      const int unknown = column - at.end.q;
      if (unknown >= 0 && unknown < rows) matrix(row, unknown) += entries[k];
    }
    const Eigen::VectorXd change = matrix.partialPivLu().solve(residual);
    if (!change.allFinite()) return false;
    double size = 0;
    for (int i = 0; i < rows; ++i) {
      double& value = point[index(at.end.q + i)];
      value -= change(i);
      size = std::max(size, std::abs(change(i)) / (1 + std::abs(value)));
    }
    const bool stays = size < kNewtonRounding && size > 0.5 * last_size;
    last_size = size;
    if (size < kNewtonTolerance || stays) {
      std::copy_n(point.begin() + at.end.q, rows, x_.begin() + end);
      for (int i = 0; layout.rescales && i < dof; ++i) {
        const double v_dot = x_[index(end + layout.v_dot + i)];
        x_[index(end + layout.start_a + i)] =
            v_dot + transcription_.step_ratio(n) * (x_[index(end + layout.a + i)] - v_dot);
      }
      return true;
    }
  }
  return false;
}

/// dx/dz, point after point.
void ShootingProgram::find_derivatives() {
  if (has_derivatives_) return;
  has_derivatives_ = true;
  nlp_.jacobian(entries_);
  derivative_.setZero(nlp_.num_variables(), num_variables());
  for (int i = 0; i < num_variables(); ++i) derivative_(kept_[index(i)], i) = 1;
  std::vector<int> place(index(nlp_.num_variables()), -1);
  for (Point& point : points_) {
    if (stop_.is_made()) return;  // nobody reads what follows
    const auto size = static_cast<Eigen::Index>(point.unknowns.size());
    for (std::size_t i = 0; i < point.unknowns.size(); ++i) {
      place[index(point.unknowns[i])] = static_cast<int>(i);
    }
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size, size);
    Matrix right = Matrix::Zero(size, num_variables());
    for (Eigen::Index r = 0; r < size; ++r) {
      const int row = point.rows[static_cast<std::size_t>(r)];
      for (const auto& [column, k] : row_entries_[index(row)]) {
        if (place[index(column)] >= 0) {
          matrix(r, place[index(column)]) += entries_[index(k)];
        } else {
          right.row(r) -= entries_[index(k)] * derivative_.row(column);
        }
      }
    }
    point.factor.compute(matrix);
    const Matrix solved = point.factor.solve(right);
    for (std::size_t i = 0; i < point.unknowns.size(); ++i) {
      derivative_.row(point.unknowns[i]) = solved.row(static_cast<Eigen::Index>(i));
      place[index(point.unknowns[i])] = -1;
    }
  }
}

void ShootingProgram::constraints(std::span<double> g) {
  std::vector<double> all(index(nlp_.num_constraints()));
  nlp_.constraints(all);
  std::size_t next = 0;
  for (const int row : kept_rows_) g[next++] = all[index(row)];
  for (const int variable : bounded_) g[next++] = x_[index(variable)];
}

void ShootingProgram::cost_gradient(std::span<double> gradient) {
  find_derivatives();
  Eigen::VectorXd all(nlp_.num_variables());
  nlp_.cost_gradient({all.data(), index(nlp_.num_variables())});
  Eigen::Map<Eigen::VectorXd>(gradient.data(), num_variables()) = derivative_.transpose() * all;
}

void ShootingProgram::jacobian(std::span<double> entries) {
  find_derivatives();
  Eigen::Map<Matrix> out(entries.data(), num_constraints(), num_variables());
  out.setZero();
  Eigen::Index next = 0;
  for (const int row : kept_rows_) {
    for (const auto& [column, k] : row_entries_[index(row)]) {
      out.row(next) += entries_[index(k)] * derivative_.row(column);
    }
    ++next;
  }
  for (const int variable : bounded_) out.row(next++) = derivative_.row(variable);
}

/// Multipliers of the constraints of the whole program, zero for eliminated ones.
std::vector<double> ShootingProgram::spread(std::span<const double> multipliers) const {
  std::vector<double> all(index(nlp_.num_constraints()), 0.0);
  for (std::size_t i = 0; i < kept_rows_.size(); ++i) all[index(kept_rows_[i])] = multipliers[i];
  return all;
}

void ShootingProgram::eliminate_gradient(Eigen::VectorXd& gradient,
                                         std::vector<double>& multipliers) const {
  for (std::size_t k = points_.size(); k-- > 0;) {
    const Point& point = points_[k];
    Eigen::VectorXd right(static_cast<Eigen::Index>(point.unknowns.size()));
    for (std::size_t i = 0; i < point.unknowns.size(); ++i) {
      right(static_cast<Eigen::Index>(i)) = -gradient(point.unknowns[i]);
    }
    const Eigen::VectorXd eta = point.factor.transpose().solve(right);
    for (std::size_t i = 0; i < point.rows.size(); ++i) {
      const double weight = eta(static_cast<Eigen::Index>(i));
      multipliers[index(point.rows[i])] = weight;
      for (const auto& [column, entry] : row_entries_[index(point.rows[i])]) {
        gradient(column) += weight * entries_[index(entry)];
      }
    }
  }
}

void ShootingProgram::hessian(double cost_factor, std::span<const double> multipliers,
                              std::span<double> entries) {
  find_derivatives();
  std::vector<double> all = spread(multipliers);
  Eigen::VectorXd gradient(nlp_.num_variables());
  nlp_.cost_gradient({gradient.data(), index(nlp_.num_variables())});
  gradient *= cost_factor;
  for (const int row : kept_rows_) {
    for (const auto& [column, k] : row_entries_[index(row)]) {
      gradient(column) += all[index(row)] * entries_[index(k)];
    }
  }
  for (std::size_t i = 0; i < bounded_.size(); ++i) {
    gradient(bounded_[i]) += multipliers[kept_rows_.size() + i];
  }
  eliminate_gradient(gradient, all);
  nlp_.hessian(cost_factor, all, hessian_entries_);
  Matrix product = Matrix::Zero(nlp_.num_variables(), num_variables());
  for (std::size_t k = 0; k < hessian_entries_.size(); ++k) {
    const auto& [i, j] = nlp_.hessian_pattern()[k];
    product.row(i) += hessian_entries_[k] * derivative_.row(j);
    if (i != j) product.row(j) += hessian_entries_[k] * derivative_.row(i);
  }
  const Eigen::MatrixXd reduced = derivative_.transpose() * product;
  std::size_t next = 0;
  for (int i = 0; i < num_variables(); ++i) {
    for (int j = 0; j <= i; ++j) entries[next++] = 0.5 * (reduced(i, j) + reduced(j, i));
  }
}

Iterate ShootingProgram::expanded(const Iterate& iterate) {
  Iterate whole;
  // A search that was stopped ends with a motion, too.
  heeds_stop_ = false;
  const bool defined = set_point(iterate.x);
  heeds_stop_ = true;
  whole.x = x_;
  if (!iterate.has_multipliers || !defined || stop_.is_made()) return whole;
  find_derivatives();
  whole.has_multipliers = true;
  whole.multipliers = spread(iterate.multipliers);
  whole.lower_multipliers.assign(x_.size(), 0.0);
  whole.upper_multipliers.assign(x_.size(), 0.0);
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    whole.lower_multipliers[index(kept_[i])] = iterate.lower_multipliers[i];
    whole.upper_multipliers[index(kept_[i])] = iterate.upper_multipliers[i];
  }
  Eigen::VectorXd gradient(nlp_.num_variables());
  nlp_.cost_gradient({gradient.data(), index(nlp_.num_variables())});
  for (const int row : kept_rows_) {
    for (const auto& [column, k] : row_entries_[index(row)]) {
      gradient(column) += whole.multipliers[index(row)] * entries_[index(k)];
    }
  }
  for (std::size_t i = 0; i < bounded_.size(); ++i) {
    const double y = iterate.multipliers[kept_rows_.size() + i];
    gradient(bounded_[i]) += y;
    whole.lower_multipliers[index(bounded_[i])] = std::max(-y, 0.0);
    whole.upper_multipliers[index(bounded_[i])] = std::max(y, 0.0);
  }
  eliminate_gradient(gradient, whole.multipliers);
  return whole;
}

}  // namespace liegrad::control
