#include "liegrad/control/front.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "liegrad/dae/linear/wide_registers.hpp"

namespace liegrad::control {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Columns of a front, and which part of them is kept up to date.
struct Columns {
  double* data;
  std::ptrdiff_t stride;
  int complete, size;
  double* column(int j) const { return data + j * stride; }
  /// The first row of column j that is kept, from row `low` on.
  int first(int j, int low) const { return j < complete ? low : j; }
};

/// Subtracts c cᵀ/d from the columns that a pivot reaches.
LIEGRAD_FOR_WIDE_REGISTERS void subtract_one(const Columns& matrix, std::span<const int> reached,
                                             const double* __restrict c, double d) {
  for (const int j : reached) {
    double* __restrict const column = matrix.column(j);
    const double l = c[j] / d;
    for (int i = matrix.first(j, reached.front()); i < matrix.size; ++i) column[i] -= l * c[i];
  }
}

/// Subtracts (c1 c2) D⁻¹ (c1 c2)ᵀ; `l` has two entries of L for each row that is reached.
LIEGRAD_FOR_WIDE_REGISTERS void subtract_two(const Columns& matrix, std::span<const int> reached,
                                             const double* __restrict c1,
                                             const double* __restrict c2, const double* l) {
  for (const int j : reached) {
    double* __restrict const column = matrix.column(j);
    const double l1 = *l++, l2 = *l++;
    for (int i = matrix.first(j, reached.front()); i < matrix.size; ++i) {
      column[i] -= l1 * c1[i] + l2 * c2[i];
    }
  }
}

/// The largest entry of rows [first, end).
LIEGRAD_FOR_WIDE_REGISTERS double largest_of(const double* c, int first, int end) {
  double value = 0;
  for (int i = first; i < end; ++i) value = std::max(value, std::abs(c[i]));
  return value;
}

}  // namespace

void Front::start(const std::vector<int>& complete, const std::vector<int>& boundary) {
  unknowns_.assign(complete.begin(), complete.end());
  unknowns_.insert(unknowns_.end(), boundary.begin(), boundary.end());
  size_ = static_cast<int>(unknowns_.size());
  complete_ = static_cast<int>(complete.size());
  eliminated_ = 0;
  if (matrix_.rows() < size_) matrix_.resize(size_, size_);
  matrix_.topLeftCorner(size_, size_).setZero();
}

void Front::add(int i, int j, double value) {
  matrix_(i, j) += value;
  if (i != j) matrix_(j, i) += value;
}

/// The first pivot that is large enough, of one unknown where possible.
bool Front::find_pivot(double threshold, double tiny, int& first, int& second) const {
  const int k = eliminated_;
  /// The largest entry of a column apart from those of two rows.
  const auto largest = [&](int column, int skip1, int skip2) {
    const double* const c = matrix_.col(column).data();
    const auto [low, high] = std::minmax(skip1, skip2);
    return std::max(
        {largest_of(c, k, low), largest_of(c, low + 1, high), largest_of(c, high + 1, size_)});
  };
  for (int p = k; p < complete_; ++p) {
    const double d11 = matrix_(p, p);
    const double column = largest(p, p, p);
    if (std::abs(d11) > tiny && std::abs(d11) >= threshold * column) {
      first = p;
      second = -1;
      return true;
    }
    int r = -1;
    double d21 = 0;
    for (int i = k; i < complete_; ++i) {
      if (i != p && std::abs(matrix_(i, p)) > std::abs(d21)) {
        d21 = matrix_(i, p);
        r = i;
      }
    }
    if (r < 0 || !(std::abs(d21) > tiny)) continue;
    const double d22 = matrix_(r, r);
    const double determinant = std::abs(d11 * d22 - d21 * d21);
    const double others_p = largest(p, p, r), others_r = largest(r, p, r);
    const double growth_p = std::abs(d22) * others_p + std::abs(d21) * others_r;
    const double growth_r = std::abs(d21) * others_p + std::abs(d11) * others_r;
    // A determinant that is a difference of nearly equal numbers has no digits.
    if (determinant > 1e-8 * d21 * d21 && threshold * growth_p <= determinant &&
        threshold * growth_r <= determinant) {
      first = p;
      second = r;
      return true;
    }
  }
  return false;
}

void Front::interchange(int k, int p) {
  if (k == p) return;
  matrix_.col(k).head(size_).swap(matrix_.col(p).head(size_));
  for (int j = eliminated_; j < complete_; ++j) std::swap(matrix_(k, j), matrix_(p, j));
  std::swap(unknowns_[at(k)], unknowns_[at(p)]);
}

void Front::eliminate(double threshold, double tiny, SparseFactor& factor) {
  int first = 0, second = 0;
  while (eliminated_ < complete_ && find_pivot(threshold, tiny, first, second)) {
    interchange(eliminated_, first);
    if (second < 0) {
      eliminate_one(factor);
    } else {
      interchange(eliminated_ + 1, second == eliminated_ ? first : second);
      eliminate_two(factor);
    }
  }
}

void Front::eliminate_one(SparseFactor& factor) {
  const int k = eliminated_++;
  const double* const c = matrix_.col(k).data();
  const double d = c[k];
  factor.add_pivot(unknowns_[at(k)], d);
  reached_.clear();
  for (int i = k + 1; i < size_; ++i) {
    if (c[i] == 0) continue;
    reached_.push_back(i);
    factor.add(unknowns_[at(i)], c[i] / d);
  }
  if (reached_.empty()) return;
  subtract_one({matrix_.data(), matrix_.outerStride(), complete_, size_}, reached_, c, d);
}

void Front::eliminate_two(SparseFactor& factor) {
  const int k = eliminated_;
  eliminated_ += 2;
  const double *const c1 = matrix_.col(k).data(), *const c2 = matrix_.col(k + 1).data();
  const double d11 = c1[k], d21 = c1[k + 1], d22 = c2[k + 1];
  const double determinant = d11 * d22 - d21 * d21;
  factor.add_pivot(unknowns_[at(k)], unknowns_[at(k + 1)], d11, d21, d22);
  reached_.clear();
  entries_.clear();
  for (int i = k + 2; i < size_; ++i) {
    if (c1[i] == 0 && c2[i] == 0) continue;
    reached_.push_back(i);
    entries_.push_back((d22 * c1[i] - d21 * c2[i]) / determinant);
    entries_.push_back((d11 * c2[i] - d21 * c1[i]) / determinant);
    factor.add(unknowns_[at(i)], entries_[entries_.size() - 2], entries_.back());
  }
  if (reached_.empty()) return;
  subtract_two({matrix_.data(), matrix_.outerStride(), complete_, size_}, reached_, c1, c2,
               entries_.data());
}

}  // namespace liegrad::control
