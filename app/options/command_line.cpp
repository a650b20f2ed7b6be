#include "options/command_line.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include <CLI/CLI.hpp>

#include "liegrad/dae/system/nearest_name.hpp"

namespace liegrad::app {
namespace {

/// Options that take NAME=VALUE and may be repeated.
constexpr std::array kNamedNumbers = {"--set",   "--event", "--stop-at", "--start", "--ipopt",
                                      "--lower", "--upper", "--prior",   "--noise"};

bool takes_named_numbers(const std::string& option) {
  return std::find(kNamedNumbers.begin(), kNamedNumbers.end(), option) != kNamedNumbers.end();
}

bool is_named_number(const std::string& argument) {
  return !argument.empty() && std::isalpha(static_cast<unsigned char>(argument[0])) != 0 &&
         argument.find('=') != std::string::npos;
}

/// The command that was chosen, or the program itself.
const CLI::App& chosen(const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  return commands.empty() ? app : *commands.front();
}

std::vector<std::string> names_of_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

/// What was probably meant by the first of the unexpected arguments, whose values the others may be; or all of them.
std::string unexpected_text(const std::vector<std::string>& unexpected, const CLI::App& app) {
  const CLI::App& command = chosen(app);
  const std::string& first = unexpected.front();
  std::string meant;
  if (first.starts_with('-')) {
    const std::string name = first.substr(0, first.find('='));
    meant = dae::unknown_name_message("option", name, names_of_options(command));
  } else if (&command == &app) {
    meant = dae::unknown_name_message("command", first, names_of_commands(app));
  }
  if (!meant.empty()) return meant;
  std::string text = unexpected.size() == 1 ? "unexpected argument" : "unexpected arguments";
  for (const std::string& argument : unexpected) text += " '" + argument + "'";
  return text;
}

/// What CLI11 calls "Could not convert: OPTION = VALUE", in other words.
std::string conversion_text(const std::string& what) {
  constexpr std::string_view kStart = "Could not convert: ", kBetween = " = ";
  const std::size_t between = what.find(kBetween);
  if (!what.starts_with(kStart) || between == std::string::npos) return what;
  const std::string option = what.substr(kStart.size(), between - kStart.size());
  const std::string value = what.substr(between + kBetween.size());
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool is_number = error == std::errc() && end == value.data() + value.size();
  return option + " is given '" + value + "', where a " + (is_number ? "whole number" : "number") +
         " is needed";
}

/// What CLI11 calls "OPTION: 1 required TYPE missing", in other words.
std::string missing_text(const std::string& what) {
  constexpr std::string_view kBetween = ": 1 required ", kEnd = " missing";
  const std::size_t between = what.find(kBetween);
  if (between == std::string::npos || !what.ends_with(kEnd)) return what;
  const std::size_t type = between + kBetween.size();
  const std::string option = what.substr(0, between);
  return option + " stands without a value; write " + option + " " +
         what.substr(type, what.size() - kEnd.size() - type);
}

}  // namespace

std::vector<std::string> arguments_of(int count, const char* const* texts) {
  std::vector<std::string> arguments;
  std::string repeated;  // the option that more names may follow
  bool has_first = false;
  for (int i = 1; i < count; ++i) {
    const std::string argument = texts[i];
    const std::string option = argument.substr(0, argument.find('='));
    if (takes_named_numbers(option)) {
      repeated = option;
      has_first = option != argument;
    } else if (!repeated.empty() && !has_first) {
      has_first = true;
    } else if (has_first && is_named_number(argument)) {
      arguments.push_back(repeated);
    } else {
      repeated.clear();
      has_first = false;
    }
    arguments.push_back(argument);
  }
  return arguments;
}

std::string mistake_in(const CLI::ParseError& error) {
  return missing_text(conversion_text(error.what()));
}

std::string sentence_of(const CLI::ParseError& error, const CLI::App& app) {
  const CLI::App& command = chosen(app);
  std::string text = mistake_in(error);
  // A misspelt option may be the reason why another is missing.
  const std::vector<std::string> unexpected = app.remaining(true);
  if (!unexpected.empty()) text = unexpected_text(unexpected, app);
  if (text.ends_with('?')) return text;
  const std::string name = &command == &app ? "liegrad" : "liegrad " + command.get_name();
  return text + "; `" + name + " --help` shows what is accepted";
}

}  // namespace liegrad::app
