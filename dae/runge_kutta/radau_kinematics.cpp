#include "liegrad/dae/runge_kutta/radau_kinematics.hpp"

#include <algorithm>

#include <Eigen/LU>

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
    start_view_.emplace_back(index(NodeView::size(space.group(i))));
  }
  for (std::vector<double>* list : {&rates_, &theta_, &v_, &v_dot_}) {
    list->assign(index(stages_ * dof_), 0.0);
  }
  for_each_part(space, Parts{*this});
}

void RadauKinematics::begin(const State& start, double h) {
  start_ = &start;
  h_ = h;
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
    find_theta();
    for (int i = 0; i < stages_; ++i) {
      const std::size_t first = index(i * dof_), dof = index(dof_);
      space_.apply_tangent_operator_inverse<double>(theta(i), v.subspan(first, dof),
                                                    std::span(rates_).subspan(first, dof));
    }
  }
}

void RadauKinematics::find_theta() {
  std::fill(theta_.begin(), theta_.end(), 0.0);
  const std::size_t dof = index(dof_);
  for (int i = 0; i < stages_; ++i) {
    double* const to = theta_.data() + index(i) * dof;
    for (int j = 0; j < stages_; ++j) {
      const double weight = h_ * coefficients_.a(i, j);
      const double* const p = rates_.data() + index(j) * dof;
      for (std::size_t k = 0; k < dof; ++k) to[k] += weight * p[k];
    }
  }
}

void RadauKinematics::update(std::span<const double> f) {
  find_theta();
  std::fill(v_dot_.begin(), v_dot_.end(), 0.0);
  const std::size_t dof = index(dof_);
  for (int i = 0; i < stages_; ++i) {
    const std::size_t first = index(i) * dof;
    const std::span<double> v = std::span(v_).subspan(first, dof);
    space_.apply_tangent_operator<double>(theta(i), std::span(rates_).subspan(first, dof), v);
    for (std::size_t k = 0; k < dof; ++k) v[k] += f[first + k];
  }
  for (int i = 0; i < stages_; ++i) {
    double* const v_dot = v_dot_.data() + index(i) * dof;
    for (int j = 0; j < stages_; ++j) {
      const double weight = coefficients_.inverse(i, j) / h_;
      const double* const v = v_.data() + index(j) * dof;
      for (std::size_t k = 0; k < dof; ++k) v_dot[k] += weight * (v[k] - start_->v[k]);
    }
  }
}

std::optional<int> RadauKinematics::node_turned_beyond(double angle) const {
  for (int i = 0; i < stages_; ++i) {
    if (const std::optional<int> node = node_beyond(angle, space_, theta(i))) return node;
  }
  return std::nullopt;
}

void RadauKinematics::write_view(int stage, int node, std::span<double> view) const {
  const lie::NodeGroup& group = space_.group(node);
  NodeView::displaced<double>(
      group, start_view_[index(node)],
      theta(stage).subspan(index(space_.dof_offset(node)), index(group.dof())), view);
}

void RadauKinematics::place_start(Assembly& assembly) const {
  for (int i = 0; i < space_.size(); ++i) {
    std::ranges::copy(start_view_[index(i)], assembly.nodes().view(i));
  }
}

void RadauKinematics::place(int stage, Assembly& assembly) const {
  NodeStore& nodes = assembly.nodes();
  for (int i = 0; i < space_.size(); ++i) {
    const lie::NodeGroup& group = space_.group(i);
    const std::size_t first = index(space_.dof_offset(i)), count = index(group.dof());
    write_view(stage, i, std::span(nodes.view(i), index(NodeView::size(group))));
    std::ranges::copy(v(stage).subspan(first, count), nodes.v(i));
    std::ranges::copy(v_dot(stage).subspan(first, count), nodes.v_dot(i));
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
    const Matrix inverse = part.a.partialPivLu().inverse();
    part.a = inverse;
    if (part.is_dual) part.c = -(inverse * part.c * inverse).eval();
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
  const auto gathered = [this, x](int dof) {
    Vector all(3 * stages_);
    for (int i = 0; i < stages_; ++i) {
      for (int k = 0; k < 3; ++k) all(3 * i + k) = x[index(i * dof_ + dof + k)];
    }
    return all;
  };
  const auto add = [this](int dof, const Vector& change) {
    for (int i = 0; i < stages_; ++i) {
      for (int k = 0; k < 3; ++k) rates_[index(i * dof_ + dof + k)] += change(3 * i + k);
    }
  };
  for (const TurningPart& part : turning_) {
    const Vector first = gathered(part.dof);
    add(part.dof, part.a * first);
    if (part.is_dual) add(part.dof + 3, part.c * first + part.a * gathered(part.dof + 3));
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
