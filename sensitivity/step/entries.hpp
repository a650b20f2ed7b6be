#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {

/// Entries of columns that stand side by side, counted from the first one on.
class Entries {
 public:
  using Span = std::span<double>;
  using Const = std::span<const double>;

  explicit Entries(int columns) : columns_(columns) {}

  template <class T>
  std::span<T> of(std::span<T> list, int first) const {
    return list.subspan(dae::index(first * columns_));
  }
  Span of(std::vector<double>& list, int first) const { return of(Span(list), first); }
  template <class T>
  std::span<T> of(std::span<T> list, int first, int count) const {
    return list.subspan(dae::index(first * columns_), dae::index(count * columns_));
  }
  Span of(std::vector<double>& list, int first, int count) const {
    return of(Span(list), first, count);
  }

  /// Makes a list have so many entries, all zero.
  void clear(std::vector<double>& list, int count) const {
    list.assign(dae::index(count * columns_), 0.0);
  }
  void copy(Const from, int first, int count, Span to, int to_first) const {
    std::copy_n(of(from, first).begin(), count * columns_, of(to, to_first).begin());
  }
  void add(Const from, int first, int count, Span to, int to_first) const {
    add_multiple(1, from, first, count, to, to_first);
  }
  /// to += factor · from.
  void add_multiple(double factor, Const from, int first, int count, Span to, int to_first) const {
    const double* const source = from.data() + first * columns_;
    double* const target = to.data() + to_first * columns_;
    for (int i = 0; i < count * columns_; ++i) target[i] += factor * source[i];
  }
  /// The entry to[to_first] += Σ factors[k] · from[first + k].
  void add_sum(const std::array<double, 3>& factors, Const from, int first, Span to,
               int to_first) const {
    const double* const source = from.data() + first * columns_;
    double* const target = to.data() + to_first * columns_;
    for (int c = 0; c < columns_; ++c) {
      target[c] += factors[0] * source[c] + factors[1] * source[columns_ + c] +
                   factors[2] * source[2 * columns_ + c];
    }
  }
  /// to = factor · from.
  void scale(Const from, int first, double factor, int count, Span to, int to_first) const {
    const double* const source = from.data() + first * columns_;
    double* const target = to.data() + to_first * columns_;
    for (int i = 0; i < count * columns_; ++i) target[i] = factor * source[i];
  }

 private:
  int columns_;
};

}  // namespace liegrad::sensitivity
