#pragma once

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// `liegrad reference`: prints pages of the documents that are made from the code.
void add_reference_command(CLI::App& app);

}  // namespace liegrad::app
