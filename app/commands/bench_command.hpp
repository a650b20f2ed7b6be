#pragma once

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// `liegrad bench`: measures speed and cost ratios on this machine and prints the table.
void add_bench_command(CLI::App& app);

}  // namespace liegrad::app
