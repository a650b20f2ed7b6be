#pragma once

#include <chrono>

namespace liegrad::app {

/// Says on a terminal which kernel is compiled for its first use, and at the end how many were.
class CompileLine {
 public:
  explicit CompileLine(bool wanted);
  ~CompileLine();
  CompileLine(const CompileLine&) = delete;
  CompileLine& operator=(const CompileLine&) = delete;

 private:
  bool is_on_;
  int count_ = 0, running_ = 0;
  std::chrono::steady_clock::time_point began_;
  double seconds_ = 0;  ///< in which at least one was compiled
};

}  // namespace liegrad::app
