#pragma once

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// `liegrad modes`: small vibrations about an equilibrium.
void add_modes_command(CLI::App& app);

}  // namespace liegrad::app
