#pragma once

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// `liegrad sensitivity`: derivatives of outputs of a run.
void add_sensitivity_command(CLI::App& app);

}  // namespace liegrad::app
