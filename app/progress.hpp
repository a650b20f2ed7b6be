#pragma once

#include <chrono>

namespace liegrad::app {

/// One line on standard error that says how far a run is; only on a terminal, and only after a second.
class Progress {
 public:
  Progress(double t_start, double t_end, bool wanted);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// After each step.
  void update(double t);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  double t_start_, t_end_;
  bool is_on_;
  Clock::time_point began_, next_;
  long steps_ = 0;
  bool is_shown_ = false;
};

}  // namespace liegrad::app
