#pragma once

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// `liegrad static`: where a system stays at rest.
void add_static_command(CLI::App& app);

}  // namespace liegrad::app
