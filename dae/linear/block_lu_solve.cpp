// Solutions with the factors of a BlockLu: transposed, and of many right-hand sides that stand side by side.

#include "liegrad/dae/linear/block_lu.hpp"
#include "liegrad/dae/linear/small_blocks.hpp"
#include "liegrad/dae/linear/wide_registers.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

void BlockLu::solve_transposed(std::span<double> b) const {
  is_reduced_ = false;
  double* const x = work_.data();
  const double* const factors = this->factors();
  for (int i = 0; i < size_; ++i) x[place_[index(i)]] = b[index(i)];
  for (const Pivot& pivot : pivots_) {
    double* const own = x + pivot.first;
    small_blocks::multiply_left_transposed(pivot.size, factors + pivot.diagonal, own);
    for (int j = 0; j < pivot.num_neighbours; ++j) {
      const Neighbour& other = neighbours_[index(pivot.neighbours + j)];
      const Pivot& right = pivots_[index(other.block)];
      small_blocks::subtract_transposed_product(pivot.size, other.columns, factors + other.upper,
                                                own, x + right.first);
    }
  }
  for (auto pivot = pivots_.rbegin(); pivot != pivots_.rend(); ++pivot) {
    double* const own = x + pivot->first;
    for (int i = 0; i < pivot->num_neighbours; ++i) {
      const Neighbour& other = neighbours_[index(pivot->neighbours + i)];
      const Pivot& below = pivots_[index(other.block)];
      small_blocks::subtract_transposed_product(below.size, pivot->size, factors + other.lower,
                                                x + below.first, own);
    }
  }
  for (int i = 0; i < size_; ++i) b[index(i)] = x[place_[index(i)]];
}

namespace {

using panels::Panel;

/// y -= A x for A of m×k, stored by columns, and rows x, y of right-hand sides.
inline void subtract_product(int m, int k, const double* a, panels::Rows::Column all, int x,
                             int y) {
  for (int i = 0; i < m; ++i) {
    Panel sum = all[y + i];
    for (int l = 0; l < k; ++l) sum.subtract(a[i + m * l], all[x + l]);
    all[y + i] = sum;
  }
}
/// y -= Aᵀ x for A of m×k.
inline void subtract_transposed_product(int m, int k, const double* a, panels::Rows::Column all,
                                        int x, int y) {
  for (int l = 0; l < k; ++l) {
    Panel sum = all[y + l];
    for (int i = 0; i < m; ++i) sum.subtract(a[i + m * l], all[x + i]);
    all[y + l] = sum;
  }
}
/// x := A x, or Aᵀ x, for A of n×n.
template <bool Transposed>
inline void multiply_left(int n, const double* a, panels::Rows::Column all, int x) {
  Panel product[small_blocks::kLargestBlock];
  for (int i = 0; i < n; ++i) {
    Panel sum = {};
    for (int j = 0; j < n; ++j) sum.add(Transposed ? a[j + n * i] : a[i + n * j], all[x + j]);
    product[i] = sum;
  }
  for (int i = 0; i < n; ++i) all[x + i] = product[i];
}

}  // namespace

LIEGRAD_FOR_WIDE_REGISTERS void BlockLu::solve(int columns, std::span<double> b) const {
  const double* const factors = this->factors();
  rows_.resize(size_, columns);
  for (int i = 0; i < size_; ++i) rows_.load(place_[index(i)], b, i, 1);
  for (int panel = 0; panel < rows_.num_panels(); ++panel) {
    const panels::Rows::Column x = rows_.column(panel);
    for (const Pivot& pivot : pivots_) {
      for (int i = 0; i < pivot.num_neighbours; ++i) {
        const Neighbour& other = neighbours_[index(pivot.neighbours + i)];
        const Pivot& below = pivots_[index(other.block)];
        subtract_product(below.size, pivot.size, factors + other.lower, x, pivot.first,
                         below.first);
      }
    }
    for (auto pivot = pivots_.rbegin(); pivot != pivots_.rend(); ++pivot) {
      for (int j = 0; j < pivot->num_neighbours; ++j) {
        const Neighbour& other = neighbours_[index(pivot->neighbours + j)];
        subtract_product(pivot->size, other.columns, factors + other.upper, x,
                         pivots_[index(other.block)].first, pivot->first);
      }
      multiply_left<false>(pivot->size, factors + pivot->diagonal, x, pivot->first);
    }
  }
  for (int i = 0; i < size_; ++i) rows_.store(place_[index(i)], b, i, 1);
}

LIEGRAD_FOR_WIDE_REGISTERS void BlockLu::solve_transposed(int columns, std::span<double> b) const {
  const double* const factors = this->factors();
  rows_.resize(size_, columns);
  for (int i = 0; i < size_; ++i) rows_.load(place_[index(i)], b, i, 1);
  for (int panel = 0; panel < rows_.num_panels(); ++panel) {
    const panels::Rows::Column x = rows_.column(panel);
    for (const Pivot& pivot : pivots_) {
      multiply_left<true>(pivot.size, factors + pivot.diagonal, x, pivot.first);
      for (int j = 0; j < pivot.num_neighbours; ++j) {
        const Neighbour& other = neighbours_[index(pivot.neighbours + j)];
        subtract_transposed_product(pivot.size, other.columns, factors + other.upper, x,
                                    pivot.first, pivots_[index(other.block)].first);
      }
    }
    for (auto pivot = pivots_.rbegin(); pivot != pivots_.rend(); ++pivot) {
      for (int i = 0; i < pivot->num_neighbours; ++i) {
        const Neighbour& other = neighbours_[index(pivot->neighbours + i)];
        const Pivot& below = pivots_[index(other.block)];
        subtract_transposed_product(below.size, pivot->size, factors + other.lower, x, below.first,
                                    pivot->first);
      }
    }
  }
  for (int i = 0; i < size_; ++i) rows_.store(place_[index(i)], b, i, 1);
}

}  // namespace liegrad::dae
