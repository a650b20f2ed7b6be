#pragma once

#include "options/cli11_names.hpp"

namespace liegrad::app {

void add_control_command(CLI::App& app);

}  // namespace liegrad::app
