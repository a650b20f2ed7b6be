#pragma once

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// `liegrad completion`: prints a script for a shell.
void add_completion_command(CLI::App& app);

}  // namespace liegrad::app
