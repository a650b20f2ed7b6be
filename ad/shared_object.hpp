#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace liegrad::ad {

/// A loaded shared object; unloaded when the last copy goes. Its file may go before.
class SharedObject {
 public:
  /// Runs the file's code: load nothing that is not trusted. Empty if the loader refuses it, and
  /// then `why_not` has its words without the file's name.
  static std::optional<SharedObject> load(const std::filesystem::path& file, std::string* why_not);

  /// The address of a symbol, or null.
  void* symbol(const std::string& name) const;

 private:
  explicit SharedObject(void* handle);

  std::shared_ptr<void> handle_;
};

}  // namespace liegrad::ad
