#pragma once

#include <chrono>
#include <functional>
#include <optional>

namespace liegrad::control {

/// Asks a computation that can take long to end: when its time is over, or when the caller says so. What was asked for
/// once stays asked for. It is cheap enough to be looked at in every step of a motion.
class StopRequest {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Reason { kNone, kTime, kCaller };

  StopRequest() = default;
  /// A limit of 0 seconds is none; a caller that is empty never asks.
  StopRequest(std::function<bool()> caller, double limit_in_seconds);

  bool is_made() const;
  Reason reason() const { return reason_; }
  /// When its time is over, if it is limited.
  std::optional<Clock::time_point> end() const {
    return has_limit_ ? std::optional(end_) : std::nullopt;
  }

 private:
  std::function<bool()> caller_;
  bool has_limit_ = false;
  Clock::time_point end_;
  mutable Reason reason_ = Reason::kNone;
};

/// What is left of a limit for several searches; 0 is none, and of a limit that is over a moment is left.
double time_left(double limit_in_seconds, StopRequest::Clock::time_point begin);

}  // namespace liegrad::control
