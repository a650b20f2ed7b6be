#pragma once

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// `liegrad models`: lists the built-in systems, or shows one.
void add_models_command(CLI::App& app);

}  // namespace liegrad::app
