#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace liegrad::dae {

/// The next value of a vector that was seen at equal distances: Newton's backward differences, of the
/// order that would have served best for the last value. Where values oscillate from step to step, as
/// accelerations do after rough starting values, that is a low one.
class Extrapolation {
 public:
  explicit Extrapolation(std::size_t size) {
    for (std::vector<double>& difference : differences_) difference.assign(size, 0.0);
  }

  void reset(std::span<const double> value) {
    std::copy(value.begin(), value.end(), differences_[0].begin());
    count_ = 1;
    order_ = 0;
  }

  void add(std::span<const double> value) {
    count_ = std::min(count_ + 1, kNumDifferences);
    // Nearly always all of them.
    const std::array<double, kNumDifferences> square =
        count_ == kNumDifferences ? update<kNumDifferences>(value) : update<0>(value);
    // Order k would have missed this value by its difference k + 1. Which one is best is as good as random: no branch.
    int best = 0;
    double least = square[1];
    for (int k = 1; k + 1 < count_; ++k) {
      const double missed = square[static_cast<std::size_t>(k + 1)];
      best = missed < least ? k : best;
      least = missed < least ? missed : least;
    }
    order_ = best;
  }

  void predict(std::span<double> value) const {
    const std::size_t terms = static_cast<std::size_t>(order_) + 1;
    std::size_t i = 0;
    for (; i + 1 < value.size(); i += 2) {
      Pair sum = {0, 0};
      for (std::size_t k = 0; k < terms; ++k) {
        sum += reinterpret_cast<const Pair&>(differences_[k][i]);
      }
      value[i] = sum[0];
      value[i + 1] = sum[1];
    }
    for (; i < value.size(); ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < terms; ++k) sum += differences_[k][i];
      value[i] = sum;
    }
  }

 private:
  static constexpr int kNumDifferences = 8;
  /// Two doubles, which all processors work on at once.
  using Pair [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;

  /// Makes the differences those that end with a value. Returns the sums of their squares. Count is how many there are,
  /// if the compiler knows it, or 0.
  template <int Count>
  std::array<double, kNumDifferences> update(std::span<const double> value) {
    const std::size_t count = static_cast<std::size_t>(Count > 0 ? Count : count_);
    std::array<double*, kNumDifferences> difference;
    for (std::size_t k = 0; k < kNumDifferences; ++k) difference[k] = differences_[k].data();
    Pair squares[kNumDifferences] = {};
    std::size_t i = 0;
    for (; i + 1 < value.size(); i += 2) {
      Pair next = {value[i], value[i + 1]};
      for (std::size_t k = 0; k < count; ++k) {
        Pair& last = reinterpret_cast<Pair&>(difference[k][i]);
        const Pair change = next - last;
        last = next;
        squares[k] += next * next;
        next = change;
      }
    }
    if (i < value.size()) {
      double next = value[i];
      for (std::size_t k = 0; k < count; ++k) {
        const double change = next - difference[k][i];
        difference[k][i] = next;
        squares[k][0] += next * next;
        next = change;
      }
    }
    std::array<double, kNumDifferences> sums;
    for (std::size_t k = 0; k < kNumDifferences; ++k) sums[k] = squares[k][0] + squares[k][1];
    return sums;
  }

  std::array<std::vector<double>, kNumDifferences> differences_;
  int count_ = 0, order_ = 0;
};

}  // namespace liegrad::dae
