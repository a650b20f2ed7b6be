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
    std::array<double, kNumDifferences> square{};
    for (std::size_t i = 0; i < value.size(); ++i) {
      double next = value[i];
      for (int k = 0; k < count_; ++k) {
        double& difference = at(k)[i];
        const double change = next - difference;
        difference = next;
        square[static_cast<std::size_t>(k)] += next * next;
        next = change;
      }
    }
    // Order k would have missed this value by its difference k + 1.
    order_ = 0;
    for (int k = 1; k + 1 < count_; ++k) {
      if (square[static_cast<std::size_t>(k + 1)] < square[static_cast<std::size_t>(order_ + 1)]) {
        order_ = k;
      }
    }
  }

  void predict(std::span<double> value) const {
    for (std::size_t i = 0; i < value.size(); ++i) {
      double sum = 0;
      for (int k = 0; k <= order_; ++k) sum += differences_[static_cast<std::size_t>(k)][i];
      value[i] = sum;
    }
  }

 private:
  static constexpr int kNumDifferences = 8;
  std::vector<double>& at(int k) { return differences_[static_cast<std::size_t>(k)]; }

  std::array<std::vector<double>, kNumDifferences> differences_;
  int count_ = 0, order_ = 0;
};

}  // namespace liegrad::dae
