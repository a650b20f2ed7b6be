#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace liegrad::dae {

/// Earlier values of a vector, at least a given distance in time from each other: second derivatives from them are not
/// drowned by rounding that the steps are too short for.
class SpacedHistory {
 public:
  void clear() { count_ = 0; }

  /// Keeps a value at t, unless the last one that was kept is nearer than `spacing`.
  void add(double t, std::span<const double> value, double spacing) {
    if (count_ > 0 && t - kept_[0].t < kAlmost * spacing) return;
    std::swap(kept_[2], kept_[1]);
    std::swap(kept_[1], kept_[0]);
    kept_[0].t = t;
    kept_[0].value.assign(value.begin(), value.end());
    if (count_ < kCount) count_ += 1;
  }

  /// The second derivative from a value at t and two earlier ones, of which the later is at least `spacing` before t if
  /// there are such; false while there are not two.
  bool second_derivative(double t, std::span<const double> value, double spacing,
                         std::vector<double>& out) const {
    const std::size_t skipped = count_ == kCount && t - kept_[0].t < kAlmost * spacing ? 1 : 0;
    if (count_ < 2) return false;
    const Kept &later = kept_[skipped], &earlier = kept_[skipped + 1];
    const double after = t - later.t, before = later.t - earlier.t;
    out.resize(value.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] =
          2 * ((value[i] - later.value[i]) / after - (later.value[i] - earlier.value[i]) / before) /
          (before + after);
    }
    return true;
  }

 private:
  static constexpr int kCount = 3;
  /// Equal steps differ by rounding.
  static constexpr double kAlmost = 0.99;
  struct Kept {
    double t = 0;
    std::vector<double> value;
  };
  std::array<Kept, kCount> kept_;  // the latest first
  int count_ = 0;
};

}  // namespace liegrad::dae
