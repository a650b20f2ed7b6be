#include "output/compile_line.hpp"

#include <cstdio>

#include <unistd.h>

#include <fmt/format.h>

#include "liegrad/ad/native/compile_observer.hpp"

namespace liegrad::app {

using Clock = std::chrono::steady_clock;

CompileLine::CompileLine(bool wanted) : is_on_(wanted && isatty(STDERR_FILENO) == 1) {
  if (!is_on_) return;
  ad::set_compile_observer([this](const ad::Compilation& compilation) {
    if (!compilation.is_done) {
      if (running_++ == 0) began_ = Clock::now();
      count_ += 1;
      fmt::print(stderr, "\r\033[Kcompiling kernel {} for first use: {}", compilation.number,
                 compilation.kernel);
    } else if (--running_ == 0) {
      seconds_ += std::chrono::duration<double>(Clock::now() - began_).count();
      fmt::print(stderr, "\r\033[K");
    }
    std::fflush(stderr);
  });
}

CompileLine::~CompileLine() {
  if (!is_on_) return;
  ad::set_compile_observer({});
  if (count_ > 0) {
    std::fflush(stdout);
    fmt::print(stderr,
               "liegrad: compiled {} kernel{} in {:.1f} s for first use; `liegrad cache` "
               "lists what is kept for later runs.\n",
               count_, count_ == 1 ? "" : "s", seconds_);
  }
}

}  // namespace liegrad::app
