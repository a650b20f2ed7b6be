#pragma once

#include <string>
#include <vector>

#include "reference/command_tree.hpp"

namespace liegrad::app {

/// docs/options.md: every option of every command with its default.
std::string option_page(const std::vector<CommandText>& commands);

}  // namespace liegrad::app
