#include "liegrad/optimize/fit/initial_chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>
#include <Eigen/QR>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::optimize {

using dae::index;

InitialChart::InitialChart(const dae::System& system, const InitialCoordinates& coordinates,
                           dae::ConsistencyOptions options, dae::LinearSolverKind solver)
    : system_(system),
      coordinates_(coordinates),
      space_(system.configuration_space()),
      state_(coordinates.base()) {
  options.project = true;
  options.check_elements = false;
  consistency_ = std::make_unique<dae::Consistency>(system_, options, solver);
  logarithm_ = Eigen::VectorXd::Zero(system.dof());
  // Without constraints nodes that have no unknown of a kind stay as they are.
  const auto matters = [&](int dof, bool is_velocity) {
    const std::string& name = coordinates_.dof_names_[index(dof)];
    return coordinates_.has_constraints_ ||
           std::any_of(coordinates_.free_.begin(), coordinates_.free_.end(), [&](const auto& one) {
             const std::string& other = coordinates_.dof_names_[index(one.dof)];
             return one.is_velocity == is_velocity &&
                    name.substr(0, name.rfind('%')) == other.substr(0, other.rfind('%'));
           });
  };
  for (const bool is_velocity : {false, true}) {
    for (const int dof : coordinates_.independent_) {
      if (!is_velocity && coordinates_.is_first_order_[index(dof)]) continue;
      if (!matters(dof, is_velocity)) continue;
      list_.push_back({dof, is_velocity});
      variables_.push_back(coordinates_.name_of(dof, is_velocity));
    }
  }
  for (const auto& one : coordinates_.free_) {
    const auto place = std::find(variables_.begin(), variables_.end(), one.name);
    places_.push_back(static_cast<int>(place - variables_.begin()));
  }
}

void InitialChart::set_free(std::span<const double> values) {
  for (const Variable& one : list_) {
    if (one.is_velocity) {
      state_.v[index(one.dof)] = coordinates_.base_.v[index(one.dof)];
    } else {
      logarithm_(one.dof) = 0;
    }
  }
  for (std::size_t i = 0; i < coordinates_.free_.size(); ++i) {
    const auto& entry = coordinates_.free_[i];
    if (entry.is_velocity) {
      state_.v[index(entry.dof)] = values[i];
    } else {
      logarithm_(entry.dof) = values[i];
    }
  }
}

const dae::InitialValues& InitialChart::state(std::span<const double> values, double t,
                                              std::span<const double> parameters) {
  set_free(values);
  if (coordinates_.has_constraints_) {
    try {
      follow_constraints(t, parameters);
    } catch (const Error&) {
      // Entries that follow start from those of the system again, next time.
      logarithm_.setZero();
      state_ = coordinates_.base_;
      throw;
    }
  }
  space_.plus<double>(coordinates_.base_.q, {logarithm_.data(), index(system_.dof())}, state_.q);
  return state_;
}

/// Newton's method for the entries that follow, with the projection along M⁻¹Bᵀ and a motion along the constraints that
/// brings independent entries back.
void InitialChart::follow_constraints(double t, std::span<const double> parameters) {
  const std::vector<int>& independent = coordinates_.independent_;
  const int dof = system_.dof();
  const std::vector<double> controls(system_.controls().size(), 0.0);
  consistency_->set_parameters(parameters);
  const std::span<double> logarithm(logarithm_.data(), index(dof));
  constexpr int kMost = 50;
  constexpr double kSmall = 1e-13;
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMost; ++i) {
    space_.plus<double>(coordinates_.base_.q, logarithm, state_.q);
    const dae::State there = consistency_->initial_state(t, controls, state_);
    const Eigen::MatrixXd along = tangential_part(*consistency_, there, independent);
    // δ of there = here∘exp(δ), and in entries of the logarithm.
    Eigen::VectorXd change(dof);
    space_.minus<double>(there.q, state_.q, {change.data(), index(dof)});
    const auto in_logarithm = [&](const Eigen::VectorXd& delta) {
      Eigen::VectorXd result(dof);
      space_.apply_tangent_operator_inverse<double>(logarithm, {delta.data(), index(dof)},
                                                    {result.data(), index(dof)});
      return result;
    };
    Eigen::MatrixXd slopes(dof, along.cols());
    for (Eigen::Index j = 0; j < along.cols(); ++j) slopes.col(j) = in_logarithm(along.col(j));
    const Eigen::VectorXd moved = in_logarithm(change);
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(slopes(independent, Eigen::all));
    const Eigen::VectorXd step = moved - slopes * qr.solve(Eigen::VectorXd(moved(independent)));
    const Eigen::Map<const Eigen::VectorXd> projected(there.v.data(), dof);
    Eigen::Map<Eigen::VectorXd> v(state_.v.data(), dof);
    const Eigen::VectorXd velocity_change = projected - v;
    const Eigen::VectorXd velocity_step =
        velocity_change -
        along * Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(along(independent, Eigen::all))
                    .solve(Eigen::VectorXd(velocity_change(independent)));
    for (int k = 0; k < dof; ++k) {
      if (std::find(independent.begin(), independent.end(), k) != independent.end()) continue;
      logarithm_(k) += step(k);
      v(k) += velocity_step(k);
    }
    const double size = step.lpNorm<Eigen::Infinity>();
    const bool is_small = size <= kSmall * (1 + logarithm_.lpNorm<Eigen::Infinity>());
    // Near rounding steps become no shorter.
    const bool is_rounding = size < 1e-10 && size > 0.5 * before;
    if (i > 0 && (is_small || is_rounding)) return;
    before = size;
  }
  throw Error("the constraints cannot be satisfied with these initial values; '" +
              coordinates_.free_.front().name + "' is among them");
}

void InitialChart::change_columns(const Eigen::MatrixXd& start, int num_parameters,
                                  const Eigen::MatrixXd& jacobian, Eigen::MatrixXd& result) const {
  const int dof = system_.dof();
  const Eigen::Index size = std::ssize(list_);
  const std::span<const double> logarithm(logarithm_.data(), index(dof));
  // Derivatives of the independent entries by parameters and variables.
  Eigen::MatrixXd entries = Eigen::MatrixXd::Zero(size, num_parameters + size);
  Eigen::VectorXd turned(dof), delta(dof);
  for (Eigen::Index j = 0; j < entries.cols(); ++j) {
    Eigen::VectorXd velocity = Eigen::VectorXd::Zero(dof);
    delta.setZero();
    if (needs_start()) {
      delta = start.col(j).head(dof);
      velocity = start.col(j).tail(dof);
    } else if (j >= num_parameters) {
      const Variable& own = list_[static_cast<std::size_t>(j - num_parameters)];
      (own.is_velocity ? velocity : delta)(own.dof) = 1;
    }
    space_.apply_tangent_operator_inverse<double>(logarithm, {delta.data(), index(dof)},
                                                  {turned.data(), index(dof)});
    for (Eigen::Index i = 0; i < size; ++i) {
      const Variable& row = list_[static_cast<std::size_t>(i)];
      entries(i, j) = (row.is_velocity ? velocity : turned)(row.dof);
    }
  }
  // G_p dp + K η = dy for the perturbation η of the start, so that η = K⁻¹(dy - G_p dp).
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(entries.rightCols(size));
  Eigen::MatrixXd by_entries = Eigen::MatrixXd::Identity(size, size);
  by_entries = lu.solve(by_entries);
  const Eigen::MatrixXd changed = jacobian.rightCols(size) * by_entries;
  result.resize(jacobian.rows(), num_parameters + std::ssize(places_));
  result.leftCols(num_parameters) =
      jacobian.leftCols(num_parameters) - changed * entries.leftCols(num_parameters);
  for (Eigen::Index j = 0; j < std::ssize(places_); ++j) {
    result.col(num_parameters + j) = changed.col(places_[static_cast<std::size_t>(j)]);
  }
}

}  // namespace liegrad::optimize
