#pragma once

#include <string>
#include <vector>

#include "liegrad/dae/system/system.hpp"
#include "options/cli11_names.hpp"

namespace liegrad::app {

/// Which system a command is about.
struct SystemChoice {
  std::string system, group = "so3xr3";
  std::vector<std::string> settings;  ///< NAME=VALUE
  std::string settings_file;          ///< values that come before the settings
  CLI::Option* group_option = nullptr;

  void add_to(CLI::App& command);
  /// Throws InvalidArgument for a name or a value that makes no sense.
  dae::System make() const;
};

}  // namespace liegrad::app
