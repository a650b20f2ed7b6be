#pragma once

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// `liegrad check-derivatives`: compares derivatives that were found in different ways.
void add_check_derivatives_command(CLI::App& app);

}  // namespace liegrad::app
