#include "progress.hpp"

#include <cstdio>

#include <unistd.h>

#include <fmt/format.h>

namespace liegrad::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kSilence = 1s;
constexpr auto kInterval = 200ms;

}  // namespace

Progress::Progress(double t_start, double t_end, bool wanted)
    : t_start_(t_start),
      t_end_(t_end),
      is_on_(wanted && isatty(STDERR_FILENO) == 1),
      began_(Clock::now()),
      next_(began_ + kSilence) {}

void Progress::update(double t) {
  steps_ += 1;
  if (!is_on_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const double done = (t - t_start_) / (t_end_ - t_start_);
  fmt::print(stderr, "\r\033[Kt = {:.4g} of {:.4g}, {:.0f} %, {:.3g} steps/s, {:.0f} s left", t,
             t_end_, 100 * done, static_cast<double>(steps_) / seconds,
             seconds * (1 - done) / done);
  std::fflush(stderr);
  is_shown_ = true;
}

void Progress::clear() {
  if (is_shown_) fmt::print(stderr, "\r\033[K");
  is_shown_ = false;
}

}  // namespace liegrad::app
