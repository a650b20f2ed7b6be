#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace liegrad::dae {

/// Equal steps from the start of a run to its end; only the last may differ.
struct FixedSteps {
  long count = 0;
  double last = 0;  ///< length of the last step
};

/// The one rule by which the times of a run are compared.
///
/// Times are sums and multiples of steps, so they carry rounding. It is relative to the largest |t| of the run:
/// time stamps of 1.7e9 s have a resolution of 2e-7 s, whatever the step. Two times are the same when they differ by at
/// most rounding(). Steps, and times between samples, must not be shorter.
class RunTimes {
 public:
  RunTimes(double t_start, double t_end)
      : t_start_(t_start),
        t_end_(t_end),
        rounding_(kUnits * std::numeric_limits<double>::epsilon() *
                  std::max(std::abs(t_start), std::abs(t_end))) {}

  double rounding() const { return rounding_; }
  double interval() const { return t_end_ - t_start_; }
  bool is_same(double a, double b) const { return std::abs(a - b) <= rounding_; }
  /// Later by more than rounding.
  bool is_after(double a, double b) const { return a > b + rounding_; }
  bool has_ended(double t) const { return !is_after(t_end_, t); }
  /// Neither before the start nor after the end; false for NaN.
  bool contains(double t) const { return t >= t_start_ - rounding_ && t <= t_end_ + rounding_; }

  /// The last step ends at the end of the run: it is as long as the others when that holds but for rounding, absorbs
  /// a rest that is tiny, and is shorter otherwise. Precondition: step ≥ rounding().
  FixedSteps fixed_steps(double step) const {
    const double whole = std::floor(interval() / step);
    const double rest = interval() - whole * step;
    if (whole >= 1 && rest <= rounding_) return {static_cast<long>(whole), step};
    if (step - rest <= rounding_) return {static_cast<long>(whole) + 1, step};
    if (whole >= 1 && rest <= kTinyRest * step) return {static_cast<long>(whole), step + rest};
    return {static_cast<long>(whole) + 1, rest};
  }

 private:
  static constexpr double kUnits = 16;
  /// A step of its own would be so short that index 3 divides rounding by its square.
  static constexpr double kTinyRest = 1e-6;

  double t_start_, t_end_, rounding_;
};

}  // namespace liegrad::dae
