#include "options/interrupt.hpp"

#include <array>
#include <csignal>

#include <unistd.h>

#include "liegrad/ad/native/subprocess.hpp"
#include "options/exit_status.hpp"

namespace liegrad::app {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};

volatile std::sig_atomic_t is_requested = 0;

extern "C" void request_end(int) {
  if (is_requested != 0) _exit(kInterrupted);
  is_requested = 1;
  ad::interrupt_programs();
}

}  // namespace

InterruptGuard::InterruptGuard() {
  for (const int signal : kSignals) {
    struct sigaction current = {};
    sigaction(signal, nullptr, &current);
    if (current.sa_handler == SIG_IGN) continue;
    struct sigaction own = {};
    own.sa_handler = request_end;
    // Writing goes on where it was; a run looks at the flag after each step.
    own.sa_flags = SA_RESTART;
    sigaction(signal, &own, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : kSignals) {
    struct sigaction current = {};
    sigaction(signal, nullptr, &current);
    if (current.sa_handler == request_end) std::signal(signal, SIG_DFL);
  }
}

bool was_interrupted() { return is_requested != 0; }

void throw_if_interrupted() {
  if (was_interrupted()) throw Interrupted();
}

}  // namespace liegrad::app
