#pragma once

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// `liegrad simulate`: runs a system and reports how it went.
void add_simulate_command(CLI::App& app);

}  // namespace liegrad::app
