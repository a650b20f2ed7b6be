#include "liegrad/control/stop_request.hpp"

#include <algorithm>
#include <utility>

namespace liegrad::control {
namespace {

/// A clock counts less than this.
constexpr double kLongest = 1e9;

}  // namespace

StopRequest::StopRequest(std::function<bool()> caller, double limit_in_seconds)
    : caller_(std::move(caller)), has_limit_(limit_in_seconds > 0) {
  if (!has_limit_) return;
  end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(limit_in_seconds, kLongest)));
}

bool StopRequest::is_made() const {
  if (reason_ != Reason::kNone) return true;
  if (caller_ && caller_()) {
    reason_ = Reason::kCaller;
  } else if (has_limit_ && Clock::now() >= end_) {
    reason_ = Reason::kTime;
  }
  return reason_ != Reason::kNone;
}

double time_left(double limit_in_seconds, StopRequest::Clock::time_point begin) {
  if (limit_in_seconds <= 0) return 0;
  const std::chrono::duration<double> past = StopRequest::Clock::now() - begin;
  return std::max(1e-6, limit_in_seconds - past.count());
}

}  // namespace liegrad::control
