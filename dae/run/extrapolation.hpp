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
  explicit Extrapolation(std::size_t size) : size_(size), differences_((size + 1) / 2) {}

  void reset(std::span<const double> value) {
    for (std::size_t i = 0; i < differences_.size(); ++i) differences_[i].order[0] = pair(value, i);
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
    for (std::size_t i = 0; i < differences_.size(); ++i) {
      Pair sum = {0, 0};
      for (int k = 0; k <= order_; ++k) sum += differences_[i].order[k];
      value[2 * i] = sum[0];
      if (2 * i + 1 < size_) value[2 * i + 1] = sum[1];
    }
  }

 private:
  static constexpr int kNumDifferences = 8;
  /// Two doubles, which all processors work on at once. (GCC and clang)
  using Pair [[gnu::vector_size(16), gnu::aligned(8)]] = double;

  struct Differences {
    Pair order[kNumDifferences] = {};
  };

  Pair pair(std::span<const double> value, std::size_t i) const {
    return Pair{value[2 * i], 2 * i + 1 < size_ ? value[2 * i + 1] : 0.0};
  }

  /// Makes the differences those that end with a value. Returns the sums of their squares. Count is how many there are,
  /// if the compiler knows it, or 0.
  template <int Count>
  std::array<double, kNumDifferences> update(std::span<const double> value) {
    const std::size_t count = static_cast<std::size_t>(Count > 0 ? Count : count_);
    Pair squares[kNumDifferences] = {};
    for (std::size_t i = 0; i < differences_.size(); ++i) {
      Pair next = pair(value, i);
      for (std::size_t k = 0; k < count; ++k) {
        const Pair change = next - differences_[i].order[k];
        differences_[i].order[k] = next;
        squares[k] += next * next;
        next = change;
      }
    }
    std::array<double, kNumDifferences> sums;
    for (std::size_t k = 0; k < kNumDifferences; ++k) sums[k] = squares[k][0] + squares[k][1];
    return sums;
  }

  std::size_t size_;
  std::vector<Differences> differences_;  ///< of two entries of the vector at once
  int count_ = 0, order_ = 0;
};

}  // namespace liegrad::dae
