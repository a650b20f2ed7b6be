#include "liegrad/ad/native/shared_object.hpp"

#include <atomic>
#include <cstring>

#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

namespace liegrad::ad {
namespace {

/// Reads an object at a place of the file; false if the file ends before.
template <class T>
bool read_at(int descriptor, std::size_t place, T* object) {
  return pread(descriptor, object, sizeof(T), static_cast<off_t>(place)) ==
         static_cast<ssize_t>(sizeof(T));
}

/// Whether a 64-bit ELF file has all the bytes that it says it has: the loader maps what is missing, and the first
/// access ends the program. Of other formats, and of what is no object at all, the loader is the judge.
bool is_whole(int descriptor, std::size_t size) {
  Elf64_Ehdr header{};
  if (!read_at(descriptor, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64) {
    return true;
  }
  const auto fits = [size](std::size_t offset, std::size_t bytes) {
    return offset <= size && bytes <= size - offset;
  };
  if (!fits(0, sizeof header) ||
      !fits(header.e_shoff, std::size_t{header.e_shentsize} * header.e_shnum) ||
      !fits(header.e_phoff, std::size_t{header.e_phentsize} * header.e_phnum)) {
    return false;
  }
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read_at(descriptor, header.e_phoff + i * header.e_phentsize, &segment) ||
        !fits(segment.p_offset, segment.p_filesz)) {
      return false;
    }
  }
  return true;
}

/// A name of an open file. No two are spelt alike: the loader takes equal names for equal objects, and numbers of
/// files are used again. Slashes that change nothing count in binary.
std::string unique_name(int descriptor) {
  static std::atomic<unsigned> loaded = 0;
  std::string name = "/proc/self/fd/";
  for (unsigned count = ++loaded; count != 0; count /= 2) name += count % 2 != 0 ? "./" : "/";
  return name + std::to_string(descriptor);
}

}  // namespace

SharedObject::SharedObject(void* handle) : handle_(handle, &dlclose) {}

std::optional<SharedObject> SharedObject::load(int descriptor, std::size_t size,
                                               std::string* why_not) {
  if (!is_whole(descriptor, size)) {
    *why_not = "it is not whole";
    return std::nullopt;
  }
  const std::string name = unique_name(descriptor);
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return SharedObject(handle);
  const char* words = dlerror();
  *why_not = words != nullptr ? words : "the loader refuses it";
  if (const std::string prefix = name + ": "; why_not->starts_with(prefix)) {
    why_not->erase(0, prefix.size());
  }
  return std::nullopt;
}

void* SharedObject::symbol(const std::string& name) const {
  return dlsym(handle_.get(), name.c_str());
}

}  // namespace liegrad::ad
