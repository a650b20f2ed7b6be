#pragma once

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// `liegrad fit`: parameters from measured motion, with their uncertainty.
void add_fit_command(CLI::App& app);

}  // namespace liegrad::app
