#include "liegrad/ad/native/temporary_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace liegrad::ad {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "liegrad-compilation-";

/// Where directories are made, the first that works.
std::vector<fs::path> bases() {
  std::vector<fs::path> result;
  const char* chosen = std::getenv("TMPDIR");
  for (const char* base : {chosen, "/tmp"}) {
    if (base != nullptr && *base != '\0') result.push_back(fs::absolute(base));
  }
  return result;
}

File opened(const fs::path& directory) {
  return File(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// The directory and the files in it. Nothing below: no directory is ever made in one.
void remove_with_files(const fs::path& directory) {
  std::error_code ignored;
  std::vector<fs::path> files;
  for (fs::directory_iterator file(directory, ignored), end; !ignored && file != end;
       file.increment(ignored)) {
    files.push_back(file->path());
  }
  for (const fs::path& file : files) unlink(file.c_str());
  rmdir(directory.c_str());
}

/// Whether this user made the directory and its owner lives no more; keeps others out while `lock` lives.
bool is_abandoned(const fs::path& directory, File* lock) {
  *lock = opened(directory);
  struct stat info {};
  return lock->descriptor() >= 0 && fstat(lock->descriptor(), &info) == 0 &&
         info.st_uid == geteuid() && flock(lock->descriptor(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

bool TemporaryDirectory::make_in(const fs::path& base) {
  for (;;) {
    std::string pattern = (base / (std::string(kPrefix) + "XXXXXX")).string();
    if (mkdtemp(pattern.data()) == nullptr) return false;
    path_ = pattern;
    lock_ = opened(path_);
    if (lock_.descriptor() >= 0) flock(lock_.descriptor(), LOCK_EX);
    // Somebody who looks for abandoned ones may have been faster than the lock: then it is gone.
    if (access(path_.c_str(), F_OK) == 0) return true;
  }
}

TemporaryDirectory::TemporaryDirectory() : owner_(getpid()) {
  for (const fs::path& base : bases()) {
    problem_.clear();
    if (make_in(base)) return;
    problem_ = "no directory can be made in " + base.string() + ": " + std::strerror(errno);
  }
}

TemporaryDirectory::~TemporaryDirectory() {
  if (!path_.empty() && owner_ == getpid()) remove_with_files(path_);
}

void TemporaryDirectory::remove_abandoned() {
  for (const fs::path& base : bases()) {
    std::error_code ignored;
    std::vector<fs::path> candidates;
    for (fs::directory_iterator entry(base, ignored), end; !ignored && entry != end;
         entry.increment(ignored)) {
      if (entry->path().filename().string().starts_with(kPrefix)) {
        candidates.push_back(entry->path());
      }
    }
    for (const fs::path& directory : candidates) {
      File lock;
      if (is_abandoned(directory, &lock)) remove_with_files(directory);
    }
  }
}

}  // namespace liegrad::ad
