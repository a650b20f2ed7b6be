#include "liegrad/ad/temporary_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace liegrad::ad {

TemporaryDirectory::TemporaryDirectory() : owner_(getpid()) {
  const char* chosen = std::getenv("TMPDIR");
  for (const char* base : {chosen, "/tmp"}) {
    if (base == nullptr || *base == '\0') continue;
    std::string pattern = (std::filesystem::absolute(base) / "liegrad-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) {
      path_ = pattern;
      problem_.clear();
      return;
    }
    problem_ = std::string("no directory can be made in ") + base + ": " + std::strerror(errno);
  }
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty() && owner_ == getpid()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace liegrad::ad
