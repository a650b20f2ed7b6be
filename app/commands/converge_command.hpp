#pragma once

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// `liegrad converge`: errors and observed orders of a method for a list of steps.
void add_converge_command(CLI::App& app);

}  // namespace liegrad::app
