#include "liegrad/ad/native/cache.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "liegrad/ad/message.hpp"
#include "liegrad/ad/native/file.hpp"
#include "liegrad/ad/native/loaded_entries.hpp"
#include "liegrad/ad/native/sha256.hpp"
#include "liegrad/ad/native/temporary_directory.hpp"

namespace liegrad::ad {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".so";
/// Begins the name of a file that is being written and not an entry yet.
constexpr const char* kUnfinished = "unfinished-";
/// Ends every entry: this word, then the SHA-256 of the entry's name and of all that stands before.
/// A loader ignores what follows the sections of a shared object.
constexpr std::string_view kTrailerWord = "liegrad-kernel-sha256:";
constexpr std::size_t kTrailerSize = kTrailerWord.size() + 64;
/// No kernel is longer: what is was not put there by us, and would be read for long.
constexpr off_t kLongestEntry = 64 * 1024 * 1024;

std::string trailer(const std::string& name, std::string_view body) {
  return std::string(kTrailerWord) + sha256(name + '\n' + std::string(body));
}

/// Empty, or why a file or directory must not be trusted.
std::string distrust(const struct stat& info) {
  if (info.st_uid != geteuid()) return "it belongs to another user";
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "others may write to it";
  return "";
}

/// A regular file that is open and not too long to be read.
struct OpenFile {
  File file;
  struct stat info {};
};

/// Opens such a file, if there is one; only a trusted one if so asked.
std::optional<OpenFile> open_file(const fs::path& path, bool must_be_trusted) {
  // Not to wait for the writer of a pipe that someone put there.
  OpenFile result{.file =
                      File(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))};
  const int descriptor = result.file.descriptor();
  if (descriptor < 0 || fstat(descriptor, &result.info) != 0) return std::nullopt;
  if (!S_ISREG(result.info.st_mode) || result.info.st_size > kLongestEntry) return std::nullopt;
  if (must_be_trusted && !distrust(result.info).empty()) return std::nullopt;
  return result;
}

/// All that a file holds; empty if it cannot be read.
std::optional<std::string> contents(const OpenFile& opened) {
  std::string bytes(static_cast<std::size_t>(opened.info.st_size), '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = read(opened.file.descriptor(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

/// Where the cache should be; empty when the environment does not tell.
fs::path usual_directory() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg != nullptr && fs::path(xdg).is_absolute()) return fs::path(xdg) / "liegrad";
  const char* home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / "liegrad";
  return {};
}

/// The place for caches, in which ours has its directory, need not be there; what it is in must.
fs::path home_of(const fs::path& directory) { return directory.parent_path().parent_path(); }

/// Makes a directory, and the one that it is in if that is missing, for this user alone.
bool make(const fs::path& directory) {
  const auto made = [](const fs::path& path) {
    return mkdir(path.c_str(), S_IRWXU) == 0 || errno == EEXIST;
  };
  return made(directory) || (errno == ENOENT && made(directory.parent_path()) && made(directory));
}

/// Empty if `directory` can hold the cache, or could if it was made; else why not.
std::string unusable(const fs::path& directory) {
  if (directory.empty()) return "neither XDG_CACHE_HOME nor HOME names a directory";
  struct stat info {};
  if (lstat(directory.c_str(), &info) != 0) {
    if (errno == ENOENT) {
      if (access(home_of(directory).c_str(), F_OK) == 0) return "";
      return home_of(directory).string() + " does not exist";
    }
    return directory.string() + " cannot be looked at: " + std::strerror(errno);
  }
  if (!S_ISDIR(info.st_mode)) return directory.string() + " is not a directory";
  if (const std::string reason = distrust(info); !reason.empty()) {
    return directory.string() + " is not safe to load code from: " + reason;
  }
  if (access(directory.c_str(), W_OK | X_OK) != 0) {
    return directory.string() + " cannot be written: " + std::strerror(errno);
  }
  return "";
}

/// The files of a directory whose names begin and end so, by name.
std::vector<Cache::Entry> files(const fs::path& directory, std::string_view prefix,
                                std::string_view extension) {
  std::vector<Cache::Entry> found;
  std::error_code error;
  for (fs::directory_iterator file(directory, error), end; !error && file != end;
       file.increment(error)) {
    const fs::path& path = file->path();
    struct stat info {};
    if (path.extension() != extension || !path.filename().string().starts_with(prefix) ||
        lstat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) {
      continue;
    }
    found.push_back({path.stem().string(), path, static_cast<std::uintmax_t>(info.st_size),
                     std::chrono::system_clock::from_time_t(info.st_mtime)});
  }
  std::sort(found.begin(), found.end(),
            [](const Cache::Entry& a, const Cache::Entry& b) { return a.name < b.name; });
  return found;
}

}  // namespace

Cache Cache::look() {
  Cache cache;
  cache.directory_ = usual_directory();
  cache.problem_ = unusable(cache.directory_);
  if (!cache.problem_.empty()) cache.directory_.clear();
  return cache;
}

Cache Cache::open() {
  Cache cache = look();
  if (cache.problem_.empty()) {
    cache.problem_ = make(cache.directory_)
                         ? unusable(cache.directory_)  // somebody else may have been faster
                         : cache.directory_.string() + " cannot be made: " + std::strerror(errno);
  }
  if (!cache.problem_.empty()) {
    static const TemporaryDirectory directory;
    cache.directory_ = directory.path();
    say_once("compiled kernels are kept for this process only, because " + cache.problem_);
  }
  return cache;
}

std::optional<SharedObject> Cache::load(const std::string& name) const {
  if (directory_.empty()) return std::nullopt;
  const fs::path path = directory_ / (name + kExtension);
  const std::optional<OpenFile> opened = open_file(path, /*must_be_trusted=*/true);
  if (!opened) return std::nullopt;
  const FileState state(opened->info);
  if (auto loaded = LoadedEntries::of_process().find(path, state)) return loaded;

  const std::optional<std::string> bytes = contents(*opened);
  if (!bytes || bytes->size() < kTrailerSize) return std::nullopt;
  const std::string_view body = std::string_view(*bytes).substr(0, bytes->size() - kTrailerSize);
  if (!bytes->ends_with(trailer(name, body))) return std::nullopt;
  std::string ignored;
  std::optional<SharedObject> loaded =
      SharedObject::load(opened->file.descriptor(), body.size(), &ignored);
  if (loaded) LoadedEntries::of_process().keep(path, state, *loaded);
  return loaded;
}

std::optional<SharedObject> Cache::store(const std::string& name, const fs::path& file,
                                         std::string* why_not) const {
  const std::optional<OpenFile> object = open_file(file, /*must_be_trusted=*/false);
  const std::optional<std::string> read = object ? contents(*object) : std::nullopt;
  if (!read || directory_.empty()) {
    *why_not = directory_.empty() ? problem_ : file.filename().string() + " cannot be read";
    return std::nullopt;
  }
  const std::string& body = *read;
  // A crash may leave half a file under a whole name; the checksum tells, so nothing waits for the
  // disk.
  std::string unfinished = (directory_ / (std::string(kUnfinished) + "XXXXXX")).string();
  const File opened(mkostemp(unfinished.data(), O_CLOEXEC));
  if (opened.descriptor() < 0 || !write_all(opened.descriptor(), body + trailer(name, body))) {
    *why_not = directory_.string() + " cannot be written: " + std::strerror(errno);
    unlink(unfinished.c_str());
    return std::nullopt;
  }
  const fs::path path = directory_ / (name + kExtension);
  std::string words;
  std::optional<SharedObject> loaded = SharedObject::load(opened.descriptor(), body.size(), &words);
  if (!loaded) {
    *why_not = path.string() + " cannot be loaded: " + words;
  } else if (std::rename(unfinished.c_str(), path.c_str()) != 0) {
    *why_not = path.string() + " cannot be replaced: " + std::strerror(errno);
    loaded.reset();
  }
  if (!loaded) unlink(unfinished.c_str());
  return loaded;
}

std::vector<Cache::Entry> Cache::entries() const { return files(directory_, "", kExtension); }

std::vector<Cache::Entry> Cache::clear() const {
  TemporaryDirectory::remove_abandoned();
  std::vector<Entry> going = entries();
  const auto an_hour_ago = std::chrono::system_clock::now() - std::chrono::hours(1);
  for (const Entry& file : files(directory_, kUnfinished, "")) {
    if (file.modified < an_hour_ago) going.push_back(file);
  }
  std::error_code ignored;
  std::erase_if(going, [&](const Entry& entry) { return !fs::remove(entry.path, ignored); });
  return going;
}

}  // namespace liegrad::ad
