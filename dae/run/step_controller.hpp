#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

namespace liegrad::dae {

/// A PI controller of the step: the next step follows the error of this step and how it changed. Where the error of a
/// method without memory is far below 1, a change of it is no trend: the next step is then the one that would have had a
/// tenth, where the PI controller comes to rest. With memory the error of the steps to come is not that of this one alone.
class StepController {
 public:
  StepController(int exponent, bool error_has_memory)
      : exponent_(exponent), error_has_memory_(error_has_memory) {}

  /// Factor of the next step after one whose error is at most 1.
  double after_acceptance(double error) {
    const double now = std::max(error, kLeastError);
    const double by_trend =
        kSafety * std::pow(now, -0.7 / exponent_) * std::pow(previous_error_, 0.4 / exponent_);
    const double by_error = error_has_memory_ ? 0.0 : std::pow(kAtRest / now, 1.0 / exponent_);
    const double factor = std::max(by_trend, by_error);
    previous_error_ = now;
    const double limit = std::exchange(after_rejection_, false) ? 1.0 : kMostGrowth;
    const double bounded = std::clamp(factor, kMostReduction, limit);
    // A change of step costs a new matrix and two rescalings: small ones are not worth it.
    return bounded > 1 && bounded < kWorthwhile ? 1.0 : bounded;
  }
  double after_rejection(double error) {
    after_rejection_ = true;
    return std::clamp(kSafety * std::pow(error, -1.0 / exponent_), kMostReduction, 0.9);
  }
  void reset() {
    previous_error_ = 1;
    after_rejection_ = true;
  }

 private:
  static constexpr double kSafety = 0.9, kLeastError = 1e-4, kAtRest = 0.1;
  static constexpr double kMostReduction = 0.2, kMostGrowth = 2.0, kWorthwhile = 1.1;

  int exponent_;
  bool error_has_memory_;
  double previous_error_ = 1;
  bool after_rejection_ = false;
};

}  // namespace liegrad::dae
