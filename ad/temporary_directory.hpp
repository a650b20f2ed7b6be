#pragma once

#include <filesystem>
#include <string>

#include <sys/types.h>

namespace liegrad::ad {

/// A new directory for this user alone, in $TMPDIR or /tmp, removed with its contents when the
/// object goes. (Not by a forked child, which only has a copy.)
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  /// Empty if it could not be made.
  const std::filesystem::path& path() const { return path_; }
  /// Empty, or why it could not be made.
  const std::string& problem() const { return problem_; }

 private:
  std::filesystem::path path_;
  std::string problem_;
  pid_t owner_;
};

}  // namespace liegrad::ad
