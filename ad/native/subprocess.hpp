#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace liegrad::ad {

/// How a program ended.
struct SubprocessResult {
  /// Empty if it ran and returned zero; else what happened to it, such as "failed with status 1",
  /// "was ended by signal 9 (Killed)" or "cannot be run: No such file or directory".
  std::string failure;
  /// Whether it was ended because its time was over.
  bool took_too_long = false;
  /// Whether interrupt_programs() ended it or kept it from starting.
  bool interrupted = false;
  /// Standard output and error, at most 64 KiB.
  std::string output;
};

/// Runs a program (looked up in PATH) without a shell and with an empty standard input, and waits. After the limit it
/// is ended, and with it all that it started and that did not leave its process group, which is its own.
SubprocessResult run(const std::vector<std::string>& command, std::chrono::milliseconds limit);

/// Ends all programs that run() is waiting for, in whatever thread, and lets it start no more: run() returns at once
/// with the failure "was interrupted". May be called by a handler of signals; an interrupt from the keyboard does not
/// reach those programs by itself.
void interrupt_programs() noexcept;
/// Lets run() start programs again.
void allow_programs() noexcept;

/// While it lives, programs that run() waits for, in whatever thread, end at a time: they count as interrupted. One within
/// another can only shorten its time.
class ProgramTimeLimit {
 public:
  using Clock = std::chrono::steady_clock;

  /// Without a time there is no limit.
  explicit ProgramTimeLimit(std::optional<Clock::time_point> end) noexcept;
  ~ProgramTimeLimit();
  ProgramTimeLimit(const ProgramTimeLimit&) = delete;
  ProgramTimeLimit& operator=(const ProgramTimeLimit&) = delete;

 private:
  Clock::rep before_;
};

}  // namespace liegrad::ad
