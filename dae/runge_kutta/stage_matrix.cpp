#include "liegrad/dae/runge_kutta/stage_matrix.hpp"

#include <algorithm>

#include "liegrad/dae/system/node_tangent.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

/// Where T and D of all parts can have entries: whole blocks, row after row, or a diagonal.
struct NodeEntries {
  std::vector<std::pair<int, int>> entries = {};

  template <template <class> class G>
  void turning(int /*node*/, int dof) {
    for (int i = 0; i < G<double>::kDof; ++i) {
      for (int j = 0; j < G<double>::kDof; ++j) entries.emplace_back(dof + i, dof + j);
    }
  }
  void linear(int dof, int count) {
    for (int i = 0; i < count; ++i) entries.emplace_back(dof + i, dof + i);
  }
};

std::vector<std::pair<int, int>> node_entries(const lie::GroupList& space) {
  NodeEntries list;
  for_each_part(space, list);
  return list.entries;
}

/// T, T p and, with_derivative, D in the order of NodeEntries, and Q = T.
struct Tangents {
  const double *theta, *p;
  bool with_derivative;
  NodeStore& nodes;
  double *tangent, *derivative, *tangent_p;

  template <template <class> class G>
  void turning(int node, int dof) {
    using Tangent = typename G<double>::Tangent;
    using Map = typename G<double>::TangentMap;
    using Rows = Eigen::Matrix<double, G<double>::kDof, G<double>::kDof, Eigen::RowMajor>;
    const Eigen::Map<const Tangent> angle(theta + dof), rate(p + dof);
    const Map t = G<double>::tangent_operator(angle);
    NodeMatrix<G, double>::of(t).store(nodes.map(node));
    Eigen::Map<Tangent>{tangent_p + dof} = t * rate;
    if (with_derivative) {
      Map d;
      for (int i = 0; i < G<double>::kDof; ++i) {
        d.col(i) = G<double>::tangent_operator_derivative(angle, rate, Tangent::Unit(i));
      }
      Eigen::Map<Rows>{tangent} = t;
      Eigen::Map<Rows>{derivative} = d;
    }
    tangent += Map::SizeAtCompileTime;
    derivative += Map::SizeAtCompileTime;
  }
  void linear(int dof, int count) {
    std::copy_n(p + dof, count, tangent_p + dof);
    tangent = std::fill_n(tangent, count, 1.0);
    derivative = std::fill_n(derivative, count, 0.0);
  }
};

}  // namespace

StageMatrix::StageMatrix(const ButcherTableau& tableau, Assembly& assembly, bool has_constant_mass)
    : assembly_(assembly),
      a_(tableau.a),
      stages_(static_cast<int>(tableau.b.size())),
      dof_(assembly.system().dof()),
      has_constant_mass_(has_constant_mass),
      tangent_entries_(node_entries(assembly.system().configuration_space())),
      tangent_(tangent_entries_.size()),
      derivative_(tangent_entries_.size()),
      mass_(assembly.pattern().size()),
      damping_(assembly.pattern().size()),
      stiffness_(assembly.pattern().size()),
      solver_(pattern()),
      positions_(index(stages_)) {
  for (const auto& [row, column] : assembly_.pattern()) {
    assembly_positions_.push_back(assembly_.matrix().position(row, column));
  }
  for (int i = 0; i < stages_; ++i) {
    for_each_entry(i, 0, [&](int row, int column, double) {
      positions_[index(i)].push_back(solver_.position(row, column));
    });
  }
}

SparsePattern StageMatrix::pattern() const {
  SparsePattern pattern{.size = 2 * dof_ * stages_};
  for (int i = 0; i < stages_; ++i) {
    for_each_entry(i, 0,
                   [&](int row, int column, double) { pattern.entries.emplace_back(row, column); });
  }
  return pattern;
}

template <class F>
void StageMatrix::for_each_entry(int stage, double h, F&& f) const {
  const std::vector<std::pair<int, int>>& motion = assembly_.pattern();
  const int row = 2 * stage * dof_;
  for (int j = 0; j < stages_; ++j) {
    if (j != stage && a_(stage, j) == 0) continue;
    const double weight = h * a_(stage, j), own = j == stage ? 1 : 0;
    const int column = 2 * j * dof_;
    for (std::size_t k = 0; k < tangent_entries_.size(); ++k) {
      const auto& [r, c] = tangent_entries_[k];
      f(row + r, column + c, own * tangent_[k] + weight * derivative_[k]);
    }
    for (int k = 0; k < dof_; ++k) f(row + k, column + dof_ + k, -weight);
    for (std::size_t k = 0; k < motion.size(); ++k) {
      const auto& [r, c] = motion[k];
      f(row + dof_ + r, column + c, weight * stiffness_[k]);
      f(row + dof_ + r, column + dof_ + c, own * mass_[k] + weight * damping_[k]);
    }
  }
}

void StageMatrix::set_tangent(std::span<const double> theta, std::span<const double> p,
                              std::span<double> tangent_p, bool with_matrix) {
  for_each_part(assembly_.system().configuration_space(),
                Tangents{theta.data(), p.data(), with_matrix, assembly_.nodes(), tangent_.data(),
                         derivative_.data(), tangent_p.data()});
}

void StageMatrix::evaluate(int stage, double h, bool with_forces) {
  if (!(has_mass_ && has_constant_mass_)) {
    evaluate_part({.c_a = 1, .c_v = 0, .k_q = 0}, mass_);
    has_mass_ = true;
  }
  if (with_forces) {
    evaluate_part({.c_a = 0, .c_v = 1, .k_q = 0}, damping_);
    evaluate_part({.c_a = 0, .c_v = 0, .k_q = 1}, stiffness_);
  } else {
    assembly_.evaluate(false);
  }
  const int* position = positions_[index(stage)].data();
  for_each_entry(stage, h, [&position, values = solver_.values()](int, int, double value) {
    values[index(*position++)] = value;
  });
}

void StageMatrix::evaluate_part(const StepCoefficients& coefficients, std::vector<double>& values) {
  assembly_.coefficients() = coefficients;
  assembly_.evaluate(true);
  const std::span<const double> matrix = assembly_.matrix().values();
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = matrix[index(assembly_positions_[k])];
}

}  // namespace liegrad::dae
