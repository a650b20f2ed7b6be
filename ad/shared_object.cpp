#include "liegrad/ad/shared_object.hpp"

#include <dlfcn.h>

namespace liegrad::ad {

SharedObject::SharedObject(void* handle) : handle_(handle, &dlclose) {}

std::optional<SharedObject> SharedObject::load(const std::filesystem::path& file,
                                               std::string* why_not) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return SharedObject(handle);
  const char* words = dlerror();
  *why_not = words != nullptr ? words : "the loader refuses it";
  if (const std::string prefix = file.string() + ": "; why_not->starts_with(prefix)) {
    why_not->erase(0, prefix.size());
  }
  return std::nullopt;
}

void* SharedObject::symbol(const std::string& name) const {
  return dlsym(handle_.get(), name.c_str());
}

}  // namespace liegrad::ad
