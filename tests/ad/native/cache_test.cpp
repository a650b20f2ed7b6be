// Under which names and where compiled kernels are kept, and what happens when they cannot be.

#include "liegrad/ad/native/cache.hpp"

#include <set>

#include "kernel_sandbox.hpp"
#include "liegrad/ad/native/native_code.hpp"
#include "liegrad/ad/native/sha256.hpp"

namespace liegrad::ad {
namespace {

using namespace liegrad::test;

constexpr auto kCache = NativeCodeOrigin::kCache;
constexpr auto kCompiled = NativeCodeOrigin::kCompiled;
constexpr uid_t kSomebodyElse = 65534;

bool is_root() { return geteuid() == 0; }

using CacheKey = KernelSandbox;

TEST_F(CacheKey, DependsOnEverythingThatMakesTheCode) {
  const CompiledIdentity base{.fingerprint = "f", .compiler = "c", .flags = {"-O2"}, .cpu = "x"};
  std::vector<CompiledIdentity> all(7, base);
  all[1].fingerprint = "g";
  all[2].compiler = "d";
  all[3].flags = {"-O3"};
  all[4].flags = {"-O", "2"};
  all[5].cpu = "y";
  all[6].compiler = "cx", all[6].cpu = "";
  std::set<std::string> names;
  for (const CompiledIdentity& identity : all) names.insert(entry_name("f", identity));
  EXPECT_EQ(names.size(), all.size());
  EXPECT_EQ(entry_name("f", base), entry_name("f", base));
}

TEST_F(CacheKey, IsAPlainFileNameThatShowsTheFunction) {
  const std::string name = entry_name("../a b/ü" + std::string(100, 'n'), {});
  EXPECT_EQ(name.substr(0, 10), "___a_b___n");
  EXPECT_EQ(name.size(), 40U + 1 + 32);
}

TEST_F(CacheKey, FingerprintHoldsFunctionSpecificationAndVersion) {
  const auto recorded = [](double factor) {
    return record({.variables = 1}, [&](auto x, auto) { return std::array{factor * x[0]}; });
  };
  const auto print = [](const Recording& recording, const KernelSpec& spec) {
    return fingerprint(recording, lay_out(recording, spec));
  };
  const KernelSpec just_value{.results = {value()}}, just_jacobian{.results = {jacobian()}};
  EXPECT_EQ(print(recorded(2), just_value), print(recorded(2), just_value));
  EXPECT_NE(print(recorded(2), just_value), print(recorded(3), just_value));
  EXPECT_NE(print(recorded(2), just_value), print(recorded(2), just_jacobian));

  const Recording f = recorded(2);
  const std::string what = f.canonical_text() + '\n' + canonical_text(lay_out(f, just_value));
  EXPECT_EQ(print(f, just_value), sha256(generator_identity() + '\n' + what));
  EXPECT_EQ(generator_identity().find(LIEGRAD_VERSION), 0U) << generator_identity();
}

using CacheDirectory = KernelSandbox;

TEST_F(CacheDirectory, IsMadeForThisUserOnly) {
  xdg_cache_home.set((scratch / "it's a cache/").string());  // a slash at the end changes nothing
  const mode_t former = umask(0);
  const Kernel first = example_kernel();
  umask(former);
  expect_native(first, kCompiled);
  EXPECT_EQ(mode_of(cache()), 0700U);
  EXPECT_EQ(mode_of(cache().parent_path()), 0700U);
  EXPECT_EQ(mode_of(entry()), 0600U);
  EXPECT_EQ(Cache::look().directory(), cache());

  expect_native(example_kernel(), kCache);
  EXPECT_EQ(names_in(cache()).size(), 1U);
  EXPECT_TRUE(names_in(tmp()).empty());
  EXPECT_TRUE(said.empty());
}

TEST_F(CacheDirectory, IsInTheHomeDirectoryUnlessXdgSaysOtherwise) {
  for (const std::optional<std::string>& useless :
       {std::optional<std::string>(), std::optional<std::string>(""),
        std::optional<std::string>("relative/path")}) {
    xdg_cache_home.set(useless);
    EXPECT_EQ(Cache::open().directory(), scratch / "home" / ".cache" / "liegrad");
  }
  EXPECT_EQ(mode_of(scratch / "home" / ".cache"), 0700U);
  EXPECT_TRUE(said.empty());
}

TEST_F(CacheDirectory, LookingMakesNothing) {
  EXPECT_EQ(Cache::look().directory(), cache());
  EXPECT_EQ(Cache::look().problem(), "");
  EXPECT_TRUE(Cache::look().entries().empty());
  EXPECT_FALSE(fs::exists(cache().parent_path()));
}

/// Makes kernels in a child process whose cache cannot be used, and checks all that is promised
/// then.
class UnusableDirectory : public KernelSandbox {
 protected:
  void expect_private_directory_because(const std::string& reason) {
    const std::vector<std::string> before = names_in(cache());
    in_child([&] {
      expect_native(example_kernel(), kCompiled);
      expect_native(example_kernel(), kCache);
      const Cache used = Cache::open();
      EXPECT_EQ(used.directory().parent_path(), tmp());
      EXPECT_EQ(mode_of(used.directory()), 0700U);
      EXPECT_EQ(used.problem(), reason);
      EXPECT_EQ(said, std::vector<std::string>{
                          "compiled kernels are kept for this process only, because " + reason});
    });
    EXPECT_TRUE(names_in(tmp()).empty()) << "the private directory outlives its process";
    EXPECT_EQ(names_in(cache()), before) << "the refused directory was used";
  }

  void make_cache_directory() const {
    fs::create_directories(cache());
    fs::permissions(cache(), fs::perms::owner_all);
  }
};

TEST_F(UnusableDirectory, NoneIsNamed) {
  xdg_cache_home.set(std::nullopt);
  for (const std::optional<std::string>& useless :
       {std::optional<std::string>(), std::optional<std::string>("not/absolute")}) {
    home.set(useless);
    expect_private_directory_because("neither XDG_CACHE_HOME nor HOME names a directory");
  }
}

TEST_F(UnusableDirectory, ItCannotBeMade) {
  xdg_cache_home.set(std::nullopt);
  home.set("/proc");  // nobody may write there, not even root
  expect_private_directory_because(
      "/proc/.cache/liegrad cannot be made: No such file or directory");
}

TEST_F(UnusableDirectory, ItsHomeDoesNotExist) {
  const fs::path missing = scratch / "missing";
  home.set(missing.string());
  xdg_cache_home.set(std::nullopt);
  expect_private_directory_because(missing.string() + " does not exist");
  xdg_cache_home.set((missing / ".cache").string());
  expect_private_directory_because(missing.string() + " does not exist");
  EXPECT_FALSE(fs::exists(missing));
}

TEST_F(UnusableDirectory, AFileIsInItsWay) {
  write_file(scratch / "it's a cache", "");
  expect_private_directory_because(cache().string() + " cannot be looked at: Not a directory");
}

TEST_F(UnusableDirectory, ItIsAFile) {
  fs::create_directories(cache().parent_path());
  write_file(cache(), "");
  in_child([&] { EXPECT_EQ(Cache::open().problem(), cache().string() + " is not a directory"); });
}

TEST_F(UnusableDirectory, ItIsALink) {
  fs::create_directories(scratch / "elsewhere");
  fs::create_directories(cache().parent_path());
  fs::create_directory_symlink(scratch / "elsewhere", cache());
  expect_private_directory_because(cache().string() + " is not a directory");
}

TEST_F(UnusableDirectory, OthersMayWriteToIt) {
  expect_native(example_kernel(), kCompiled);
  for (const auto others : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(cache(), fs::perms::owner_all | others);
    expect_private_directory_because(cache().string() +
                                     " is not safe to load code from: others may write to it");
  }
}

TEST_F(UnusableDirectory, ItBelongsToAnotherUser) {
  if (!is_root()) GTEST_SKIP() << "only root can give a directory away";
  expect_native(example_kernel(), kCompiled);
  ASSERT_EQ(chown(cache().c_str(), kSomebodyElse, static_cast<gid_t>(-1)), 0);
  expect_private_directory_because(cache().string() +
                                   " is not safe to load code from: it belongs to another user");
}

TEST_F(UnusableDirectory, ItIsReadOnly) {
  make_cache_directory();
  fs::permissions(cache(), fs::perms::owner_read | fs::perms::owner_exec);
  if (is_root()) {  // to whom permissions do not apply
    for (const fs::path& path : {scratch, tmp(), cache()}) {
      ASSERT_EQ(chown(path.c_str(), kSomebodyElse, static_cast<gid_t>(-1)), 0);
    }
  }
  in_child([&] {
    if (is_root()) {
      ASSERT_EQ(setuid(kSomebodyElse), 0);
    }
    expect_private_directory_because(cache().string() + " cannot be written: Permission denied");
  });
}

TEST_F(UnusableDirectory, NorIsTheTemporaryDirectoryThatIsNamed) {
  xdg_cache_home.set("/proc");
  tmpdir.set("/proc");
  in_child([] { EXPECT_EQ(Cache::open().directory().parent_path(), "/tmp"); });
}

TEST_F(UnusableDirectory, ThereIsNoPlaceForTemporaryFilesEither) {
  if (!is_root()) GTEST_SKIP() << "only root can enter a root directory without /tmp";
  fs::create_directory(scratch / "bare");
  in_child([&] {
    ASSERT_EQ(chroot((scratch / "bare").c_str()), 0);
    xdg_cache_home.set(std::nullopt);
    home.set(std::nullopt);
    const Cache used = Cache::open();
    EXPECT_EQ(used.directory(), "");
    EXPECT_EQ(used.load("example"), std::nullopt);
    std::string why_not;
    EXPECT_EQ(used.store("example", "example.so", &why_not), std::nullopt);
    EXPECT_EQ(why_not, used.problem());
    EXPECT_NE(why_not, "");
    EXPECT_TRUE(used.entries().empty());
    EXPECT_TRUE(used.clear().empty());
    std::fflush(nullptr);
    _exit(HasFailure() ? 1 : 0);  // exit() would look for leaks, which needs /proc
  });
}

TEST_F(UnusableDirectory, AForkedChildLeavesThePrivateDirectoryToItsParent) {
  xdg_cache_home.set("/proc");
  in_child([&] {
    expect_native(example_kernel(), kCompiled);
    in_child([&] { expect_native(example_kernel(), kCache); });
    expect_native(example_kernel(), kCache);
  });
  EXPECT_TRUE(names_in(tmp()).empty());
}

}  // namespace
}  // namespace liegrad::ad
