#include "liegrad/dae/runge_kutta/radau_kinematics.hpp"

#include <algorithm>

#include "liegrad/dae/linear/small_blocks.hpp"
#include "liegrad/dae/system/node_tangent.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/turn.hpp"

namespace liegrad::dae {

struct RadauKinematics::Parts {
  RadauKinematics& all;

  template <template <class> class G>
  void turning(int node, int dof) {
    const std::vector<lie::Mat<double, 3>> none(index(all.stages_));
    all.turning_.push_back({.node = node,
                            .dof = dof,
                            .is_dual = G<double>::kDof == 6,
                            .a = {},
                            .c = {},
                            .tangent_a = none,
                            .tangent_c = none});
  }
  void linear(int dof, int count) { all.linear_.emplace_back(dof, count); }
};

RadauKinematics::RadauKinematics(const lie::GroupList& space, const RadauCoefficients& coefficients)
    : space_(space), coefficients_(coefficients), stages_(coefficients.stages), dof_(space.dof()) {
  for (int i = 0; i < space.size(); ++i) {
    first_of_view_.push_back(size_of_views_);
    start_view_.emplace_back(index(NodeView::size(space.group(i))));
    size_of_views_ += NodeView::size(space.group(i));
  }
  views_.assign(index(stages_ * size_of_views_), 0.0);
  for (std::vector<double>* list : {&rates_, &theta_, &v_, &v_change_, &v_dot_}) {
    list->assign(index(stages_ * dof_), 0.0);
  }
  for_each_part(space, Parts{*this});
}

void RadauKinematics::begin(const State& start, double h) {
  start_ = &start;
  h_ = h;
  for (int i = 0; i < stages_; ++i) {
    for (int j = 0; j < stages_; ++j) {
      h_a_[index(kMostStages * i + j)] = h * coefficients_.a(i, j);
      inverse_over_h_[index(kMostStages * i + j)] = coefficients_.inverse(i, j) / h;
    }
  }
  for (int i = 0; i < space_.size(); ++i) {
    NodeView::of<double>(space_.group(i), std::span(start.q).subspan(index(space_.coeff_offset(i))),
                         start_view_[index(i)]);
  }
}

/// p = T⁻¹(θ)v and θ = hAp by turns; each time p is better by a factor of about the angle of the step.
void RadauKinematics::set_velocities(std::span<const double> v) {
  constexpr int kTimes = 4;
  std::ranges::copy(v, rates_.begin());
  for (int k = 0; k < kTimes; ++k) {
    combine(h_a_, rates_, theta_);
    for (int i = 0; i < stages_; ++i) {
      const std::size_t first = index(i * dof_), dof = index(dof_);
      space_.apply_tangent_operator_inverse<double>(theta(i), v.subspan(first, dof),
                                                    std::span(rates_).subspan(first, dof));
    }
  }
}

void RadauKinematics::combine(const Weights& w, const std::vector<double>& x,
                              std::vector<double>& to) const {
  static_assert(kMostStages == 3);
  const double *const x_0 = x.data(), *const x_1 = x_0 + dof_, *const x_2 = x_1 + dof_;
  double* const __restrict y_0 = to.data(), * const __restrict y_1 = y_0 + dof_;
  double* const __restrict y_2 = y_1 + dof_;
  if (stages_ == 3) {
    for (int k = 0; k < dof_; ++k) {
      const double a = x_0[k], b = x_1[k], c = x_2[k];
      y_0[k] = w[0] * a + w[1] * b + w[2] * c;
      y_1[k] = w[3] * a + w[4] * b + w[5] * c;
      y_2[k] = w[6] * a + w[7] * b + w[8] * c;
    }
  } else {
    for (int k = 0; k < dof_; ++k) {
      const double a = x_0[k], b = x_1[k];
      y_0[k] = w[0] * a + w[1] * b;
      y_1[k] = w[3] * a + w[4] * b;
    }
  }
}

/// Rotation matrix and tangent operator share their functions of the angle.
void RadauKinematics::turn(const double* start_view, const double* theta, const double* p,
                           double* view, double* v) {
  using Vector3 = lie::Vec<double, 3>;
  const Vector3 angle = Eigen::Map<const Vector3>(theta), rate = Eigen::Map<const Vector3>(p);
  const auto c = lie::rotation::stumpff_of<3, double>(angle);
  const lie::Mat<double, 3> by = lie::rotation::quadratic<double>(c(1), c(2), angle);
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      view[3 * j + i] =
          start_view[i] * by(0, j) + start_view[3 + i] * by(1, j) + start_view[6 + i] * by(2, j);
    }
  }
  Eigen::Map<Vector3>{v} = lie::rotation::quadratic_times<double>(-c(2), c(3), angle, rate);
}

template <template <class> class G>
void RadauKinematics::apply_tangent(const double* theta, const double* p, double* v) {
  using Tangent = typename G<double>::Tangent;
  const Tangent rate = Eigen::Map<const Tangent>(p);
  Eigen::Map<Tangent>{v} = node_tangent<G, double>(Eigen::Map<const Tangent>(theta)) * rate;
}

/// The view of a node, and T(θ) p.
void RadauKinematics::move(int node, const double* theta, const double* p, double* view,
                           double* v) const {
  const lie::NodeGroup& group = space_.group(node);
  const std::vector<double>& start = start_view_[index(node)];
  const auto displace = [&] {
    NodeView::displaced<double>(group, start, std::span(theta, index(group.dof())),
                                std::span(view, start.size()));
  };
  switch (group.kind) {
    case lie::GroupKind::kRn:
    case lie::GroupKind::kSO2:
      displace();
      std::copy_n(p, group.dof(), v);
      break;
    case lie::GroupKind::kSE2:
      displace();
      apply_tangent<lie::SE2>(theta, p, v);
      break;
    case lie::GroupKind::kSE3:
      displace();
      apply_tangent<lie::SE3>(theta, p, v);
      break;
    case lie::GroupKind::kSO3: turn(start.data(), theta, p, view, v); break;
    case lie::GroupKind::kSO3xR3:
      turn(start.data(), theta, p, view, v);
      for (int k = 0; k < 3; ++k) {
        view[9 + k] = start[index(9 + k)] + theta[3 + k];
        v[3 + k] = p[3 + k];
      }
      break;
  }
}

void RadauKinematics::update(std::span<const double> f) {
  combine(h_a_, rates_, theta_);
  double* view = views_.data();
  for (int i = 0; i < stages_; ++i) {
    for (int node = 0; node < space_.size(); ++node) {
      const int first = i * dof_ + space_.dof_offset(node);
      move(node, theta_.data() + first, rates_.data() + first, view, v_.data() + first);
      view += start_view_[index(node)].size();
    }
    const double *const v_n = start_->v.data(), *const own_f = f.data() + i * dof_;
    double* const __restrict v = v_.data() + i * dof_;
    double* const __restrict change = v_change_.data() + i * dof_;
    for (int k = 0; k < dof_; ++k) {
      v[k] += own_f[k];
      change[k] = v[k] - v_n[k];
    }
  }
  combine(inverse_over_h_, v_change_, v_dot_);
}

std::optional<int> RadauKinematics::node_turned_beyond(double angle) const {
  for (int i = 0; i < stages_; ++i) {
    if (const std::optional<int> node = node_beyond(angle, space_, theta(i))) return node;
  }
  return std::nullopt;
}

void RadauKinematics::write_view(int stage, int node, std::span<double> view) const {
  std::copy_n(views_.data() + stage * size_of_views_ + first_of_view_[index(node)],
              start_view_[index(node)].size(), view.begin());
}

void RadauKinematics::place_start(Assembly& assembly) const {
  for (int i = 0; i < space_.size(); ++i) {
    std::ranges::copy(start_view_[index(i)], assembly.nodes().view(i));
  }
}

void RadauKinematics::place(int stage, Assembly& assembly) const {
  NodeStore& nodes = assembly.nodes();
  const double* view = views_.data() + stage * size_of_views_;
  for (int i = 0; i < space_.size(); ++i) {
    const int first = stage * dof_ + space_.dof_offset(i), count = space_.group(i).dof();
    const std::size_t size = start_view_[index(i)].size();
    std::copy_n(view, size, nodes.view(i));
    std::copy_n(v_.data() + first, count, nodes.v(i));
    std::copy_n(v_dot_.data() + first, count, nodes.v_dot(i));
    view += size;
  }
}

/// Visits the parts in the order of turning_.
struct RadauKinematics::Linearization {
  RadauKinematics& all;
  TurningPart* next;

  template <template <class> class G>
  void turning(int /*node*/, int dof) {
    using Tangent = typename G<double>::Tangent;
    TurningPart& part = *next++;
    const int size = 3 * all.stages_;
    part.a.setZero(size, size);
    part.c.setZero(size, size);
    for (int i = 0; i < all.stages_; ++i) {
      const double* const at = all.theta_.data() + i * all.dof_ + dof;
      const double* const rate = all.rates_.data() + i * all.dof_ + dof;
      const Tangent angle = Eigen::Map<const Tangent>(at), p = Eigen::Map<const Tangent>(rate);
      const NodeMatrix<G, double> t = node_tangent<G, double>(angle);
      const NodeMatrix<G, double> d = node_tangent_derivative<G, double>(angle, p);
      part.tangent_a[index(i)] = t.a;
      part.a.template block<3, 3>(3 * i, 3 * i) = t.a;
      if constexpr (G<double>::kDof == 6) {
        part.tangent_c[index(i)] = t.c;
        part.c.template block<3, 3>(3 * i, 3 * i) = t.c;
      }
      for (int j = 0; j < all.stages_; ++j) {
        const double weight = all.h_ * all.coefficients_.a(i, j);
        part.a.template block<3, 3>(3 * i, 3 * j) += weight * d.a;
        if constexpr (G<double>::kDof == 6) {
          part.c.template block<3, 3>(3 * i, 3 * j) += weight * d.c;
        }
      }
    }
    small_blocks::invert(size, part.a.data());
    if (part.is_dual) part.c = -(part.a * part.c * part.a).eval();
  }
  void linear(int /*dof*/, int /*count*/) {}
};

void RadauKinematics::linearize() { for_each_part(space_, Linearization{*this, turning_.data()}); }

void RadauKinematics::set_maps(int stage, int column, Assembly& assembly) const {
  const auto rows = [this, stage, column](const Matrix& e) {
    lie::Mat<double, 3> sum = lie::Mat<double, 3>::Zero();
    for (int j = 0; j < stages_; ++j) {
      sum += coefficients_.a(stage, j) * e.block<3, 3>(3 * j, 3 * column);
    }
    return lie::Mat<double, 3>(sum / coefficients_.a(stage, column));
  };
  for (const TurningPart& part : turning_) {
    double* const map = assembly.nodes().map(part.node);
    const lie::Mat<double, 3> a = rows(part.a), &t = part.tangent_a[index(stage)];
    Eigen::Map<lie::Mat<double, 3>>{map} = t * a;
    if (!part.is_dual) continue;
    Eigen::Map<lie::Mat<double, 3>>{map + 9} = part.tangent_c[index(stage)] * a + t * rows(part.c);
  }
}

void RadauKinematics::correct(std::span<const double> x) {
  for (const auto& [first, count] : linear_) {
    for (int i = 0; i < stages_; ++i) {
      for (int k = first; k < first + count; ++k) {
        rates_[index(i * dof_ + k)] += x[index(i * dof_ + k)];
      }
    }
  }
  for (const TurningPart& part : turning_) {
    if (stages_ == 3) {
      add_rates<3>(part, x);
    } else {
      add_rates<2>(part, x);
    }
  }
}

template <int Stages>
void RadauKinematics::add_rates(const TurningPart& part, std::span<const double> x) {
  constexpr int kSize = 3 * Stages;
  using Vector = lie::Vec<double, kSize>;
  using Square = Eigen::Map<const lie::Mat<double, kSize>>;
  const auto gathered = [this, x](int dof) {
    Vector all;
    for (int i = 0; i < Stages; ++i) {
      for (int k = 0; k < 3; ++k) all(3 * i + k) = x[index(i * dof_ + dof + k)];
    }
    return all;
  };
  const auto add = [this](int dof, const Vector& change) {
    for (int i = 0; i < Stages; ++i) {
      for (int k = 0; k < 3; ++k) rates_[index(i * dof_ + dof + k)] += change(3 * i + k);
    }
  };
  const Square a(part.a.data());
  const Vector first = gathered(part.dof);
  add(part.dof, a * first);
  if (part.is_dual) {
    add(part.dof + 3, Square(part.c.data()) * first + a * gathered(part.dof + 3));
  }
}

void RadauKinematics::multiply(Side side, int columns, std::span<double> x) {
  const bool transposed = side == Side::kTransposed;
  const int size = 3 * stages_;
  for (const TurningPart& part : turning_) {
    const int halves = part.is_dual ? 2 : 1;
    product_.assign(index(halves * size * columns), 0.0);
    const auto row = [&](int half, int k) {
      return x.data() + (k / 3 * dof_ + part.dof + 3 * half + k % 3) * columns;
    };
    const auto add = [&](int to_half, int from_half, const Matrix& matrix) {
      for (int i = 0; i < size; ++i) {
        double* const to = product_.data() + (to_half * size + i) * columns;
        for (int k = 0; k < size; ++k) {
          const double entry = transposed ? matrix(k, i) : matrix(i, k);
          const double* const from = row(from_half, k);
          for (int c = 0; c < columns; ++c) to[c] += entry * from[c];
        }
      }
    };
    add(0, 0, part.a);
    if (part.is_dual) {
      add(1, 1, part.a);
      add(transposed ? 0 : 1, transposed ? 1 : 0, part.c);
    }
    const double* from = product_.data();
    for (int half = 0; half < halves; ++half) {
      for (int k = 0; k < size; ++k, from += columns) std::copy_n(from, columns, row(half, k));
    }
  }
}

}  // namespace liegrad::dae
