#include "liegrad/dae/runge_kutta/munthe_kaas_explicit.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/node_tangent.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/small_rotation.hpp"
#include "liegrad/dae/system/turn.hpp"

namespace liegrad::dae {
namespace {

using lie::GroupKind;

/// Numbers that are combined at once.
constexpr int kPacket = 4;

/// R exp(θ~) and T⁻¹(θ)ω.
[[gnu::flatten]] void turn(const double* start, const double* theta, const double* omega,
                           double* view, double* rate) {
  using Vec3 = lie::Vec<double, 3>;
  using Mat3 = lie::Mat<double, 3>;
  const Vec3 angle(theta[0], theta[1], theta[2]);
  const double x = lie::rotation::dot<double>(angle, angle);
  double c1, c2, d;
  if (x < SmallRotation::kLargest) {
    const SmallRotation small(x);
    c1 = small.c1, c2 = small.c2, d = small.d;
  } else {
    const auto c = lie::rotation::stumpff_of<2, double>(angle);
    c1 = c(1), c2 = c(2), d = lie::rotation::inverse_coefficient<double>(x);
  }
  // Written out: Eigen would go through a temporary, and wait for it to be stored.
  const Mat3 by = lie::rotation::quadratic<double>(c1, c2, angle);
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      view[3 * j + i] = start[i] * by(0, j) + start[3 + i] * by(1, j) + start[6 + i] * by(2, j);
    }
  }
  Eigen::Map<Vec3>{rate} =
      lie::rotation::quadratic_times<double>(0.5, d, angle, Vec3(omega[0], omega[1], omega[2]));
}

template <template <class> class G>
void move(const lie::NodeGroup& group, const double* start, const double* theta, const double* v,
          double* view, double* rate) {
  using Tangent = typename G<double>::Tangent;
  const std::size_t size = index(NodeView::size(group));
  NodeView::displaced<double>(group, {start, size}, {theta, G<double>::kDof}, {view, size});
  Eigen::Map<Tangent>{rate} =
      G<double>::tangent_operator_inverse(Eigen::Map<const Tangent>(theta)) *
      Eigen::Map<const Tangent>(v);
}

void move_node(const lie::NodeGroup& group, const double* start, const double* theta,
               const double* v, double* view, double* rate) {
  switch (group.kind) {
    case GroupKind::kRn:
      for (int k = 0; k < group.n; ++k) {
        view[k] = start[k] + theta[k];
        rate[k] = v[k];
      }
      break;
    case GroupKind::kSO2: move<lie::SO2>(group, start, theta, v, view, rate); break;
    case GroupKind::kSE2: move<lie::SE2>(group, start, theta, v, view, rate); break;
    case GroupKind::kSE3: move<lie::SE3>(group, start, theta, v, view, rate); break;
    case GroupKind::kSO3: turn(start, theta, v, view, rate); break;
    case GroupKind::kSO3xR3:
      turn(start, theta, v, view, rate);
      for (int k = 0; k < 3; ++k) {
        view[9 + k] = start[9 + k] + theta[3 + k];
        rate[3 + k] = v[3 + k];
      }
      break;
  }
}

}  // namespace

ExplicitMuntheKaas::ExplicitMuntheKaas(const Model& system, const ButcherTableau& tableau)
    : space_(system.configuration_space()),
      tableau_(tableau),
      stages_(static_cast<int>(tableau.b.size())),
      dof_(system.dof()),
      row_((2 * dof_ + kPacket - 1) / kPacket * kPacket),
      assembly_(system, Formulation::kIndex3, false, LinearSolverKind::kAutomatic),
      solver_(assembly_.matrix().kind()),
      mass_(assembly_),
      ends_with_last_stage_(tableau.first_same_as_last()),
      weights_(index(stages_ * (stages_ + 1))),
      error_weights_(index(stages_)),
      start_(index(row_)),
      point_(index(row_)),
      rates_(index(row_ * (stages_ + 1))) {
  int size = 0;
  for (int i = 0; i < space_.size(); ++i) {
    const lie::NodeGroup& group = space_.group(i);
    places_.push_back({group, group.dof(), space_.dof_offset(i), space_.coeff_offset(i), size,
                       assembly_.nodes().view(i), assembly_.nodes().v(i)});
    size += NodeView::size(group);
  }
  start_view_.resize(index(size));
  end_view_.resize(index(size));
}

void ExplicitMuntheKaas::start(const State& initial, double /*h*/) {
  current.begin(initial);
  upcoming = current;
  mass_.start();
  assembly_.set_configuration(current.q);
  for (const Place& node : places_) {
    std::copy_n(node.to_view, NodeView::size(node.group), start_view_.data() + node.view);
  }
}

void ExplicitMuntheKaas::set_coefficients(double h) {
  if (h == h_) return;
  h_ = h;
  for (int i = 0; i < stages_; ++i) {
    for (int j = 0; j < stages_; ++j) weights_[index(i * stages_ + j)] = h * tableau_.a(i, j);
    weights_[index(stages_ * stages_ + i)] = h * tableau_.b(i);
    if (tableau_.b_embedded) {
      error_weights_[index(i)] = h * (tableau_.b(i) - (*tableau_.b_embedded)(i));
    }
  }
}

void ExplicitMuntheKaas::combine(const double* weights, int count) {
  // A rotation fills two packets, a rigid body three.
  switch (row_ / kPacket) {
    case 2: return add_rates<2 * kPacket>(weights, count, 0);
    case 3: return add_rates<3 * kPacket>(weights, count, 0);
    default:
      for (int at = 0; at < row_; at += kPacket) add_rates<kPacket>(weights, count, at);
  }
}

template <int N>
void ExplicitMuntheKaas::add_rates(const double* weights, int count, int at) {
  using Numbers = Eigen::Array<double, N, 1>;
  Numbers sum = Eigen::Map<const Numbers>(start_.data() + at);
  const double* rates = rates_.data() + at;
  for (int j = 0; j < count; ++j, rates += row_)
    sum += weights[j] * Eigen::Map<const Numbers>(rates);
  Eigen::Map<Numbers>(point_.data() + at) = sum;
}

void ExplicitMuntheKaas::move_nodes(double* rates) {
  const double* const theta = point_.data();
  const double* const v = theta + dof_;
  const double* const views = start_view_.data();
  for (const Place& node : places_) {
    move_node(node.group, views + node.view, theta + node.dof, v + node.dof, node.to_view,
              rates + node.dof);
    for (int k = 0; k < node.num_dof; ++k) node.to_v[k] = v[node.dof + k];
  }
}

void ExplicitMuntheKaas::move_to_end() {
  const std::span<const double> point(point_);
  space_.plus<double>(current.q, point.first(index(dof_)), upcoming.q);
  std::copy_n(point_.data() + dof_, dof_, upcoming.v.data());
  for (const Place& node : places_) {
    const std::span view(node.to_view, index(NodeView::size(node.group)));
    NodeView::of<double>(node.group, std::span(upcoming.q).subspan(index(node.coeff)), view);
    std::copy(view.begin(), view.end(), end_view_.data() + node.view);
    for (int k = 0; k < node.num_dof; ++k) node.to_v[k] = upcoming.v[index(node.dof + k)];
  }
}

bool ExplicitMuntheKaas::evaluate(double t, double* v_dot) {
  set_time(t);
  last_report.residuals += 1;
  if (mass_.solve({v_dot, index(dof_)})) return true;
  last_report.success = false;
  last_report.failure = mass_.failure();
  last_report.message = mass_.message();
  return false;
}

bool ExplicitMuntheKaas::turns_too_far() {
  const std::optional<int> node = node_beyond(std::numbers::pi, space_, point_);
  if (!node) return false;
  last_report.success = false;
  last_report.failure = NewtonFailure::kDiverged;
  last_report.message = half_turn_message(assembly_.system(), *node);
  return true;
}

const StepReport& ExplicitMuntheKaas::step(double h, double t_end) {
  set_coefficients(h);
  last_report.success = true;
  last_report.failure = NewtonFailure::kNone;
  last_report.residuals = 0;
  std::copy(current.v.begin(), current.v.end(), start_.begin() + dof_);
  std::copy(current.v.begin(), current.v.end(), rates_.begin());
  std::copy(current.v_dot.begin(), current.v_dot.end(), rates_.begin() + dof_);
  mass_.set_checked(false);
  if (!run_stages(t_end)) return last_report;
  // What is not finite in a stage reaches the end. Only then it is worth looking where it began.
  double sum = 0;
  for (int k = 0; k < dof_; ++k) sum += upcoming.v[index(k)] + upcoming.v_dot[index(k)];
  if (std::isfinite(sum)) return last_report;
  mass_.set_checked(true);
  if (run_stages(t_end)) {
    last_report.success = false;
    last_report.failure = NewtonFailure::kDiverged;
    last_report.message = "the step leaves the range of numbers";
  }
  return last_report;
}

bool ExplicitMuntheKaas::run_stages(double t_end) {
  const int inner = ends_with_last_stage_ ? stages_ - 1 : stages_;
  double* rates = rates_.data() + row_;
  for (int i = 1; i < inner; ++i, rates += row_) {
    combine(weights_.data() + i * stages_, i);
    if (turns_too_far()) return false;
    move_nodes(rates);
    if (!evaluate(current.t + tableau_.c(i) * h_, rates + dof_)) return false;
  }
  combine(weights_.data() + stages_ * stages_, inner);
  if (turns_too_far()) return false;
  if (ends_with_last_stage_) move_nodes(rates);  // for θ', which the embedded method uses
  move_to_end();
  if (!evaluate(t_end, rates + dof_)) return false;
  std::copy_n(rates + dof_, dof_, upcoming.v_dot.data());
  upcoming.t = t_end;
  upcoming.step = h_;
  return true;
}

void ExplicitMuntheKaas::accept() {
  std::swap(current, upcoming);
  std::swap(start_view_, end_view_);
}

double ExplicitMuntheKaas::error(const ErrorNorm& norm) {
  error_.assign(index(2 * dof_), 0.0);
  for (int i = 0; i < 2 * dof_; ++i) {
    for (int j = 0; j < stages_; ++j) {
      error_[index(i)] += error_weights_[index(j)] * rates_[index(j * row_ + i)];
    }
  }
  const std::span<const double> error(error_);
  const double size = norm.size(error.first(index(dof_)), error.last(index(dof_)));
  return size * (tableau_.extrapolates() ? norm.accumulated_over_difference()
                                         : norm.accumulated_over_local(h_));
}

int ExplicitMuntheKaas::error_exponent() const { return tableau_.error_exponent(); }

double ExplicitMuntheKaas::longest_step() const {
  return kLongestTurn * step_of_half_turn(assembly_.system().configuration_space(), current.v);
}

}  // namespace liegrad::dae
