#pragma once

#include <string>
#include <vector>

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// An option or argument as the help shows it.
struct OptionText {
  std::string name;  ///< "--json", "-h,--help", or "SYSTEM" of an argument
  std::string type;  ///< "FILE"; empty for a flag and for an argument
  std::string default_value;
  std::string text;
  std::vector<std::string> choices;  ///< what may be given, where the text is a list
  bool is_flag = false, is_argument = false, is_required = false, is_repeatable = false;

  bool takes_file() const;
};

struct CommandText {
  std::string name, text, footer;
  std::vector<OptionText> options;  ///< arguments first
};

/// What the commands of a program accept, from the same table as --help.
std::vector<CommandText> command_tree(const CLI::App& app);

}  // namespace liegrad::app
