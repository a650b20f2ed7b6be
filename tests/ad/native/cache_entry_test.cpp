// When kernels of the cache are trusted, and what happens when they are not; how processes and threads share them.

#include "liegrad/ad/native/cache.hpp"

#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include "kernel_sandbox.hpp"
#include "liegrad/ad/native/native_code.hpp"
#include "liegrad/ad/native/sha256.hpp"
#include "liegrad/ad/native/temporary_directory.hpp"

namespace liegrad::ad {
namespace {

using namespace liegrad::test;

constexpr auto kCache = NativeCodeOrigin::kCache;
constexpr auto kCompiled = NativeCodeOrigin::kCompiled;
constexpr uid_t kSomebodyElse = 65534;

bool is_root() { return geteuid() == 0; }

/// An entry that was made well, and then something happened to it.
class CacheEntry : public KernelSandbox {
 protected:
  void SetUp() override {
    expect_native(example_kernel(), kCompiled);
    entry_path = entry();
    good_bytes = file_text(entry_path);
    ASSERT_GT(good_bytes.size(), 1000U);
  }

  void expect_rebuilt() {
    expect_native(example_kernel(), kCompiled);
    expect_native(example_kernel(), kCache);
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(entry_path)));
    EXPECT_EQ(names_in(cache()).size(), 1U);
    EXPECT_TRUE(said.empty());
  }

  /// By another file, as a loaded one must not be written.
  void replace_by(const std::string& bytes) const {
    fs::remove(entry_path);
    write_file(entry_path, bytes);
    fs::permissions(entry_path, fs::perms::owner_read | fs::perms::owner_write);
  }
  void replace_byte(std::size_t at) const {
    std::string bad = good_bytes;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    replace_by(bad);
  }

  fs::path entry_path;
  std::string good_bytes;
};

TEST_F(CacheEntry, IsRebuiltWhenTruncated) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, good_bytes.size() / 2,
                                 good_bytes.size() - 86, good_bytes.size() - 1}) {
    SCOPED_TRACE(size);
    fs::resize_file(entry_path, size);
    expect_rebuilt();
  }
}

TEST_F(CacheEntry, IsRebuiltWhenItIsTooLong) {
  // A sparse file takes no room; it is not read.
  const auto start = std::chrono::steady_clock::now();
  for (const std::uintmax_t gigabytes : {3, 1024}) {
    replace_by(good_bytes);
    fs::resize_file(entry_path, gigabytes << 30U);
    expect_rebuilt();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(CacheEntry, IsRebuiltWhenAByteChanged) {
  // The first byte, one of the code, of the trailer's word and of the checksum, and the last.
  for (const std::size_t at : {std::size_t{0}, good_bytes.size() / 2, good_bytes.size() - 80,
                               good_bytes.size() - 30, good_bytes.size() - 1}) {
    SCOPED_TRACE(at);
    replace_byte(at);
    expect_rebuilt();
  }
}

TEST_F(CacheEntry, IsRebuiltWhenAByteChangedAfterItWasLoaded) {
  // A process keeps what it loaded from files that have not changed for two seconds.
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  expect_native(example_kernel(), kCache);
  replace_byte(good_bytes.size() / 2);
  expect_rebuilt();
}

TEST_F(CacheEntry, IsRebuiltWhenSomethingWasAppended) {
  std::ofstream(entry_path, std::ios::app) << 'x';
  expect_rebuilt();
}

TEST_F(CacheEntry, IsRebuiltWhenItIsAnotherKernel) {
  const Kernel other = example_kernel(2.0, "other");
  expect_right_numbers(other, 2.0);
  for (const Cache::Entry& found : Cache::look().entries()) {
    if (found.path != entry_path) fs::rename(found.path, entry_path);
  }
  expect_rebuilt();
}

TEST_F(CacheEntry, IsRebuiltWhenItIsALink) {
  fs::rename(entry_path, scratch / "elsewhere.so");
  fs::create_symlink(scratch / "elsewhere.so", entry_path);
  expect_rebuilt();
  EXPECT_EQ(file_text(scratch / "elsewhere.so"), good_bytes);
}

TEST_F(CacheEntry, IsRebuiltWhenItIsAPipe) {
  fs::remove(entry_path);
  ASSERT_EQ(mkfifo(entry_path.c_str(), 0600), 0);
  expect_rebuilt();
}

TEST_F(CacheEntry, IsRebuiltWhenOthersMayWriteToIt) {
  for (const auto others : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(entry_path, fs::perms::owner_all | others);
    expect_rebuilt();
    EXPECT_EQ(mode_of(entry_path), 0600U);
  }
}

TEST_F(CacheEntry, IsRebuiltWhenItBelongsToAnotherUser) {
  if (!is_root()) GTEST_SKIP() << "only root can give a file away";
  ASSERT_EQ(chown(entry_path.c_str(), kSomebodyElse, static_cast<gid_t>(-1)), 0);
  expect_rebuilt();
  struct stat info {};
  ASSERT_EQ(stat(entry_path.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, geteuid());
}

TEST_F(CacheEntry, IsDoneWithoutWhenItCannotBeReplaced) {
  fs::remove(entry_path);
  fs::create_directories(entry_path / "inside");
  expect_native(example_kernel(), kCompiled);
  EXPECT_EQ(said,
            std::vector<std::string>{"compiled kernels are not kept for later, because " +
                                     entry_path.string() + " cannot be replaced: Is a directory"});
  EXPECT_TRUE(unfinished_files().empty());
}

TEST_F(CacheEntry, MayBeReplacedWhileItIsLoaded) {
  const Kernel loaded = example_kernel();
  expect_native(loaded, kCache);
  fs::remove(entry_path);
  write_file(entry_path, "nonsense");
  const Kernel rebuilt = example_kernel();
  expect_native(rebuilt, kCompiled);
  expect_right_numbers(loaded);
}

TEST_F(CacheEntry, AppearsByRenamingOnly) {
  // Whoever looks at the directory while kernels are made sees whole entries or none.
  const pid_t child = start_child([] {
    for (int i = 2; i < 6; ++i) expect_right_numbers(example_kernel(i), i);
  });
  int status = 0;
  int seen = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    for (const Cache::Entry& found : Cache::look().entries()) {
      const std::string text = file_text(found.path);
      const std::size_t body = text.size() - std::min<std::size_t>(text.size(), 86);
      EXPECT_EQ(text.substr(body),
                "liegrad-kernel-sha256:" + sha256(found.name + '\n' + text.substr(0, body)));
      ++seen;
    }
  }
  EXPECT_EQ(status, 0);
  EXPECT_GT(seen, 4);
  EXPECT_EQ(Cache::look().entries().size(), 5U);
}

using SharedCache = KernelSandbox;

TEST_F(SharedCache, ServesProcessesThatBuildTheSameKernelAtOnce) {
  std::array<int, 2> barrier{};
  ASSERT_EQ(pipe(barrier.data()), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(start_child([&] {
      close(barrier[1]);
      char byte = 0;
      EXPECT_EQ(read(barrier[0], &byte, 1), 0);  // until all are started
      const Kernel kernel = example_kernel();
      EXPECT_EQ(kernel.info().backend_used, Backend::kCompiled) << kernel.info().message;
      expect_right_numbers(kernel);
      EXPECT_TRUE(said.empty());
    }));
  }
  close(barrier[0]);
  close(barrier[1]);
  for (const pid_t child : children) expect_success_of(child);
  EXPECT_EQ(names_in(cache()).size(), 1U);
  EXPECT_TRUE(names_in(tmp()).empty());
  expect_native(example_kernel(), kCache);
}

TEST_F(SharedCache, ServesThreadsThatBuildTheSameKernelAtOnce) {
  liegrad_cc.set(
      make_compiler("counting", "echo . >>'" + (scratch / "count").string() + "'; exec cc \"$@\""));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      const Kernel kernel = example_kernel();
      EXPECT_EQ(kernel.info().backend_used, Backend::kCompiled) << kernel.info().message;
      expect_right_numbers(kernel);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(file_text(scratch / "count"), ".\n");
  EXPECT_EQ(names_in(cache()).size(), 1U);
  EXPECT_TRUE(names_in(tmp()).empty());
}

TEST_F(SharedCache, IsNotHarmedByAProcessThatIsKilled) {
  liegrad_cc.set(
      make_compiler("slow", "touch '" + (scratch / "started").string() + "'; exec sleep 60"));
  const pid_t child = start_child([] {
    setpgid(0, 0);
    example_kernel();
  });
  for (int i = 0; i < 1000 && !fs::exists(scratch / "started"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_EQ(kill(-child, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(Cache::look().entries().empty());

  // Its directory remains, and goes when the next process compiles, or when the cache is cleared. That of a process
  // that lives stays.
  ASSERT_EQ(names_in(tmp()).size(), 1U);
  const fs::path abandoned = tmp() / names_in(tmp()).front();
  EXPECT_FALSE(fs::is_empty(abandoned));
  const TemporaryDirectory living;
  write_file(living.path() / "file", "");
  liegrad_cc.set(std::nullopt);
  in_child([] { expect_native(example_kernel(), kCompiled); });
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(living.path() / "file"));
  EXPECT_EQ(names_in(cache()).size(), 1U);

  fs::create_directory(abandoned);
  write_file(abandoned / "kernel.c", "");
  Cache::look().clear();
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(living.path() / "file"));
}

TEST_F(SharedCache, LoadsTheFileThatItLookedAt) {
  // Objects are loaded by the numbers of their open files, which are used again and again.
  std::vector<Kernel> kernels;
  for (int i = 0; i < 3; ++i) kernels.push_back(example_kernel(1.0 + i, "f" + std::to_string(i)));
  for (int i = 0; i < 3; ++i) expect_right_numbers(kernels[static_cast<std::size_t>(i)], 1.0 + i);
  kernels.clear();
  for (int i = 2; i >= 0; --i) kernels.push_back(example_kernel(1.0 + i, "f" + std::to_string(i)));
  for (int i = 2; i >= 0; --i)
    expect_right_numbers(kernels[static_cast<std::size_t>(2 - i)], 1.0 + i);
}

TEST_F(SharedCache, IsClearedOfEntriesAndOfOldUnfinishedFiles) {
  expect_native(example_kernel(), kCompiled);
  expect_right_numbers(example_kernel(2.0, "second"), 2.0);
  write_file(cache() / "unfinished-new", "1234");
  write_file(cache() / "unfinished-old", "12345");
  write_file(cache() / "readme.txt", "somebody's");
  fs::last_write_time(cache() / "unfinished-old",
                      fs::file_time_type::clock::now() - std::chrono::minutes(61));
  expect_native(example_kernel(), kCache);

  const std::vector<Cache::Entry> entries = Cache::look().entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_TRUE(entries[0].name.starts_with("example-"));
  EXPECT_TRUE(entries[1].name.starts_with("second-"));
  EXPECT_EQ(entries[0].bytes, fs::file_size(entries[0].path));
  const auto age = std::chrono::system_clock::now() - entries[0].modified;
  EXPECT_LT(std::chrono::abs(age), std::chrono::minutes(1));

  const std::vector<Cache::Entry> gone = Cache::look().clear();
  ASSERT_EQ(gone.size(), 3U);
  EXPECT_EQ(gone[2].name, "unfinished-old");
  EXPECT_EQ(gone[2].bytes, 5U);
  const std::vector<std::string> left = names_in(cache());
  EXPECT_EQ(std::set<std::string>(left.begin(), left.end()),
            (std::set<std::string>{"readme.txt", "unfinished-new"}));
  expect_native(example_kernel(), kCompiled);
}

}  // namespace
}  // namespace liegrad::ad
