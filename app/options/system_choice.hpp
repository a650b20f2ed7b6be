#pragma once

#include <memory>
#include <string>
#include <vector>

#include "liegrad/dae/system/group_names.hpp"
#include "liegrad/models/system_file.hpp"
#include "options/cli11_names.hpp"

namespace liegrad::app {

/// Whether the name of a system is that of a file.
bool names_system_file(const std::string& name);

/// Of rigid bodies, by name.
inline const std::string& default_body_group() { return dae::body_group_names().front().first; }
/// Throws InvalidArgument for a name that is not one.
lie::NodeGroup body_group_of(const std::string& name);

/// Which system a command is about.
struct SystemChoice {
  std::string system, group = default_body_group();
  std::vector<std::string> settings;  ///< NAME=VALUE
  std::string settings_file;          ///< values that come before the settings
  CLI::Option* group_option = nullptr;

  void add_to(CLI::App& command);
  /// Throws InvalidArgument for a name or a value that makes no sense.
  dae::System make() const;
  /// How long a run takes unless told otherwise, and whether there are bodies for which a group can be chosen.
  const models::SystemFile& defaults() const;
  /// Of the bodies, "so3xr3" or "se3"; empty where there are none.
  std::string body_group() const;

 private:
  /// The system without settings, made once.
  mutable std::shared_ptr<const models::SystemFile> read_;
};

}  // namespace liegrad::app
