#include "liegrad/ad/native/subprocess.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sstream>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT: POSIX leaves its declaration to the program

namespace liegrad::ad {
namespace {

constexpr std::size_t kMaxOutput = 64 * 1024;
constexpr const char* kInterrupted = "was interrupted";
constexpr int kPatienceInMilliseconds = 50;
constexpr std::chrono::milliseconds kPatienceWithEnds{500};

using Clock = std::chrono::steady_clock;

/// Set by handlers of signals: looked at every now and then while a program runs.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);
/// When programs end, as a time of the clock: see ProgramTimeLimit.
std::atomic<Clock::rep> end_of_programs = Clock::time_point::max().time_since_epoch().count();

bool is_interrupted() {
  return interrupted || Clock::now().time_since_epoch().count() >= end_of_programs;
}

/// waitpid() that signals do not disturb.
pid_t wait_for(pid_t child, int* status, int options) {
  pid_t answer = -1;
  do {
    answer = waitpid(child, status, options);
  } while (answer < 0 && errno == EINTR);
  return answer;
}

/// Ends a program and all others in its process group: asks, so that it can clean up, and then insists.
void end(pid_t child) {
  kill(-child, SIGTERM);
  const auto patience_ends = Clock::now() + kPatienceWithEnds;
  siginfo_t info{};
  // While the child is not waited for, no other group has its number.
  while (Clock::now() < patience_ends && info.si_pid == 0 &&
         waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
    poll(nullptr, 0, 1);
  }
  kill(-child, SIGKILL);
}

/// Reads what the child writes until it ends, so that it never blocks, but keeps only the
/// beginning. A helper that it leaves behind (a compiler cache's server) may hold the pipe open:
/// whenever nothing comes for a while, the child itself is looked at. It is ended when its time is over or all are to
/// end. Returns its status.
int follow(pid_t child, int fd, Clock::time_point end_of_time, SubprocessResult* result) {
  int status = 0;
  bool has_ended = false;
  std::array<char, 4096> buffer{};
  pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
  int patience = kPatienceInMilliseconds;
  while (Clock::now() <= end_of_time && !is_interrupted()) {
    if (poll(&waiting, 1, patience) > 0) {
      const ssize_t count = read(fd, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count > 0) {
        result->output.append(buffer.data(), static_cast<std::size_t>(count));
        if (result->output.size() > kMaxOutput) result->output.resize(kMaxOutput);
      } else {  // it says no more, and as a rule ends at once
        waiting.fd = -1;
        patience = std::min(patience, 1);
      }
    } else if (has_ended) {
      return status;
    } else if (wait_for(child, &status, WNOHANG) != 0) {
      // In a program that ignores SIGCHLD the status is lost and counts as zero; whoever needs the
      // child's work sees that it is not there.
      has_ended = true;
      patience = 0;  // only what it wrote before
    }
  }
  if (has_ended) return status;
  result->interrupted = is_interrupted();
  result->took_too_long = !result->interrupted;
  end(child);
  wait_for(child, &status, 0);
  return status;
}

std::string meaning(int status) {
  if (WIFSIGNALED(status)) {
    return "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")";
  }
  if (WEXITSTATUS(status) != 0) return "failed with status " + std::to_string(WEXITSTATUS(status));
  return "";
}

std::string seconds_text(std::chrono::milliseconds time) {
  std::ostringstream text;
  text << static_cast<double>(time.count()) / 1000 << " s";
  return text.str();
}

}  // namespace

void interrupt_programs() noexcept { interrupted = true; }
void allow_programs() noexcept { interrupted = false; }

ProgramTimeLimit::ProgramTimeLimit(std::optional<Clock::time_point> end) noexcept
    : before_(end_of_programs) {
  if (end) end_of_programs = std::min(before_, end->time_since_epoch().count());
}
ProgramTimeLimit::~ProgramTimeLimit() { end_of_programs = before_; }

SubprocessResult run(const std::vector<std::string>& command, std::chrono::milliseconds limit) {
  SubprocessResult result;
  if (is_interrupted()) {
    result.interrupted = true;
    result.failure = kInterrupted;
    return result;
  }
  std::array<int, 2> pipe_ends{};
  if (command.empty() || pipe2(pipe_ends.data(), O_CLOEXEC) != 0) {
    result.failure = std::string("cannot be run: ") + std::strerror(errno);
    return result;
  }
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);

  if (error != 0) {
    result.failure = std::string("cannot be run: ") + std::strerror(error);
  } else {
    const int status = follow(child, pipe_ends[0], Clock::now() + limit, &result);
    result.failure = result.interrupted     ? kInterrupted
                     : result.took_too_long ? "did not end in " + seconds_text(limit)
                                            : meaning(status);
  }
  close(pipe_ends[0]);
  return result;
}

}  // namespace liegrad::ad
