#include "liegrad/dae/runge_kutta/radau_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/turn.hpp"

namespace liegrad::dae {
namespace {

/// Peaks of derivatives are forgotten at this part of the rate of change, by less than a half in a quarter of a period.
constexpr double kForgettingRate = 0.4;
/// A vibration has passed at least so many radians: a motion v ~ tᵏ that begins has rates of (k - 2)/t.
constexpr double kVibration = 10;
/// It is so many times faster than nodes turn: coordinates of what turns have rates of a few |Ω|.
constexpr double kFasterThanTurns = 10;
/// It matters when the error of velocities is more than this part of the tolerance, and that of positions is small
/// beside it.
constexpr double kLimiting = 0.01, kSmallPart = 0.1;
/// Beside it velocities count up to so many times the rate of the slow motion.
constexpr double kSlow = 2;
/// Faster ones may have twenty tolerances in a step.
constexpr double kOnce = 0.05;

}  // namespace

double RadauError::Peaks::amplitude() const {
  const double w = rate();
  return w > 0 ? second_of_position / (w * w * w) : 0;
}

RadauError::RadauError(RadauEquations& equations, const RadauCoefficients& coefficients,
                       const lie::GroupList& space, int num_multipliers)
    : equations_(equations),
      coefficients_(coefficients),
      space_(space),
      theta_(index(space.dof())),
      v_(theta_),
      slow_theta_(theta_),
      second_(theta_),
      third_(theta_),
      none_(index(space.dof()), 0.0),
      multipliers_(index(num_multipliers)) {}

double RadauError::find(const State& start, const MethodState& end, const ErrorNorm& norm) {
  if (!equations_.estimate_error(theta_, v_)) return std::numeric_limits<double>::quiet_NaN();
  find_peaks(start, end, norm);
  const double of_motion = motion_error(end.step, accumulated_over_difference(end, norm), norm);
  if (!norm.counts_multipliers()) return of_motion;
  const double of_multipliers = local_over_difference(next_peaks_.rate() * end.step, end);
  return std::max(of_multipliers * multiplier_error(end, norm), of_motion);
}

/// Where there is a vibration that positions do not show, all of d in θ adds up, but in v only what belongs to the slow
/// motion; motions in between are in θ. The rest of v is damped and counts once.
double RadauError::motion_error(double h, double factor, const ErrorNorm& norm) {
  const double of_positions = norm.size(theta_, none_), of_all = norm.size(theta_, v_);
  if (!hidden_rate_) {
    const bool matters = factor * of_all > kLimiting && of_positions < kSmallPart * of_all;
    if (!matters || !is_hidden_vibration(h)) return factor * of_all;
    hidden_rate_ = next_peaks_.rate();
  }
  const double error = std::max(factor * of_positions, kOnce * of_all);
  const double fastest = kSlow * std::min(next_peaks_.slow_rate, *hidden_rate_);
  if (!(error <= 1) || !(fastest > 0)) return error;
  slow_theta_ = theta_;
  if (!equations_.keep_slow_part(1 / fastest, slow_theta_, v_)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::max(error, factor * norm.size(none_, v_));
}

/// From the polynomial through v at the start and at the stages, or with two stages also through v̇ at the start. All
/// derivatives vanish now and then in a vibration, so that the peaks of late count.
void RadauError::find_peaks(const State& start, const MethodState& upcoming,
                            const ErrorNorm& norm) {
  const double h = upcoming.step;
  const RadauKinematics& motion = equations_.kinematics();
  const int stages = coefficients_.stages;
  const bool has_three = stages == 3;
  const double c = coefficients_.c(stages - 2);
  const double d = has_three ? coefficients_.c(0) : 0;
  const std::span<const double> middle = motion.v(stages - 2), end = motion.v(stages - 1);
  for (std::size_t k = 0; k < second_.size(); ++k) {
    const double v = start.v[k];
    // Divided differences over 0, c, 1 and d, in units of h.
    const double to_middle = (middle[k] - v) / c, to_end = end[k] - v;
    const double to_other = has_three ? (motion.v(0)[k] - v) / d : h * start.v_dot[k];
    const double second = (to_end - to_middle) / (1 - c);
    const double other = (to_middle - to_other) / (c - d);
    second_[k] = 2 * second;
    third_[k] = 6 * (second - other) / (1 - d);
  }
  const double forgotten = std::exp(-kForgettingRate * peaks_.rate() * h);
  const auto peak = [forgotten](double now, double before) {
    return std::max(now, forgotten * before);
  };
  const double slow_rate = norm.size(none_, upcoming.v_dot) * norm.tolerance().relative;
  next_peaks_ = {
      peak(norm.size(none_, second_) / (h * h), peaks_.second),
      peak(norm.size(none_, third_) / (h * h * h), peaks_.third),
      peak(norm.size(second_, none_) / (h * h), peaks_.second_of_position),
      std::max(slow_rate, std::exp(-kForgettingRate * peaks_.slow_rate * h) * peaks_.slow_rate),
      std::max(std::numbers::pi / step_of_half_turn(space_, upcoming.v), peaks_.turning),
      peaks_.age + h,
  };
}

/// One that the steps resolve: otherwise it is damped already.
bool RadauError::is_hidden_vibration(double h) const {
  const double rate = next_peaks_.rate();
  return rate * h < 1 && rate * next_peaks_.age > kVibration &&
         rate > kFasterThanTurns * next_peaks_.turning && next_peaks_.amplitude() < 1;
}

/// Each order of h more is a factor x = ωh, with ω the rate of change of v or, in the coordinates of a node that turns
/// fast, that of its turning.
double RadauError::local_over_difference(double x, const MethodState& end) const {
  const double turn = std::numbers::pi * end.step / step_of_half_turn(space_, end.v);
  return std::min(
      1.0, coefficients_.error_ratio * std::pow(std::max(x, turn), coefficients_.stages - 1));
}

/// Local errors of a motion that the steps resolve add up. Those of a vibration that is too fast for them are damped as
/// the vibration is, by |R(iωh)| in a step, so that they add up to 1 / (1 - |R|) of themselves. The motion below the
/// vibration has about the rate |v̇| / |v|.
double RadauError::accumulated_over_difference(const MethodState& end,
                                               const ErrorNorm& norm) const {
  const double h = end.step, all = norm.accumulated_over_local(h), rate = next_peaks_.rate();
  const double lost = 1 - coefficients_.amplification(rate * h);
  if (!(lost * all > 1)) return local_over_difference(rate * h, end) * all;
  const double of_slow = norm.size(none_, end.v_dot) * norm.tolerance().relative;
  return std::max(local_over_difference(rate * h, end) / lost,
                  local_over_difference(std::min(of_slow, rate) * h, end) * all);
}

/// The difference to λ of the last stage, which is of order s.
double RadauError::multiplier_error(const MethodState& end, const ErrorNorm& norm) {
  const std::span<const double> of_stage = equations_.multipliers(coefficients_.stages - 1);
  for (std::size_t k = 0; k < multipliers_.size(); ++k) {
    multipliers_[k] = end.lambda[k] - of_stage[k];
  }
  return norm.multiplier_size(multipliers_);
}

}  // namespace liegrad::dae
