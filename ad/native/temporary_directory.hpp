#pragma once

#include <filesystem>
#include <string>

#include <sys/types.h>

#include "liegrad/ad/native/file.hpp"

namespace liegrad::ad {

/// A new directory for this user alone, in $TMPDIR or /tmp, removed with the files in it when the object goes. (Not
/// by a forked child, which only has a copy.)
///
/// A process that is killed leaves its directory. It is locked while its owner lives, so others can tell, whatever
/// the numbers of processes.
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

  /// Removes the directories of this user in $TMPDIR and /tmp whose owners were killed.
  static void remove_abandoned();

 private:
  bool make_in(const std::filesystem::path& base);

  std::filesystem::path path_;
  std::string problem_;
  File lock_;
  pid_t owner_;
};

}  // namespace liegrad::ad
