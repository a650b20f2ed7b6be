// What a BlockLu does pivot after pivot with its numbers: elimination, and the solution of one right-hand side, whose first
// half can be done at the same time.

#include <algorithm>

#include "liegrad/dae/linear/block_lu.hpp"
#include "liegrad/dae/linear/small_blocks.hpp"
#include "liegrad/dae/linear/wide_registers.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

/// A pivot block whose inverse, scaled, has larger entries has cancelled: of 16 digits eight may be lost.
constexpr double kLargestInverse = 1e8;
/// The same for the first half of a block that is inverted by halves: three digits.
constexpr double kLargestInverseOfPart = 1e3;

}  // namespace

inline bool BlockLu::is_well_conditioned(const Pivot& pivot, const double* inverse) const {
  const double* const row = row_scale_.data() + pivot.first;
  const double* const column = column_scale_.data() + pivot.first;
  if (pivot.size == 3) return small_blocks::is_bounded<3>(3, inverse, column, row, kLargestInverse);
  if (pivot.size == 6) return small_blocks::is_bounded<6>(6, inverse, column, row, kLargestInverse);
  return small_blocks::is_bounded<0>(pivot.size, inverse, column, row, kLargestInverse);
}

/// In place.
inline bool BlockLu::invert(const Pivot& pivot, double* block) const {
  if (pivot.size == 6) {
    double bounds[3];
    for (int i = 0; i < 3; ++i)
      bounds[i] = kLargestInverseOfPart * column_scale_[index(pivot.first + i)];
    if (small_blocks::invert_by_threes(row_scale_.data() + pivot.first, bounds, block)) return true;
  }
  return small_blocks::invert(pivot.size, block);
}

/// L⁻¹ of a right-hand side, as far as a pivot goes. x begins with zeros: what pivots subtract from it may come before the
/// numbers themselves.
inline void BlockLu::reduce(const Pivot& pivot, const double* factors, const double* right,
                            double* x) const {
  double* const own = x + pivot.first;
  const int* const unknown = unknown_.data() + pivot.first;
  for (int i = 0; i < pivot.size; ++i) own[i] += right[unknown[i]];
  for (int i = 0; i < pivot.num_neighbours; ++i) {
    const Neighbour& other = neighbours_[index(pivot.neighbours + i)];
    const Pivot& below = pivots_[index(other.block)];
    small_blocks::subtract_product(below.size, pivot.size, 1, factors + other.lower, own,
                                   x + below.first);
  }
}

/// b := U⁻¹ x.
inline void BlockLu::substitute(const double* factors, double* x, double* b) const {
  for (auto pivot = pivots_.rbegin(); pivot != pivots_.rend(); ++pivot) {
    double* const own = x + pivot->first;
    for (int j = 0; j < pivot->num_neighbours; ++j) {
      const Neighbour& other = neighbours_[index(pivot->neighbours + j)];
      const Pivot& right = pivots_[index(other.block)];
      small_blocks::subtract_product(pivot->size, other.columns, 1, factors + other.upper,
                                     x + right.first, own);
    }
    small_blocks::multiply_left(pivot->size, factors + pivot->diagonal, own);
    const int* const unknown = unknown_.data() + pivot->first;
    for (int i = 0; i < pivot->size; ++i) b[unknown[i]] = own[i];
  }
}

LIEGRAD_FOR_WIDE_REGISTERS bool BlockLu::eliminate(double* factors, int begin, int end) {
  for (int k = begin; k < end; ++k) {
    const Pivot& pivot = pivots_[index(k)];
    if (!is_in_place_) {
      std::copy(values_.data() + pivot.begin, values_.data() + pivot.end, factors + pivot.begin);
    }
    double* const inverse = factors + pivot.diagonal;
    if (!invert(pivot, inverse) || !is_well_conditioned(pivot, inverse)) return false;
    // L = A_ik D⁻¹ for all blocks below the pivot, then A_ij - L U.
    const Neighbour* const neighbours = neighbours_.data() + pivot.neighbours;
    for (int i = 0; i < pivot.num_neighbours; ++i) {
      const int rows = pivots_[index(neighbours[i].block)].size;
      small_blocks::multiply_right(rows, pivot.size, inverse, factors + neighbours[i].lower);
    }
    const int* target = targets_.data() + pivot.targets;
    for (int j = 0; j < pivot.num_neighbours; ++j) {
      const int columns = neighbours[j].columns;
      const double* const upper = factors + neighbours[j].upper;
      for (int i = 0; i < pivot.num_neighbours; ++i) {
        const int rows = pivots_[index(neighbours[i].block)].size;
        small_blocks::subtract_product(rows, pivot.size, columns, factors + neighbours[i].lower,
                                       upper, factors + *target++);
      }
    }
    if (!right_.empty()) reduce(pivot, factors, right_.data(), work_.data());
  }
  return true;
}

LIEGRAD_FOR_WIDE_REGISTERS void BlockLu::solve(std::span<double> b) const {
  is_reduced_ = false;
  std::ranges::fill(work_, 0.0);
  for (const Pivot& pivot : pivots_) reduce(pivot, factors(), b.data(), work_.data());
  substitute(factors(), work_.data(), b.data());
}

LIEGRAD_FOR_WIDE_REGISTERS bool BlockLu::solve_filled(std::span<double> x) const {
  if (!is_reduced_) return false;
  is_reduced_ = false;
  substitute(factors(), work_.data(), x.data());
  return true;
}

}  // namespace liegrad::dae
