#include "liegrad/control/front.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "liegrad/dae/linear/wide_registers.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {
namespace {

using dae::index;

constexpr int kLanes = 4;
int rounded_down(int i) { return i - i % kLanes; }
int rounded_up(int i) { return rounded_down(i + kLanes - 1); }

/// The columns of a lower triangle, with all that stands between whole registers.
struct Columns {
  double* data;
  std::ptrdiff_t stride;
  int end;
  double* column(int j) const { return data + j * stride; }
};

/// Subtracts l cᵀ from the columns that a pivot reaches; `l` has an entry of L for each of them. Two columns at a time: what
/// the second one has above its diagonal is never read.
LIEGRAD_FOR_WIDE_REGISTERS void subtract_one(const Columns& matrix, std::span<const int> reached,
                                             const double* __restrict c,
                                             const double* __restrict l) {
  std::size_t k = 0;
  for (; k + 1 < reached.size(); k += 2) {
    double* __restrict const first = matrix.column(reached[k]);
    double* __restrict const second = matrix.column(reached[k + 1]);
    const double l1 = l[k], l2 = l[k + 1];
    for (int i = rounded_down(reached[k]); i < matrix.end; i += kLanes) {
      for (int row = i; row < i + kLanes; ++row) first[row] -= l1 * c[row];
      for (int row = i; row < i + kLanes; ++row) second[row] -= l2 * c[row];
    }
  }
  if (k == reached.size()) return;
  double* __restrict const column = matrix.column(reached[k]);
  for (int i = rounded_down(reached[k]); i < matrix.end; i += kLanes) {
    for (int row = i; row < i + kLanes; ++row) column[row] -= l[k] * c[row];
  }
}

/// Subtracts (c1 c2) D⁻¹ (c1 c2)ᵀ; `l` has two entries of L for each column that is reached.
LIEGRAD_FOR_WIDE_REGISTERS void subtract_two(const Columns& matrix, std::span<const int> reached,
                                             const double* __restrict c1,
                                             const double* __restrict c2,
                                             const double* __restrict l) {
  std::size_t k = 0;
  for (; k + 1 < reached.size(); k += 2) {
    double* __restrict const first = matrix.column(reached[k]);
    double* __restrict const second = matrix.column(reached[k + 1]);
    const double l11 = l[2 * k], l12 = l[2 * k + 1], l21 = l[2 * k + 2], l22 = l[2 * k + 3];
    for (int i = rounded_down(reached[k]); i < matrix.end; i += kLanes) {
      for (int row = i; row < i + kLanes; ++row) first[row] -= l11 * c1[row] + l12 * c2[row];
      for (int row = i; row < i + kLanes; ++row) second[row] -= l21 * c1[row] + l22 * c2[row];
    }
  }
  if (k == reached.size()) return;
  double* __restrict const column = matrix.column(reached[k]);
  for (int i = rounded_down(reached[k]); i < matrix.end; i += kLanes) {
    for (int row = i; row < i + kLanes; ++row) {
      column[row] -= l[2 * k] * c1[row] + l[2 * k + 1] * c2[row];
    }
  }
}

/// The largest entry of rows [first, end).
LIEGRAD_FOR_WIDE_REGISTERS double largest_of(const double* c, int first, int end) {
  double largest[kLanes] = {};
  const auto take = [&](int lane, double size) {
    largest[lane] = largest[lane] < size ? size : largest[lane];
  };
  int i = first;
  for (; i + kLanes <= end; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) take(k, std::abs(c[i + k]));
  }
  for (; i < end; ++i) take(0, std::abs(c[i]));
  for (int k = 1; k < kLanes; ++k) take(0, largest[k]);
  return largest[0];
}

}  // namespace

void Front::start(std::span<const int> complete, std::span<const int> boundary) {
  unknowns_.assign(complete.begin(), complete.end());
  unknowns_.insert(unknowns_.end(), boundary.begin(), boundary.end());
  size_ = static_cast<int>(unknowns_.size());
  complete_ = static_cast<int>(complete.size());
  eliminated_ = 0;
  reached_.resize(index(size_));
  const int end = rounded_up(size_);
  if (matrix_.rows() < end) matrix_.setZero(end, end);
  for (int j = 0; j < size_; ++j) {
    std::fill_n(matrix_.col(j).data() + rounded_down(j), end - rounded_down(j), 0.0);
  }
}

void Front::add(std::span<const int> places, std::span<const double> triangle) {
  const double* value = triangle.data();
  for (std::size_t j = 0; j < places.size(); ++j) {
    double* const column = matrix_.col(places[j]).data();
    for (std::size_t i = j; i < places.size(); ++i) column[places[i]] += *value++;
  }
}

void Front::append_left(std::vector<double>& triangle) const {
  for (int j = eliminated_; j < size_; ++j) {
    const double* const column = matrix_.col(j).data();
    triangle.insert(triangle.end(), column + j, column + size_);
  }
}

/// Entries left of the diagonal stand in the row of the same number.
double Front::largest_apart_from(int column, int row) const {
  double size = 0;
  for (int j = eliminated_; j < column; ++j) {
    if (j != row) size = std::max(size, std::abs(matrix_(column, j)));
  }
  const double* const c = matrix_.col(column).data();
  if (row <= column) return std::max(size, largest_of(c, column + 1, size_));
  return std::max({size, largest_of(c, column + 1, row), largest_of(c, row + 1, size_)});
}

int Front::largest_row(int column) const {
  double largest = 0;
  int found = -1;
  const auto look = [&](int row, double size) {
    if (size <= largest) return;
    largest = size;
    found = row;
  };
  for (int j = eliminated_; j < column; ++j) look(j, std::abs(matrix_(column, j)));
  for (int i = column + 1; i < complete_; ++i) look(i, std::abs(matrix_(i, column)));
  return found;
}

/// The first pivot that is large enough, of one unknown where possible.
bool Front::find_pivot(double threshold, double tiny, int& first, int& second) const {
  for (int p = eliminated_; p < complete_; ++p) {
    const double d11 = matrix_(p, p);
    if (std::abs(d11) > tiny && std::abs(d11) >= threshold * largest_apart_from(p, p)) {
      first = p;
      second = -1;
      return true;
    }
    const int r = largest_row(p);
    if (r < 0) continue;
    const double d21 = std::abs(matrix_(std::max(p, r), std::min(p, r))), d22 = matrix_(r, r);
    if (!(d21 > tiny)) continue;
    const double determinant = std::abs(d11 * d22 - d21 * d21);
    const double others_p = largest_apart_from(p, r), others_r = largest_apart_from(r, p);
    const double growth_p = std::abs(d22) * others_p + d21 * others_r;
    const double growth_r = d21 * others_p + std::abs(d11) * others_r;
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

/// Of unknowns k < p, rows and columns.
void Front::interchange(int k, int p) {
  if (k == p) return;
  std::swap(matrix_(k, k), matrix_(p, p));
  for (int j = eliminated_; j < k; ++j) std::swap(matrix_(k, j), matrix_(p, j));
  for (int i = k + 1; i < p; ++i) std::swap(matrix_(i, k), matrix_(p, i));
  for (int i = p + 1; i < size_; ++i) std::swap(matrix_(i, k), matrix_(i, p));
  std::swap(unknowns_[index(k)], unknowns_[index(p)]);
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
  const double d = c[k], inverse = 1 / d;
  const SparseFactor::Room room = factor.room(size_ - k, size_ - k);
  // What is zero is written too, and written over by the next.
  int count = 0;
  for (int i = k + 1; i < size_; ++i) {
    reached_[index(count)] = i;
    room.rows[count] = unknowns_[index(i)];
    room.entries[count] = inverse * c[i];
    count += c[i] != 0 ? 1 : 0;
  }
  factor.add_pivot(unknowns_[index(k)], d, count);
  subtract_one({matrix_.data(), matrix_.outerStride(), rounded_up(size_)},
               {reached_.data(), index(count)}, c, room.entries);
}

void Front::eliminate_two(SparseFactor& factor) {
  const int k = eliminated_;
  eliminated_ += 2;
  const double *const c1 = matrix_.col(k).data(), *const c2 = matrix_.col(k + 1).data();
  const double d11 = c1[k], d21 = c1[k + 1], d22 = c2[k + 1];
  const double determinant = d11 * d22 - d21 * d21;
  const double e11 = d22 / determinant, e21 = -d21 / determinant, e22 = d11 / determinant;
  const SparseFactor::Room room = factor.room(size_ - k, 2 * (size_ - k));
  int count = 0;
  for (int i = k + 2; i < size_; ++i) {
    reached_[index(count)] = i;
    room.rows[count] = unknowns_[index(i)];
    room.entries[2 * count] = e11 * c1[i] + e21 * c2[i];
    room.entries[2 * count + 1] = e21 * c1[i] + e22 * c2[i];
    count += c1[i] != 0 || c2[i] != 0 ? 1 : 0;
  }
  factor.add_pivot(unknowns_[index(k)], unknowns_[index(k + 1)], {d11, d21, d22}, count);
  subtract_two({matrix_.data(), matrix_.outerStride(), rounded_up(size_)},
               {reached_.data(), index(count)}, c1, c2, room.entries);
}

}  // namespace liegrad::control
