#include "liegrad/ad/native/loaded_entries.hpp"

#include <ctime>

namespace liegrad::ad {

FileState::FileState(const struct stat& info)
    : device(info.st_dev),
      inode(info.st_ino),
      size(info.st_size),
      changed_seconds(info.st_ctim.tv_sec),
      changed_nanoseconds(info.st_ctim.tv_nsec) {}

bool FileState::is_settled() const { return std::time(nullptr) - changed_seconds > 1; }

LoadedEntries& LoadedEntries::of_process() {
  static LoadedEntries entries;
  return entries;
}

std::optional<SharedObject> LoadedEntries::find(const std::filesystem::path& path,
                                                const FileState& state) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(path);
  if (found == entries_.end() || !(found->second.state == state)) return std::nullopt;
  return found->second.object;
}

void LoadedEntries::keep(const std::filesystem::path& path, const FileState& state,
                         const SharedObject& object) {
  if (!state.is_settled()) return;
  const std::lock_guard lock(mutex_);
  entries_.insert_or_assign(path, Loaded{state, object});
}

}  // namespace liegrad::ad
