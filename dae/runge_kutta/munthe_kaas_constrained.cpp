#include "liegrad/dae/runge_kutta/munthe_kaas_constrained.hpp"

#include <algorithm>
#include <numbers>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/turn.hpp"

namespace liegrad::dae {

ConstrainedMuntheKaas::ConstrainedMuntheKaas(const Model& system, const ButcherTableau& tableau)
    : space_(system.configuration_space()),
      tableau_(tableau),
      stages_(static_cast<int>(tableau.b.size())),
      solved_stages_(tableau.first_same_as_last() ? stages_ - 1 : stages_),
      dof_(system.dof()),
      accelerations_(system, false, LinearSolverKind::kAutomatic),
      solver_(accelerations_.assembly().matrix().kind()),
      projection_(accelerations_.assembly()),
      theta_(index(dof_)),
      rates_(index(2 * stages_ * dof_)),
      error_(index(2 * dof_)) {}

void ConstrainedMuntheKaas::start(const State& initial, double /*h*/) {
  current.begin(initial);
  upcoming = current;
  at_ = current;
  accelerations_.forget();
  projection_.start();
}

template <class Weights>
bool ConstrainedMuntheKaas::combine(const Weights& weights, int count, double h) {
  std::ranges::fill(theta_, 0.0);
  std::ranges::copy(current.v, at_.v.begin());
  for (int j = 0; j < count; ++j) {
    const double weight = h * weights(j);
    for (int k = 0; k < dof_; ++k) {
      theta_[index(k)] += weight * rate(j)[k];
      at_.v[index(k)] += weight * rate(j)[dof_ + k];
    }
  }
  if (const std::optional<int> node = node_beyond(std::numbers::pi, space_, theta_)) {
    return fail(NewtonFailure::kDiverged, half_turn_message(assembly().system(), *node));
  }
  space_.plus<double>(current.q, theta_, at_.q);
  return true;
}

/// Of the stage that stands in at_, whose v̇, λ and s are the guess.
bool ConstrainedMuntheKaas::find_rate(int stage, double t) {
  at_.t = t;
  set_time(t);
  last_report.residuals += 1;
  if (!accelerations_.solve(at_)) return fail(accelerations_.failure(), accelerations_.message());
  last_report.matrices += accelerations_.factorizations();
  last_report.factorizations += accelerations_.factorizations();
  if (stage >= stages_) return true;
  space_.apply_tangent_operator_inverse<double>(theta_, at_.v, {rate(stage), index(dof_)});
  std::ranges::copy(at_.v_dot, rate(stage) + dof_);
  return true;
}

const StepReport& ConstrainedMuntheKaas::step(double h, double t_end) {
  last_report.success = true;
  last_report.failure = NewtonFailure::kNone;
  last_report.residuals = last_report.matrices = last_report.factorizations = 0;
  std::ranges::copy(current.v, rate(0));
  std::ranges::copy(current.v_dot, rate(0) + dof_);
  take_start_accelerations();
  for (int i = 1; i < solved_stages_; ++i) {
    if (!combine(tableau_.a.row(i), i, h)) return last_report;
    if (!find_rate(i, current.t + tableau_.c(i) * h)) return last_report;
  }
  if (!combine(tableau_.b, solved_stages_, h)) return last_report;
  at_.t = t_end;
  set_time(t_end);
  take_start_accelerations();
  if (!projection_.project(at_)) {
    fail(NewtonFailure::kDiverged, projection_.message());
    return last_report;
  }
  if (!find_rate(solved_stages_, t_end)) return last_report;
  last_report.position_residual = projection_.position_residual();
  last_report.velocity_residual = projection_.velocity_residual();
  at_.step = h;
  std::swap(upcoming, at_);
  return last_report;
}

void ConstrainedMuntheKaas::take_start_accelerations() {
  std::ranges::copy(current.v_dot, at_.v_dot.begin());
  std::ranges::copy(current.lambda, at_.lambda.begin());
  std::ranges::copy(current.s, at_.s.begin());
}

bool ConstrainedMuntheKaas::fail(NewtonFailure failure, const std::string& message) {
  last_report.success = false;
  last_report.failure = failure;
  last_report.message = message;
  return false;
}

double ConstrainedMuntheKaas::error(const ErrorNorm& norm) {
  std::ranges::fill(error_, 0.0);
  for (int j = 0; j < stages_; ++j) {
    const double weight = upcoming.step * (tableau_.b(j) - (*tableau_.b_embedded)(j));
    for (int k = 0; k < 2 * dof_; ++k) error_[index(k)] += weight * rate(j)[k];
  }
  const std::span<const double> error(error_);
  const double size = norm.size(error.first(index(dof_)), error.last(index(dof_)));
  return size * (tableau_.extrapolates() ? norm.accumulated_over_difference()
                                         : norm.accumulated_over_local(upcoming.step));
}

}  // namespace liegrad::dae
