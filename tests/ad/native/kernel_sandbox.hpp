#pragma once

// A test about compilers and caches runs in an environment of its own: a scratch directory that
// holds the cache, temporary files and made-up compilers, nothing inherited that chooses a
// compiler, and a list of what was said. The cache's path has a space and a quote in it, as a
// user's may.

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "liegrad/ad/kernel.hpp"
#include "liegrad/ad/message.hpp"
#include "liegrad/ad/native/cache.hpp"
#include "liegrad/ad/recording.hpp"

namespace liegrad::test {

namespace fs = std::filesystem;

/// Sets a variable of the environment, or removes it; the former value comes back at the end.
class Variable {
 public:
  Variable(std::string name, const std::optional<std::string>& value) : name_(std::move(name)) {
    if (const char* former = std::getenv(name_.c_str())) former_ = former;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(former_); }

  void set(const std::optional<std::string>& value) {
    if (value) {
      setenv(name_.c_str(), value->c_str(), /*overwrite=*/1);
    } else {
      unsetenv(name_.c_str());
    }
  }

 private:
  std::string name_;
  std::optional<std::string> former_;
};

inline fs::path new_directory() {
  std::string name = (fs::temp_directory_path() / "liegrad-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + " cannot be made");
  return name;
}

/// f(x) = (factor x0² x1, sin x0), with value and Jacobian.
inline ad::Kernel example_kernel(double factor = 1.0, const std::string& name = "example") {
  using std::sin;
  const ad::Recording recording = ad::record({.name = name, .variables = 2}, [&](auto x, auto) {
    return std::array{factor * x[0] * x[0] * x[1], sin(x[0])};
  });
  return {recording, {.results = {ad::value(), ad::jacobian()}}};
}

inline void expect_right_numbers(const ad::Kernel& kernel, double factor = 1.0) {
  const double a = 0.7, b = -1.3;
  std::array<double, 6> out{};
  kernel(std::array{a, b}, out);
  EXPECT_DOUBLE_EQ(out[0], factor * a * a * b);
  EXPECT_DOUBLE_EQ(out[1], std::sin(a));
  EXPECT_DOUBLE_EQ(out[2], 2 * factor * a * b);
  EXPECT_DOUBLE_EQ(out[3], factor * a * a);
  EXPECT_DOUBLE_EQ(out[4], std::cos(a));
  EXPECT_DOUBLE_EQ(out[5], 0.0);
}

inline void expect_native(const ad::Kernel& kernel, ad::NativeCodeOrigin origin) {
  EXPECT_EQ(kernel.info().backend_given, ad::Backend::kCompiled);
  EXPECT_EQ(kernel.info().backend_used, ad::Backend::kCompiled);
  EXPECT_EQ(kernel.info().message, "");
  EXPECT_EQ(kernel.info().origin, origin);
  expect_right_numbers(kernel);
}

inline void expect_interpreted(const ad::Kernel& kernel, const std::string& message,
                               double factor = 1.0) {
  EXPECT_EQ(kernel.info().backend_given, ad::Backend::kCompiled);
  EXPECT_EQ(kernel.info().backend_used, ad::Backend::kInterpreted);
  EXPECT_EQ(kernel.info().message, message);
  EXPECT_EQ(kernel.info().origin, std::nullopt);
  expect_right_numbers(kernel, factor);
}

inline void write_file(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string file_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  if (!fs::exists(directory)) return names;
  for (const auto& file : fs::directory_iterator(directory)) {
    names.push_back(file.path().filename().string());
  }
  return names;
}

inline unsigned mode_of(const fs::path& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0U;
}

/// Starts a process that does the work and leaves by exit(), so that all is cleaned up.
inline pid_t start_child(const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  work();
  std::exit(testing::Test::HasFailure() ? 1 : 0);
}

inline void expect_success_of(pid_t child) {
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "child ended with " << status;
}

inline void in_child(const std::function<void()>& work) { expect_success_of(start_child(work)); }

class KernelSandbox : public testing::Test {
 protected:
  KernelSandbox() {
    fs::create_directory(tmp());
    fs::create_directory(scratch / "home");
    former_handler_ =
        ad::set_message_handler([this](const std::string& sentence) { said.push_back(sentence); });
  }
  ~KernelSandbox() override {
    ad::set_message_handler(former_handler_);
    fs::remove_all(scratch);
  }

  fs::path tmp() const { return scratch / "tmp"; }
  fs::path cache() const { return scratch / "it's a cache" / "liegrad"; }
  /// The one entry of the cache.
  fs::path entry() const {
    const auto entries = ad::Cache::look().entries();
    EXPECT_EQ(entries.size(), 1U);
    return entries.empty() ? fs::path() : entries.front().path;
  }
  std::vector<std::string> unfinished_files() const {
    std::vector<std::string> names = names_in(cache());
    std::erase_if(names, [](const std::string& name) { return name.ends_with(".so"); });
    return names;
  }

  /// A program that says `version` when asked for it, and else runs these lines of shell. In them,
  /// $out is the file to be written.
  fs::path make_compiler(const std::string& name, const std::string& lines) const {
    const fs::path path = scratch / name;
    write_file(path, "#!/bin/sh\n[ \"$1\" = --version ] && { echo \"" + name +
                         " 1.0\"; exit 0; }\n"
                         "for word; do [ \"$last\" = -o ] && out=$word; last=$word; done\n" +
                         lines + "\n");
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  const fs::path scratch = new_directory();
  std::vector<std::string> said;
  Variable xdg_cache_home{"XDG_CACHE_HOME", (scratch / "it's a cache").string()};
  Variable home{"HOME", (scratch / "home").string()};
  Variable tmpdir{"TMPDIR", tmp().string()};
  Variable liegrad_cc{"LIEGRAD_CC", std::nullopt};
  Variable cc{"CC", std::nullopt};

 private:
  ad::MessageHandler former_handler_;
};

}  // namespace liegrad::test
