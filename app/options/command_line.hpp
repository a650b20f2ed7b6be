#pragma once

#include <string>
#include <vector>

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// What was typed after the name of the program, with `--set A=1 B=2` as `--set A=1 --set B=2`, and the same
/// for the other options that take NAME=VALUE and may be repeated.
std::vector<std::string> arguments_of(int count, const char* const* texts);

/// What is wrong with a value, or that there is none, without the full stop.
std::string mistake_in(const CLI::ParseError& error);

/// What is wrong with a command line that was not accepted, without the full stop. Names which option or
/// command was probably meant, and the help that shows what is accepted.
std::string sentence_of(const CLI::ParseError& error, const CLI::App& app);

}  // namespace liegrad::app
