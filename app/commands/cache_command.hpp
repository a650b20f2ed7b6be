#pragma once

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// `liegrad cache`: lists the compiled kernels that are kept on disk, or removes them.
void add_cache_command(CLI::App& app);

}  // namespace liegrad::app
