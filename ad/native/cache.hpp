#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "liegrad/ad/native/shared_object.hpp"

namespace liegrad::ad {

/// Compiled kernels on disk, one shared object each, under $XDG_CACHE_HOME/liegrad or
/// ~/.cache/liegrad.
///
/// Loading a shared object runs its code, so an entry is trusted only if it and the directory
/// belong to this user and nobody else may write them, and if its name and contents match the
/// checksum appended to it. An entry that is damaged is as good as absent. Entries appear by
/// renaming a finished file, so any number of threads and processes may build and load the same one
/// at once.
///
/// $XDG_CACHE_HOME or ~/.cache is made if it is missing; what it is in, such as a home, must exist.
/// Where no such directory can be had (no home, read-only, hostile), kernels go to a private
/// temporary directory that is removed when the process ends; this is said once.
class Cache {
 public:
  struct Entry {
    std::string name;
    std::filesystem::path path;
    std::uintmax_t bytes = 0;
    std::chrono::system_clock::time_point modified;
  };

  /// The cache of this process's environment, made if it is not there.
  static Cache open();
  /// The usual directory as it is, to look at: nothing is made and nothing takes its place.
  static Cache look();

  /// Empty if none can be used.
  const std::filesystem::path& directory() const { return directory_; }
  /// Empty, or why the usual directory is not used.
  const std::string& problem() const { return problem_; }

  /// The verified entry `name`, loaded; empty when absent or damaged.
  std::optional<SharedObject> load(const std::string& name) const;

  /// Makes a copy of the shared object `file` the entry `name`, if the loader takes it. Returns it
  /// loaded, or empty, and then `why_not` says why.
  std::optional<SharedObject> store(const std::string& name, const std::filesystem::path& file,
                                    std::string* why_not) const;

  /// All entries, by name.
  std::vector<Entry> entries() const;
  /// Removes all entries, and what processes that were killed an hour ago or more left unfinished.
  /// Returns what went. Temporary directories of processes that were killed go as well, unmentioned.
  std::vector<Entry> clear() const;

 private:
  std::filesystem::path directory_;
  std::string problem_;
};

}  // namespace liegrad::ad
