#include "output/progress.hpp"

#include <cstdio>

#include <unistd.h>

#include <fmt/format.h>

namespace liegrad::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kSilence = 1s;
constexpr auto kInterval = 200ms;

}  // namespace

ProgressLine::ProgressLine(bool wanted)
    : is_on_(wanted && isatty(STDERR_FILENO) == 1),
      began_(Clock::now()),
      next_(began_ + kSilence) {}

void ProgressLine::show(const std::string& text, double done) {
  next_ = Clock::now() + kInterval;
  fmt::print(stderr, "\r\033[K{}, {:.0f} %, {:.0f} s left", text, 100 * done,
             seconds() * (1 - done) / done);
  std::fflush(stderr);
  is_shown_ = true;
}

void ProgressLine::clear() {
  if (is_shown_) fmt::print(stderr, "\r\033[K");
  is_shown_ = false;
}

void RunProgress::update(double t) {
  steps_ += 1;
  if (!line_.is_due()) return;
  line_.show(fmt::format("t = {:.4g} of {:.4g}, {:.3g} steps/s", t, t_end_,
                         static_cast<double>(steps_) / line_.seconds()),
             (t - t_start_) / (t_end_ - t_start_));
}

}  // namespace liegrad::app
