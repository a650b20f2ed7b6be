#pragma once

// Right-hand sides side by side: a row has the numbers of one equation for all of them. Eight fill a register, or a few,
// so that a solution of eight takes little longer than one.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae::panels {

/// Eight numbers, in registers that most processors have. (GCC and clang)
struct Panel {
  using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
  Four first, last;

  static Panel& at(double* numbers) { return *reinterpret_cast<Panel*>(numbers); }
  static const Panel& at(const double* numbers) { return *reinterpret_cast<const Panel*>(numbers); }
  static Panel of(double number) {
    const Four all = {number, number, number, number};
    return {all, all};
  }
  void subtract(double factor, const Panel& other) {
    first -= factor * other.first;
    last -= factor * other.last;
  }
  void add(double factor, const Panel& other) {
    first += factor * other.first;
    last += factor * other.last;
  }
  void scale(double factor) {
    first *= factor;
    last *= factor;
  }
};
inline constexpr int kWidth = 8;
/// The least number of whole panels that have so many columns.
inline int num_panels(int columns) { return (columns + kWidth - 1) / kWidth; }
/// How many columns to carry for these: whole panels, where that is at most a quarter more.
inline int filled_columns(int columns) {
  const int filled = kWidth * num_panels(columns);
  return 4 * filled <= 5 * columns ? filled : columns;
}

/// Rows of right-hand sides, filled up to whole panels.
class Rows {
 public:
  /// What fills panels up is zero and stays so.
  void resize(int rows, int columns) {
    if (rows == num_rows_ && columns == columns_) return;
    num_rows_ = rows;
    columns_ = columns;
    stride_ = kWidth * panels::num_panels(columns);
    numbers_.assign(index(rows * stride_), 0.0);
  }
  int num_panels() const { return stride_ / kWidth; }

  /// Panel `panel` of the rows, from one to the next.
  struct Column {
    double* numbers;
    int stride;
    Panel& operator[](int row) const { return Panel::at(numbers + row * stride); }
  };
  Column column(int panel) { return {numbers_.data() + panel * kWidth, stride_}; }

  void load(int row, std::span<const double> b, int from, double scale) {
    const double* const source = b.data() + from * columns_;
    double* const to = numbers_.data() + row * stride_;
    for (int c = 0; c < columns_; ++c) to[c] = scale * source[c];
  }
  void store(int row, std::span<double> b, int to, double scale) const {
    const double* const source = numbers_.data() + row * stride_;
    double* const target = b.data() + to * columns_;
    for (int c = 0; c < columns_; ++c) target[c] = scale * source[c];
  }

 private:
  int num_rows_ = 0, columns_ = 0, stride_ = 0;
  std::vector<double> numbers_;
};

/// Solves by columns where a solver has no better way: solve(x) for each.
template <class Solve>
void solve_one_by_one(int columns, std::span<double> b, std::vector<double>& x, Solve&& solve) {
  for (int c = 0; c < columns; ++c) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = b[i * index(columns) + index(c)];
    solve(x);
    for (std::size_t i = 0; i < x.size(); ++i) b[i * index(columns) + index(c)] = x[i];
  }
}

}  // namespace liegrad::dae::panels
