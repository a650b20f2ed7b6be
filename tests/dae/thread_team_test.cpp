#include "liegrad/dae/thread_team.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <string>

#include <unistd.h>

#include "liegrad/lie/error.hpp"

namespace liegrad::testing {
namespace {

TEST(ThreadTeam, DoesEachPartOnce) {
  dae::ThreadTeam team(3);
  std::atomic<int> sum = 0;
  for (int round = 0; round < 100; ++round) team.run(5, [&](int part) { sum += 1 << part; });
  EXPECT_EQ(sum, 100 * 31);
}

/// Leaves the program little more memory than it has, so that a few threads find room for their stacks and
/// many do not.
class LittleMemory {
 public:
  LittleMemory() {
    getrlimit(RLIMIT_AS, &before_);
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_, stack{};
    getrlimit(RLIMIT_STACK, &stack);
    limit.rlim_cur = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE)) + 3 * stack.rlim_cur;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }
  LittleMemory(const LittleMemory&) = delete;

 private:
  rlimit before_{};
};

TEST(ThreadTeam, SaysThatAThreadCannotBeStarted) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need memory of their own for each thread";
#endif
  std::string message;
  try {
    const LittleMemory little;
    const dae::ThreadTeam team(64);
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_NE(message.find(" of 64 could not be started ("), message.npos) << message;
  EXPECT_NE(message.find("); ask for fewer threads"), message.npos) << message;
  // Some were started, and ended.
  EXPECT_NE(message.substr(0, 9), "thread 2 ");
  dae::ThreadTeam(4).run(4, [](int) {});
}

}  // namespace
}  // namespace liegrad::testing
