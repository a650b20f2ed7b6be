#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace liegrad::ad {

/// A loaded shared object; unloaded when the last copy goes. Its file may go before.
class SharedObject {
 public:
  /// Loads an open file whose first `size` bytes are the object: the very file that was looked at, whatever has its
  /// name by now. Runs its code: load nothing that is not trusted. Empty if the object is not whole or the loader
  /// refuses it, and then `why_not` says so without the file's name.
  static std::optional<SharedObject> load(int descriptor, std::size_t size, std::string* why_not);

  /// The address of a symbol, or null.
  void* symbol(const std::string& name) const;

 private:
  explicit SharedObject(void* handle);

  std::shared_ptr<void> handle_;
};

}  // namespace liegrad::ad
