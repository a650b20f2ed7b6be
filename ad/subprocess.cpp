#include "liegrad/ad/subprocess.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT: POSIX leaves its declaration to the program

namespace liegrad::ad {
namespace {

constexpr std::size_t kMaxOutput = 64 * 1024;
constexpr int kPatienceInMilliseconds = 50;

/// waitpid() that signals do not disturb.
pid_t wait_for(pid_t child, int* status, int options) {
  pid_t answer = -1;
  do {
    answer = waitpid(child, status, options);
  } while (answer < 0 && errno == EINTR);
  return answer;
}

/// Reads what the child writes until it ends, so that it never blocks, but keeps only the
/// beginning. A helper that it leaves behind (a compiler cache's server) may hold the pipe open:
/// whenever nothing comes for a while, the child itself is looked at. Returns its status.
int follow(pid_t child, int fd, std::string* output) {
  int status = 0;
  std::array<char, 4096> buffer{};
  for (;;) {
    pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = poll(&waiting, 1, kPatienceInMilliseconds);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      if (wait_for(child, &status, WNOHANG) != 0) return status;
      continue;
    }
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    output->append(buffer.data(), static_cast<std::size_t>(count));
    if (output->size() > kMaxOutput) output->resize(kMaxOutput);
  }
  // In a program that ignores SIGCHLD the status is lost and counts as zero; whoever needs the
  // child's work sees that it is not there.
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

}  // namespace

SubprocessResult run(const std::vector<std::string>& command) {
  SubprocessResult result;
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
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);

  result.failure = error != 0 ? std::string("cannot be run: ") + std::strerror(error)
                              : meaning(follow(child, pipe_ends[0], &result.output));
  close(pipe_ends[0]);
  return result;
}

}  // namespace liegrad::ad
