#pragma once

#include <CLI/CLI.hpp>

namespace liegrad::app {

void add_control_command(CLI::App& app);

}  // namespace liegrad::app
