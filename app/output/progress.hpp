#pragma once

#include <chrono>
#include <string>

namespace liegrad::app {

/// One line on standard error that says how far a computation is; only on a terminal, and only after a second.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether it is time to show how far it is; seldom, so that it costs nothing to ask.
  bool is_due() const { return is_on_ && Clock::now() >= next_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
  /// A text, the percentage of what is done, and the time that the rest takes at this pace.
  void show(const std::string& text, double done);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_on_;
  Clock::time_point began_, next_;
  bool is_shown_ = false;
};

/// How far a run is.
class RunProgress {
 public:
  RunProgress(double t_start, double t_end, bool wanted)
      : line_(wanted), t_start_(t_start), t_end_(t_end) {}

  /// After each step.
  void update(double t);
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  double t_start_, t_end_;
  long steps_ = 0;
};

}  // namespace liegrad::app
