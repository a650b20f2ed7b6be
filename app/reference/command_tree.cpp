#include "reference/command_tree.hpp"

#include <algorithm>
#include <cctype>

#include <CLI/CLI.hpp>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::app {
namespace {

bool is_choice(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '_';
  });
}

/// The words of "what: one, two or three; more", if there is nothing else before the semicolon.
std::vector<std::string> choices_in(const std::string& text) {
  std::string list = text.substr(0, text.find(';'));
  if (const std::size_t colon = list.find(": "); colon != std::string::npos) {
    list = list.substr(colon + 2);
  }
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(", ", begin), list.size());
    const std::size_t other = std::min(list.find(" or ", begin), list.size());
    const std::size_t end = std::min(comma, other);
    words.push_back(list.substr(begin, end - begin));
    begin = end + (end == other ? 4 : 2);
  }
  const bool is_list = words.size() > 1 && std::all_of(words.begin(), words.end(), is_choice);
  return is_list ? words : std::vector<std::string>();
}

/// Names that an argument stands for.
std::vector<std::string> names_for(const std::string& argument, const std::string& command) {
  std::vector<std::string> names;
  if (argument == "SYSTEM" || (argument == "NAME" && command == "models")) {
    for (const models::Model& model : models::all_models()) names.push_back(model.name);
  } else if (argument == "PROBLEM" && command == "control") {
    for (const control::BuiltInProblem& problem : control::built_in_problems()) {
      names.push_back(problem.name);
    }
  }
  return names;
}

/// What the help shows after the name of an option, without what checks add to it.
std::string type_of(const CLI::Option& option) {
  std::string type = option.get_option_text();
  if (type.empty()) type = option.get_type_name();
  for (const std::string added : {" REQUIRED", ":FILE"}) {
    if (type.ends_with(added)) type.resize(type.size() - added.size());
  }
  return type;
}

OptionText text_of(const CLI::Option& option, const std::string& command) {
  OptionText text;
  text.is_argument = option.get_positional();
  text.name = option.get_name(text.is_argument, !text.is_argument);
  text.is_flag = !text.is_argument && option.get_items_expected_max() == 0;
  if (!text.is_flag && !text.is_argument) text.type = type_of(option);
  text.default_value = option.get_default_str();
  text.text = option.get_description();
  std::replace(text.text.begin(), text.text.end(), '\n', ' ');
  text.choices =
      text.is_argument ? names_for(text.name, command) : choices_in(option.get_description());
  if (text.choices.empty() && text.is_argument) text.choices = choices_in(text.text);
  text.is_required = option.get_required();
  text.is_repeatable =
      !text.is_flag && option.get_items_expected_max() >= CLI::detail::expected_max_vector_size;
  return text;
}

CommandText text_of(const CLI::App& command) {
  CommandText text{command.get_name(), command.get_description(), command.get_footer(), {}};
  for (const CLI::Option* option : command.get_options()) {
    text.options.push_back(text_of(*option, text.name));
  }
  std::stable_partition(text.options.begin(), text.options.end(),
                        [](const OptionText& option) { return option.is_argument; });
  return text;
}

}  // namespace

bool OptionText::takes_file() const {
  return type.starts_with("FILE") || name.ends_with(".json") || (is_argument && name == "FILE");
}

std::vector<CommandText> command_tree(const CLI::App& app) {
  std::vector<CommandText> commands;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    commands.push_back(text_of(*command));
  }
  return commands;
}

}  // namespace liegrad::app
