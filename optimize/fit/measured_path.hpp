#pragma once

#include <span>
#include <vector>

#include "liegrad/optimize/fit/measurements.hpp"

namespace liegrad::optimize {

/// A path through the samples of a series with a continuous rate, on the group where the values are on one: between two
/// samples a cubic polynomial, in coordinates around the first of them.
class MeasuredPath {
 public:
  explicit MeasuredPath(const Series& series);

  /// Value and rate, width() and residual_size() numbers of the series; the rate of an orientation is in the body.
  /// Beyond its ends the path stays where it is, without a rate.
  void at(double t, std::span<double> value, std::span<double> rate) const;
  /// Root mean squares: of the distance from the mean, in one number, and of the rate. Of orientations the distance is
  /// the angle from the first one.
  double spread() const { return spread_; }
  double mean_rate() const { return mean_rate_; }

 private:
  double change(std::size_t i, std::size_t c) const { return changes_[i * size_ + c]; }
  void find_changes();
  void find_rates();
  void find_spread();

  Series series_;
  std::size_t size_;             ///< of a rate
  std::vector<double> changes_;  ///< from each sample to the next, log(y_i⁻¹ y_{i+1})
  std::vector<double> rates_;    ///< at samples
  double spread_ = 0, mean_rate_ = 0;
};

}  // namespace liegrad::optimize
