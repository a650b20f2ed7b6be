#include "liegrad/sensitivity/step/correction_map.hpp"

#include <algorithm>

#include "liegrad/dae/system/node_tangent.hpp"
#include "liegrad/sensitivity/step/entries.hpp"

namespace liegrad::sensitivity {
namespace {

using Span = std::span<double>;
using Const = std::span<const double>;

enum class Side { kPlain, kTransposed };

/// y += factor · Q x, or Qᵀ x, part by part, with Q in the short form of node_tangent.hpp.
template <Side side>
class Product {
 public:
  Product(int columns, dae::NodeStore& nodes, double factor, Const x, Span y)
      : entries_(columns), nodes_(nodes), factor_(factor), x_(x), y_(y) {}

  template <template <class> class G>
  void turning(int node, int dof) const {
    const double* const map = nodes_.map(node);
    block(map, dof, dof);
    if constexpr (G<double>::kDof == 6) {
      block(map + 9, dof + 3, dof);
      block(map, dof + 3, dof + 3);
    }
  }
  void linear(int dof, int count) const { entries_.add_multiple(factor_, x_, dof, count, y_, dof); }

 private:
  /// A block of three rows, column after column.
  void block(const double* numbers, int row, int column) const {
    const auto entry = [&](int i, int j) { return factor_ * numbers[3 * j + i]; };
    for (int k = 0; k < 3; ++k) {
      if constexpr (side == Side::kPlain) {
        entries_.add_sum({entry(k, 0), entry(k, 1), entry(k, 2)}, x_, column, y_, row + k);
      } else {
        entries_.add_sum({entry(0, k), entry(1, k), entry(2, k)}, x_, row, y_, column + k);
      }
    }
  }

  Entries entries_;
  dae::NodeStore& nodes_;
  double factor_;
  Const x_;
  Span y_;
};

}  // namespace

void CorrectionMap::set_step(double h) {
  const dae::AlphaParameters& p = parameters_;
  h_ = h;
  of_v_ = p.velocity_factor();
  of_a_ = of_v_ / (p.gamma * h);
  of_v_dot_ = (1 - p.alpha_m) / (1 - p.alpha_f) * of_a_;
}

void CorrectionMap::add(int columns, dae::NodeStore& nodes, Const moved, Const w, Span end) const {
  const Entries entries(columns);
  const int dof = space_.dof();
  dae::for_each_part(space_, Product<Side::kPlain>(columns, nodes, h_, moved, end));
  entries.add_multiple(of_v_, w, 0, dof, end, state_.v);
  entries.add_multiple(of_v_dot_, w, 0, dof, end, state_.v_dot);
  entries.add_multiple(of_a_, w, 0, dof, end, state_.a);
}

void CorrectionMap::pull_back(int columns, dae::NodeStore& nodes, Const end, Span moved,
                              Span w) const {
  const Entries entries(columns);
  const int dof = space_.dof();
  std::fill_n(moved.begin(), columns * dof, 0.0);
  dae::for_each_part(space_, Product<Side::kTransposed>(columns, nodes, h_, end, moved));
  const auto part = [&](int first) { return entries.of(end, first).data(); };
  const double *const v = part(state_.v), *const v_dot = part(state_.v_dot),
                      *const a = part(state_.a), *const position = moved.data();
  double* const __restrict sum = w.data();
  for (int i = 0; i < columns * dof; ++i) {
    sum[i] = position[i] + of_v_ * v[i] + of_v_dot_ * v_dot[i] + of_a_ * a[i];
  }
}

}  // namespace liegrad::sensitivity
