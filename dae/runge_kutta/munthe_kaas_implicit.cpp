#include "liegrad/dae/runge_kutta/munthe_kaas_implicit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/turn.hpp"

namespace liegrad::dae {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// Tolerances of equations that a correction may have: of one that is the last, and where none may be left out.
constexpr double kMostRoundings = 16, kFewRoundings = 6;

}  // namespace

ImplicitMuntheKaas::ImplicitMuntheKaas(const Model& system, const ButcherTableau& tableau,
                                       const NewtonOptions& options)
    : space_(system.configuration_space()),
      tableau_(tableau),
      options_(options),
      stages_(static_cast<int>(tableau.b.size())),
      dof_(system.dof()),
      ends_with_last_stage_(tableau.a.row(tableau.a.rows() - 1) == tableau.b.transpose()),
      assembly_(system, Formulation::kIndex3, false, LinearSolverKind::kAutomatic),
      mass_(assembly_),
      matrix_(tableau, assembly_, mass_.is_constant()),
      unknowns_(index(2 * dof_ * stages_)),
      residual_(unknowns_.size()),
      theta_(index(dof_)),
      v_(index(dof_)),
      tangent_p_(index(dof_)) {
  for (int i = 0; i < space_.size(); ++i) {
    const lie::NodeGroup& group = space_.group(i);
    start_view_.emplace_back(index(NodeView::size(group)));
    for (int k = 0; k < group.dof(); ++k) is_angle_.push_back(k < num_angles(group.kind));
  }
}

void ImplicitMuntheKaas::start(const State& initial, double /*h*/) {
  current.begin(initial);
  upcoming = current;
  mass_.start();
  matrix_.start();
  has_matrix_ = false;
  curvature_ = -1;
  rate_ = 1;
}

template <class Weights>
void ImplicitMuntheKaas::combine(const Weights& weights, double* theta, double* v) const {
  std::fill_n(theta, dof_, 0.0);
  std::copy_n(current.v.data(), dof_, v);
  for (int j = 0; j < stages_; ++j) {
    const double weight = h_ * weights(j);
    const double* const rates = unknowns_.data() + 2 * j * dof_;
    for (int k = 0; k < dof_; ++k) {
      theta[k] += weight * rates[k];
      v[k] += weight * rates[dof_ + k];
    }
  }
}

void ImplicitMuntheKaas::evaluate_stage(int stage, bool with_matrix) {
  combine(tableau_.a.row(stage), theta_.data(), v_.data());
  NodeStore& nodes = assembly_.nodes();
  for (int i = 0; i < space_.size(); ++i) {
    const lie::NodeGroup& group = space_.group(i);
    const int first = space_.dof_offset(i);
    NodeView::displaced<double>(group, start_view_[index(i)],
                                std::span<const double>(theta_).subspan(index(first)),
                                std::span(nodes.view(i), index(NodeView::size(group))));
    std::copy_n(v_.data() + first, group.dof(), nodes.v(i));
    std::copy_n(u(stage) + first, group.dof(), nodes.v_dot(i));
  }
  matrix_.set_tangent(theta_, {p(stage), index(dof_)}, tangent_p_, with_matrix);
  set_time(current.t + tableau_.c(stage) * h_);
  if (with_matrix) {
    matrix_.evaluate(stage, h_, options_.kind != NewtonKind::kSimplified);
  } else {
    assembly_.evaluate(false);
  }
  double* const right = residual_.data() + 2 * stage * dof_;
  for (int k = 0; k < dof_; ++k) {
    right[k] = v_[index(k)] - tangent_p_[index(k)];
    right[dof_ + k] = -assembly_.residual()[index(k)];
  }
}

/// Corrections are compared with velocities, and with what rounding of positions means for them.
void ImplicitMuntheKaas::set_scales() {
  double angle = 0, length = 0, position = 0;
  for (std::size_t i = 0; i < is_angle_.size(); ++i) {
    double& scale = is_angle_[i] ? angle : length;
    scale = std::max({scale, std::abs(current.v[i]), h_ * std::abs(current.v_dot[i])});
  }
  for (int i = 0; i < space_.size(); ++i) {
    const lie::NodeGroup& group = space_.group(i);
    const int last = space_.coeff_offset(i) + group.num_coeffs();
    for (int k = last - (group.dof() - num_angles(group.kind)); k < last; ++k) {
      position = std::max(position, std::abs(current.q[index(k)]));
    }
  }
  const double tolerance =
      (options_.leave_out_last ? kMostRoundings : kFewRoundings) * options_.relative_tolerance;
  angle_scale_ = tolerance * angle + 4 * kEpsilon / h_;
  length_scale_ =
      tolerance * length + 4 * kEpsilon / h_ * position + std::numeric_limits<double>::min();
}

/// The correction stands in residual_.
double ImplicitMuntheKaas::size_of_correction() const {
  double largest = 0;
  for (int i = 0; i < stages_; ++i) {
    const double* const correction = residual_.data() + 2 * i * dof_;
    for (int k = 0; k < dof_; ++k) {
      const double size = std::max(std::abs(correction[k]), h_ * std::abs(correction[dof_ + k]));
      const double relative = size / (is_angle_[index(k)] ? angle_scale_ : length_scale_);
      if (!(relative <= largest)) largest = relative;  // keeps NaN
    }
  }
  return largest;
}

bool ImplicitMuntheKaas::solve_stages() {
  const bool full = options_.kind == NewtonKind::kFull;
  if (h_ != matrix_step_) has_matrix_ = false;
  bool refresh = !has_matrix_;
  double previous = -1;
  for (int iteration = 0;; ++iteration) {
    const bool with_matrix = refresh || full;
    double norm = 0;
    for (int i = 0; i < stages_; ++i) {
      evaluate_stage(i, with_matrix);
      last_report.residuals += 1;
      double sum = 0;
      for (int k = 0; k < 2 * dof_; ++k) {
        const double entry = std::abs(residual_[index(2 * i * dof_ + k)]);
        sum += entry;
        norm = std::max(norm, entry);
      }
      if (!std::isfinite(sum)) {
        const std::string element = assembly_.nonfinite_element();
        if (element.empty()) break;  // the iteration left the range of numbers
        return fail(NewtonFailure::kNonFinite,
                    "element '" + element + "' returns a number that is not finite");
      }
    }
    if (options_.residual_tolerance && norm <= *options_.residual_tolerance) return true;
    if (iteration == options_.max_iterations) {
      return fail(NewtonFailure::kDiverged, "Newton's iteration does not converge in " +
                                                std::to_string(options_.max_iterations) +
                                                " iterations");
    }
    if (with_matrix) {
      last_report.matrices += 1;
      last_report.factorizations += 1;
      if (!matrix_.solver().factorize()) {
        const int unknown = std::max(matrix_.solver().singular_unknown(), 0);
        return fail(NewtonFailure::kSingularMatrix, "the iteration matrix is singular at " +
                                                        assembly_.unknown_name(unknown % dof_));
      }
      has_matrix_ = true;
      matrix_step_ = h_;
      refresh = false;
    }
    matrix_.solver().solve(residual_);
    const double size = size_of_correction();
    if (!std::isfinite(size)) {
      return fail(NewtonFailure::kDiverged, "Newton's iteration diverges");
    }
    for (std::size_t k = 0; k < unknowns_.size(); ++k) unknowns_[k] += residual_[k];
    last_report.newton_iterations += 1;

    if (previous > 0 && full && size > 1) curvature_ = size / (previous * previous);
    if (previous > 0 && !full) {
      rate_ = size / previous;
      const double left = rate_ < 1 ? std::log(std::max(size, 1.0)) / -std::log(rate_) : 1e9;
      refresh = !with_matrix && (rate_ > options_.kept_contraction ||
                                 iteration + 1 + left > options_.max_kept_iterations);
    }
    previous = size;
    // Whether the next correction can be left out.
    const bool done = size <= 1 || (full ? curvature_ >= 0 && curvature_ * size * size <= 1
                                         : rate_ < 1 && rate_ / (1 - rate_) * size <= 1);
    if (done && !options_.residual_tolerance) return true;
  }
}

bool ImplicitMuntheKaas::finish(double t_end) {
  upcoming.t = t_end;
  upcoming.step = h_;
  combine(tableau_.b, theta_.data(), upcoming.v.data());
  space_.plus<double>(current.q, theta_, upcoming.q);
  if (ends_with_last_stage_) {
    std::copy_n(u(stages_ - 1), dof_, upcoming.v_dot.data());
  } else {
    assembly_.set_configuration(upcoming.q);
    assembly_.set_velocity(upcoming.v);
    set_time(t_end);
    if (!mass_.solve(upcoming.v_dot)) return fail(mass_.failure(), mass_.message());
  }
  return true;
}

void ImplicitMuntheKaas::guess() {
  for (int i = 0; i < stages_; ++i) {
    for (int k = 0; k < dof_; ++k) {
      p(i)[k] = current.v[index(k)] + h_ * tableau_.c(i) * current.v_dot[index(k)];
      u(i)[k] = current.v_dot[index(k)];
    }
  }
  if (turned_beyond(kLargestGuessedTurn)) std::fill(unknowns_.begin(), unknowns_.end(), 0.0);
}

std::optional<int> ImplicitMuntheKaas::turned_beyond(double angle) {
  for (int i = 0; i <= stages_; ++i) {
    if (i < stages_) {
      combine(tableau_.a.row(i), theta_.data(), v_.data());
    } else {
      combine(tableau_.b, theta_.data(), v_.data());
    }
    if (const std::optional<int> node = node_beyond(angle, space_, theta_)) return node;
  }
  return std::nullopt;
}

const StepReport& ImplicitMuntheKaas::step(double h, double t_end) {
  h_ = h;
  last_report.success = true;
  last_report.failure = NewtonFailure::kNone;
  last_report.newton_iterations = last_report.matrices = last_report.factorizations =
      last_report.residuals = 0;
  for (int i = 0; i < space_.size(); ++i) {
    NodeView::of<double>(space_.group(i),
                         std::span(current.q).subspan(index(space_.coeff_offset(i))),
                         start_view_[index(i)]);
  }
  guess();
  set_scales();
  if (!solve_stages()) return last_report;
  if (const std::optional<int> node = turned_beyond(std::numbers::pi)) {
    fail(NewtonFailure::kDiverged, half_turn_message(assembly_.system(), *node));
  } else {
    finish(t_end);
  }
  return last_report;
}

bool ImplicitMuntheKaas::fail(NewtonFailure failure, const std::string& message) {
  last_report.success = false;
  last_report.failure = failure;
  last_report.message = message;
  has_matrix_ = false;
  curvature_ = -1;
  rate_ = 1;
  return false;
}

double ImplicitMuntheKaas::error(const ErrorNorm& norm) {
  if (!tableau_.b_embedded) return 0;
  error_.assign(index(2 * dof_), 0.0);
  for (int i = 0; i < 2 * dof_; ++i) {
    for (int j = 0; j < stages_; ++j) {
      error_[index(i)] +=
          h_ * (tableau_.b(j) - (*tableau_.b_embedded)(j)) * unknowns_[index(2 * j * dof_ + i)];
    }
  }
  const std::span<const double> error(error_);
  const double size = norm.size(error.first(index(dof_)), error.last(index(dof_)));
  return size * (tableau_.extrapolates() ? norm.accumulated_over_difference()
                                         : norm.accumulated_over_local(h_));
}

int ImplicitMuntheKaas::error_exponent() const { return tableau_.error_exponent(); }

}  // namespace liegrad::dae
