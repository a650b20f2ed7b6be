#include "liegrad/control/sparse_factor.hpp"

namespace liegrad::control {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void SparseFactor::clear() {
  pivots_.clear();
  num_rows_ = num_values_ = 0;
  negative_ = 0;
}

SparseFactor::Room SparseFactor::room(int rows, int entries) {
  if (rows_.size() < num_rows_ + at(rows)) rows_.resize(2 * rows_.size() + at(rows));
  if (values_.size() < num_values_ + at(entries)) values_.resize(2 * values_.size() + at(entries));
  return {rows_.data() + num_rows_, values_.data() + num_values_};
}

void SparseFactor::add_pivot(int unknown, double d, int num_rows) {
  pivots_.push_back({unknown, -1, {1 / d, 0, 0}, num_rows});
  if (d < 0) ++negative_;
  num_rows_ += at(num_rows);
  num_values_ += at(num_rows);
}

void SparseFactor::add_pivot(int first, int second, const Block& d, int num_rows) {
  const double determinant = d.d11 * d.d22 - d.d21 * d.d21;
  pivots_.push_back(
      {first, second, {d.d22 / determinant, -d.d21 / determinant, d.d11 / determinant}, num_rows});
  if (determinant < 0) {
    negative_ += 1;
  } else if (d.d11 < 0) {
    negative_ += 2;
  }
  num_rows_ += at(num_rows);
  num_values_ += 2 * at(num_rows);
}

void SparseFactor::solve(std::span<double> b) const {
  const int* row = rows_.data();
  const double* value = values_.data();
  for (const Pivot& p : pivots_) {
    const int* const end = row + p.num_rows;
    const double x = b[at(p.first)];
    if (p.second < 0) {
      for (; row != end; ++row) b[at(*row)] -= *value++ * x;
      b[at(p.first)] = x * p.inverse.d11;
      continue;
    }
    const double y = b[at(p.second)];
    for (; row != end; ++row, value += 2) b[at(*row)] -= value[0] * x + value[1] * y;
    b[at(p.first)] = p.inverse.d11 * x + p.inverse.d21 * y;
    b[at(p.second)] = p.inverse.d21 * x + p.inverse.d22 * y;
  }
  // Backwards, column by column of Lᵀ.
  for (auto p = pivots_.rbegin(); p != pivots_.rend(); ++p) {
    const int* const begin = row - p->num_rows;
    double x = 0, y = 0;
    if (p->second < 0) {
      while (row != begin) x += *--value * b[at(*--row)];
    } else {
      while (row != begin) {
        const double at_row = b[at(*--row)];
        value -= 2;
        x += value[0] * at_row;
        y += value[1] * at_row;
      }
      b[at(p->second)] -= y;
    }
    b[at(p->first)] -= x;
  }
}

}  // namespace liegrad::control
