#include "liegrad/dae/alpha/alpha_kinematics.hpp"

#include <algorithm>
#include <cstring>

#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

using lie::GroupKind;

}  // namespace

StepCoefficients alpha_coefficients(const AlphaParameters& parameters, double h) {
  return {.c_a = parameters.acceleration_factor(),
          .c_v = h * parameters.velocity_factor(),
          .k_q = h * h,
          .c_r = parameters.velocity_factor(),
          .k_r = h,
          .motion_scale = h,
          .position_scale = 1 / h};
}

AlphaKinematics::AlphaKinematics(const lie::GroupList& space, const AlphaMethod& method,
                                 bool stabilized)
    : space_(space), method_(method), stabilized_(stabilized) {
  const std::size_t dof = index(space.dof());
  for (std::vector<double>* list : {&delta_q_, &surplus_, &v_, &v_dot_, &a_, &stabilizer_, &step_,
                                    &surplus_offset_, &v_offset_, &v_dot_offset_}) {
    list->assign(dof, 0.0);
  }
  int next = 0;
  for (int i = 0; i < space.size(); ++i) {
    first_of_view_.push_back(next);
    next += NodeView::size(space.group(i));
  }
  start_view_.assign(index(next), 0.0);
  end_view_ = start_view_;
  end_q_.assign(index(space.num_coeffs()), 0.0);
  start_q_ = end_q_;
  if (method.sigma != 0) increment_map_.resize(index(space.size()));
}

void AlphaKinematics::begin(const MethodState& start, double h, Assembly& assembly) {
  const AlphaMemory<const double> memory = alpha_memory(start);
  start_ = &start;
  if (h != h_) set_step(h);
  const std::size_t bytes = start.q.size() * sizeof(double);
  if (std::memcmp(start.q.data(), end_q_.data(), bytes) == 0) {
    std::swap(start_view_, end_view_);
    std::swap(start_q_, end_q_);
  } else if (std::memcmp(start.q.data(), start_q_.data(), bytes) != 0) {
    // Another attempt at a step would start where the last one did.
    for (int i = 0; i < space_.size(); ++i) set_view(i, start.q, start_view_);
    start_q_ = start.q;
  }
  if (stabilized_) {
    for (int i = 0; i < space_.size(); ++i) copy_view(i, start_view_, assembly);
    assembly.set_identity_maps();
    const double t_end = assembly.time();
    assembly.set_time(start.t);
    assembly.set_stabilizer();
    assembly.set_time(t_end);
    n_ = &assembly.stabilizer();
    if (sigma_form(method_.sigma) == SigmaForm::kOther) {
      gradient_.assign(n_->numbers().begin(), n_->numbers().end());
    }
    eta_.assign(memory.eta.begin(), memory.eta.end());  // of the last step, as a guess
    has_stabilizer_force_ = false;
  }
  const std::size_t count = delta_q_.size();
  const double *const v = start.v.data(), *const v_dot = start.v_dot.data(),
                      *const a = memory.a.data();
  double* const __restrict surplus = surplus_offset_.data();
  double* const __restrict end_v = v_offset_.data();
  double* const __restrict end_v_dot = v_dot_offset_.data();
  const StartFactors f = start_factors_;
  for (std::size_t i = 0; i < count; ++i) surplus[i] = f.surplus_v * v[i] + f.surplus_a * a[i];
  for (std::size_t i = 0; i < count; ++i) end_v[i] = v[i] + f.v_a * a[i];
  for (std::size_t i = 0; i < count; ++i) {
    end_v_dot[i] = (f.v_dot_a * a[i] - f.v_dot_v_dot * v_dot[i]) / f.v_dot_divisor;
  }
  assembly.coefficients() = coefficients_;
}

/// increment_surplus(), end_auxiliary() and end_acceleration(), as sums of what is known at the start of a step and of what
/// is not, and the coefficients of matrices.
void AlphaKinematics::set_step(double h) {
  h_ = h;
  const AlphaParameters p = method_.parameters;
  v_factor_ = p.velocity_factor();
  a_factor_ = 1 / (p.gamma * h);
  v_dot_factor_ = (1 - p.alpha_m) / (1 - p.alpha_f);
  start_factors_ = {.surplus_v = increment_surplus<double>(p, h, 0, 1, 0),
                    .surplus_a = increment_surplus<double>(p, h, 0, 0, 1),
                    .v_a = (1 - p.gamma) * h,
                    .v_dot_a = p.alpha_m,
                    .v_dot_v_dot = p.alpha_f,
                    .v_dot_divisor = 1 - p.alpha_f};
  coefficients_ = alpha_coefficients(p, h);
}

std::span<const double> AlphaKinematics::start_view(int node) const {
  return std::span(start_view_)
      .subspan(index(first_of_view_[index(node)]), index(NodeView::size(space_.group(node))));
}

void AlphaKinematics::set_view(int node, std::span<const double> q,
                               std::vector<double>& views) const {
  const lie::NodeGroup& group = space_.group(node);
  NodeView::of<double>(
      group, q.subspan(index(space_.coeff_offset(node))),
      std::span(views).subspan(index(first_of_view_[index(node)]), index(NodeView::size(group))));
}

void AlphaKinematics::copy_view(int node, const std::vector<double>& views,
                                Assembly& assembly) const {
  std::memcpy(assembly.nodes().view(node), views.data() + first_of_view_[index(node)],
              index(NodeView::size(space_.group(node))) * sizeof(double));
}

void AlphaKinematics::guess_increment(std::span<const double> delta_q) {
  std::copy(delta_q.begin(), delta_q.end(), delta_q_.begin());
}

void AlphaKinematics::guess_stabilizer(std::span<const double> eta) {
  if (!stabilized_) return;
  std::copy(eta.begin(), eta.end(), eta_.begin());
  has_stabilizer_force_ = false;
}

void AlphaKinematics::guess_acceleration(std::span<const double> v_dot) {
  set_stabilizer_force();
  const AlphaParameters p = method_.parameters;
  const double a_factor = h_ * p.beta / (1 - p.alpha_m), v_dot_factor = a_factor * (1 - p.alpha_f),
               v_dot_n_factor = a_factor * p.alpha_f,
               a_n_factor = (0.5 - p.beta) * h_ - a_factor * p.alpha_m;
  const double *const v_n = start_->v.data(), *const v_dot_n = start_->v_dot.data(),
                      *const a_n = alpha_memory(*start_).a.data(),
                      *const force = stabilizer_.data();
  double* const __restrict delta_q = delta_q_.data();
  for (std::size_t i = 0; i < v_dot.size(); ++i) {
    // Less what η adds, so that the velocity becomes that of the acceleration: v̇ shows errors of v divided by h.
    delta_q[i] = v_n[i] + a_n_factor * a_n[i] + v_dot_factor * v_dot[i] +
                 v_dot_n_factor * v_dot_n[i] - force[i];
  }
}

void AlphaKinematics::set_linear_velocity(int dof, int count) {
  for (std::size_t i = index(dof); i < index(dof + count); ++i) {
    v_[i] = v_factor_ * (surplus_[i] + stabilizer_[i]);
  }
}

template <template <class> class G>
void AlphaKinematics::set_velocity(int dof, const NodeMatrix<G, double>& tangent) {
  Eigen::Map<typename G<double>::Tangent>(v_.data() + dof) =
      end_velocity<G, double>(method_, tangent, part<G>(surplus_, dof), part<G>(stabilizer_, dof));
}

template <template <class> class G>
void AlphaKinematics::set_maps(int node, int dof, const NodeMatrix<G, double>& tangent, double* map,
                               Assembly& assembly) {
  if (method_.sigma == 0) return tangent.store(map);
  using Matrix = NodeMatrix<G, double>;
  using Tangent = typename G<double>::Tangent;
  const double sigma = method_.sigma;
  const Matrix p = sigma_matrix<G, double>(sigma, tangent);
  const Tangent u = part<G>(surplus_, dof) -
                    (1 - sigma) / method_.parameters.velocity_factor() * part<G>(v_, dof);
  const Tangent theta = h_ * part<G>(delta_q_, dof);
  const Matrix derivative = node_tangent_derivative<G, double>(theta, u);
  const Matrix increment = (tangent + derivative.scaled(h_)).inverse() * p;
  (tangent * increment).store(map);

  lie::Mat<double, 6>& full = increment_map_[index(node)];
  for (int i = 0; i < G<double>::kDof; ++i) {
    full.template block<G<double>::kDof, 1>(0, i) = increment * Tangent(Tangent::Unit(i));
  }
  if (!stabilized_ || sigma == 1) return;
  // N = P⁻¹ B(q_n)ᵀ, column by column.
  const Matrix inverse = p.inverse();
  const Stabilizer::Node& of_node = n_->node(node);
  for (int i = 0; i < of_node.num_multipliers; ++i) {
    const std::size_t first = index(of_node.first_number + i * of_node.dof);
    const Tangent column = Eigen::Map<const Tangent>(gradient_.data() + first);
    Eigen::Map<Tangent>(assembly.stabilizer().numbers().data() + first) = inverse * column;
  }
}

template <template <class> class G>
void AlphaKinematics::set_motion(Assembly& assembly, int node, bool with_maps,
                                 const NodeMatrix<G, double>& tangent) {
  const int dof = space_.dof_offset(node);
  if (!is_linear()) set_velocity<G>(dof, tangent);
  if (with_maps) set_maps<G>(node, dof, tangent, assembly.nodes().map(node), assembly);
}

/// Rotation matrix and tangent operator share their functions of the angle. (All in one function: calls would pass each
/// small matrix through memory.)
[[gnu::flatten]] void AlphaKinematics::evaluate_rotation(Assembly& assembly, int node,
                                                         bool with_maps) {
  const lie::Vec<double, 3> theta = h_ * part<lie::SO3>(delta_q_, space_.dof_offset(node));
  const auto c = lie::rotation::stumpff_of<3, double>(theta);
  const lie::Mat<double, 3> turn = lie::rotation::quadratic<double>(c(1), c(2), theta);
  // Written out: Eigen would load packets from the entries just stored one by one and wait for them.
  const double* const r = start_view(node).data();
  double* const view = assembly.nodes().view(node);
  for (int j = 0; j < 3; ++j) {
    const double x = turn(0, j), y = turn(1, j), z = turn(2, j);
    for (int i = 0; i < 3; ++i) view[3 * j + i] = r[i] * x + r[3 + i] * y + r[6 + i] * z;
  }
  set_motion<lie::SO3>(assembly, node, with_maps,
                       {lie::rotation::quadratic<double>(-c(2), c(3), theta)});
}

template <template <class> class G>
void AlphaKinematics::evaluate_pose(Assembly& assembly, int node, bool with_maps) {
  const typename G<double>::Tangent theta = h_ * part<G>(delta_q_, space_.dof_offset(node));
  const lie::NodeGroup& group = space_.group(node);
  NodeView::displaced<double>(group, start_view(node),
                              std::span<const double>(theta.data(), index(group.dof())),
                              std::span(assembly.nodes().view(node), index(NodeView::size(group))));
  set_motion<G>(assembly, node, with_maps, node_tangent<G, double>(theta));
}

void AlphaKinematics::evaluate(Assembly& assembly, bool with_maps) {
  set_stabilizer_force();
  NodeStore& nodes = assembly.nodes();
  // All of a node at once: in a large system its numbers are not in the cache any more when the next pass comes.
  for (int i = 0; i < space_.size(); ++i) {
    const lie::NodeGroup& group = space_.group(i);
    const int first = space_.dof_offset(i);
    if (is_linear()) {
      set_linear_motion(assembly, i);
    } else {
      set_surplus(first, group.dof());
    }
    const auto move_coordinates = [&](int view, int coordinate, int count) {
      const double* const from = start_view(i).data() + view;
      const double* const delta_q = delta_q_.data() + first + coordinate;
      double* const __restrict to = nodes.view(i) + view;
      for (int k = 0; k < count; ++k) to[k] = from[k] + h_ * delta_q[k];
      if (!is_linear()) set_linear_velocity(first + coordinate, count);
    };
    switch (group.kind) {
      case GroupKind::kRn: move_coordinates(0, 0, group.n); break;
      case GroupKind::kSO2: {
        const double angle = h_ * delta_q_[index(first)];
        NodeView::displaced<double>(group, start_view(i), std::span(&angle, 1),
                                    std::span(nodes.view(i), 2));
        if (!is_linear()) set_linear_velocity(first, 1);
        break;
      }
      case GroupKind::kSO3: evaluate_rotation(assembly, i, with_maps); break;
      case GroupKind::kSE2: evaluate_pose<lie::SE2>(assembly, i, with_maps); break;
      case GroupKind::kSE3: evaluate_pose<lie::SE3>(assembly, i, with_maps); break;
      case GroupKind::kSO3xR3:
        evaluate_rotation(assembly, i, with_maps);
        move_coordinates(9, 3, 3);
        break;
    }
    if (!is_linear()) set_rates(assembly, i);
  }
}

/// set_surplus(), set_linear_velocity() and set_rates() in one.
void AlphaKinematics::set_linear_motion(Assembly& assembly, int node) {
  switch (const int count = space_.group(node).dof()) {
    case 1: return set_linear_motion_of<1>(assembly, node, count);
    case 3: return set_linear_motion_of<3>(assembly, node, count);
    case 6: return set_linear_motion_of<6>(assembly, node, count);
    default: return set_linear_motion_of<0>(assembly, node, count);
  }
}

/// Count is the number of velocities if the compiler knows it, else 0.
template <int Count>
void AlphaKinematics::set_linear_motion_of(Assembly& assembly, int node, int given_count) {
  const int count = Count > 0 ? Count : given_count, first = space_.dof_offset(node);
  const double* const delta_q = delta_q_.data() + first;
  const double* const force = stabilizer_.data() + first;
  const double* const surplus_offset = surplus_offset_.data() + first;
  const double* const v_offset = v_offset_.data() + first;
  const double* const v_dot_offset = v_dot_offset_.data() + first;
  double* const __restrict v = v_.data() + first;
  double* const __restrict a = a_.data() + first;
  double* const __restrict v_dot = v_dot_.data() + first;
  double* const __restrict node_v = assembly.nodes().v(node);
  double* const __restrict node_v_dot = assembly.nodes().v_dot(node);
  const double v_factor = v_factor_, a_factor = a_factor_, v_dot_factor = v_dot_factor_;
  for (int k = 0; k < count; ++k) {
    node_v[k] = v[k] = v_factor * (delta_q[k] + surplus_offset[k] + force[k]);
    a[k] = (v[k] - v_offset[k]) * a_factor;
    node_v_dot[k] = v_dot[k] = a[k] * v_dot_factor + v_dot_offset[k];
  }
}

void AlphaKinematics::set_surplus(int dof, int count) {
  for (std::size_t i = index(dof); i < index(dof + count); ++i) {
    surplus_[i] = delta_q_[i] + surplus_offset_[i];
  }
}

/// end_auxiliary() and end_acceleration(), with what is known at the start of the step taken out.
void AlphaKinematics::set_rates(Assembly& assembly, int node) {
  const int first = space_.dof_offset(node), count = space_.group(node).dof();
  double* const v = assembly.nodes().v(node);
  double* const v_dot = assembly.nodes().v_dot(node);
  for (int k = 0; k < count; ++k) {
    const std::size_t i = index(first + k);
    a_[i] = (v_[i] - v_offset_[i]) * a_factor_;
    v_dot_[i] = a_[i] * v_dot_factor_ + v_dot_offset_[i];
    v[k] = v_[i];
    v_dot[k] = v_dot_[i];
  }
}

void AlphaKinematics::conclude(Assembly& assembly) {
  if (!is_linear()) evaluate(assembly, false);
  for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = h_ * delta_q_[i];
  space_.plus<double>(start_->q, step_, end_q_);
  for (int i = 0; i < space_.size(); ++i) {
    if (is_linear()) set_linear_motion(assembly, i);
    set_view(i, end_q_, end_view_);
    copy_view(i, end_view_, assembly);
  }
}

void AlphaKinematics::set_stabilizer_force() {
  if (!stabilized_ || has_stabilizer_force_) return;
  std::fill(stabilizer_.begin(), stabilizer_.end(), 0.0);
  n_->add_product(gradient_.empty() ? n_->numbers() : gradient_, 1, eta_, stabilizer_);
  has_stabilizer_force_ = true;
}

void AlphaKinematics::apply_increment_map(std::span<double> w) const { apply_maps(w, false); }

void AlphaKinematics::apply_increment_map_transposed(std::span<double> x) const {
  apply_maps(x, true);
}

void AlphaKinematics::apply_maps(std::span<double> x, bool transposed) const {
  if (method_.sigma == 0) return;
  const auto apply = [&]<int N>(int node) {
    const lie::Mat<double, N> map = increment_map_[index(node)].topLeftCorner<N, N>();
    Eigen::Map<lie::Vec<double, N>> part(x.data() + space_.dof_offset(node));
    const lie::Vec<double, N> given = part;
    if (transposed) {
      part = map.transpose() * given;
    } else {
      part = map * given;
    }
  };
  for (int i = 0; i < space_.size(); ++i) {
    switch (space_.group(i).kind) {
      case GroupKind::kRn:
      case GroupKind::kSO2: break;
      case GroupKind::kSO3:
      case GroupKind::kSE2:
      case GroupKind::kSO3xR3: apply.operator()<3>(i); break;
      case GroupKind::kSE3: apply.operator()<6>(i); break;
    }
  }
}

void AlphaKinematics::correct(std::span<const double> w, std::span<const double> eta,
                              double fraction) {
  if (is_linear() && !stabilized_) {
    for (std::size_t i = 0; i < delta_q_.size(); ++i) delta_q_[i] += fraction * w[i];
    return;
  }
  std::copy(w.begin(), w.end(), step_.begin());
  if (stabilized_) {
    for (std::size_t i = 0; i < eta_.size(); ++i) eta_[i] += fraction * eta[i];
    n_->add_product(-1, eta, step_);
    // From all of η: where levers are long, what is added up from corrections has lost digits that velocities need.
    has_stabilizer_force_ = false;
    set_stabilizer_force();
  }
  apply_increment_map(step_);
  for (std::size_t i = 0; i < delta_q_.size(); ++i) delta_q_[i] += fraction * step_[i];
}

void AlphaKinematics::finish(MethodState& end) {
  end.q = end_q_;
  // What comes back is overwritten by the next step.
  std::swap(end.v, v_);
  std::swap(end.v_dot, v_dot_);
  const AlphaMemory<double> memory = alpha_memory(end);
  std::ranges::copy(a_, memory.a.begin());
  std::ranges::copy(delta_q_, memory.increment.begin());
  if (stabilized_) std::ranges::copy(eta_, memory.eta.begin());
}

}  // namespace liegrad::dae
