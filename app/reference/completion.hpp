#pragma once

#include <string>
#include <vector>

#include "reference/command_tree.hpp"

namespace liegrad::app {

/// Shells that completions can be written for.
const std::vector<std::string>& completion_shells();

/// A script that completes commands, options, names of systems and choices in that shell. Throws InvalidArgument for
/// another shell.
std::string completion_script(const std::string& shell, const std::vector<CommandText>& commands);

}  // namespace liegrad::app
