#pragma once

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// `liegrad report RUN.json …`: one page from the summaries of other commands.
void add_report_command(CLI::App& app);

}  // namespace liegrad::app
