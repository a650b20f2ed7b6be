#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include <sys/stat.h>

#include "liegrad/ad/native/shared_object.hpp"

namespace liegrad::ad {

/// What tells one state of a file from another.
struct FileState {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t changed_seconds = 0, changed_nanoseconds = 0;

  explicit FileState(const struct stat& info);
  bool operator==(const FileState&) const = default;

  /// Whether another change would have another time: those of one tick of the clock have the same.
  bool is_settled() const;
};

/// Entries of caches that this process verified and loaded, by path. Those of one run are those of the next, which need
/// not read and verify them again while their files are as they were.
class LoadedEntries {
 public:
  static LoadedEntries& of_process();

  /// Empty if none was kept, or the file has changed.
  std::optional<SharedObject> find(const std::filesystem::path& path, const FileState& state);
  /// Without effect on a file that has changed just now.
  void keep(const std::filesystem::path& path, const FileState& state, const SharedObject& object);

 private:
  struct Loaded {
    FileState state;
    SharedObject object;
  };
  std::mutex mutex_;
  std::map<std::filesystem::path, Loaded> entries_;
};

}  // namespace liegrad::ad
