#pragma once

#include <exception>
#include <string>
#include <utility>

namespace liegrad::app {

/// While it lives, Ctrl-C and SIGTERM ask a computation to end at its next step, and a second one ends the
/// program at once. A compiler that is running ends, too. A signal that the caller of the program ignores stays ignored.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// Whether a computation was asked to end.
bool was_interrupted();

/// Ends a command after it wrote what there is. It is no Error, which a search for differences would take for
/// a run that fails.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(std::string message = "interrupted") : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

void throw_if_interrupted();

}  // namespace liegrad::app
