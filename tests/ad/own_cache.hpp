#pragma once

// Compiled kernels of a test program go to a directory of its own, which is empty at first and
// removed at the end: the user's cache is neither relied upon nor filled.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace liegrad::test {

class OwnCache : public testing::Environment {
 public:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "liegrad-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + " cannot be made");
    directory_ = name;
    setenv("XDG_CACHE_HOME", name.c_str(), /*overwrite=*/1);
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

 private:
  std::filesystem::path directory_;
};

/// Every program that includes this file has one.
inline testing::Environment* const kOwnCache = testing::AddGlobalTestEnvironment(new OwnCache);

}  // namespace liegrad::test
