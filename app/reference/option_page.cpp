#include "reference/option_page.hpp"

#include "reference/markdown.hpp"

namespace liegrad::app {
namespace {

std::string usage(const CommandText& command) {
  std::string text = "liegrad " + command.name;
  for (const OptionText& option : command.options) {
    if (!option.is_argument) continue;
    const std::string name = option.name + (option.is_repeatable ? "..." : "");
    text += option.is_required ? " " + name : " [" + name + "]";
  }
  for (const OptionText& option : command.options) {
    if (!option.is_argument && option.is_required) text += " " + option.name + " " + option.type;
  }
  return text + " [OPTIONS]";
}

std::string row(const OptionText& option) {
  const std::string name = option.type.empty() ? option.name : option.name + " " + option.type;
  std::string meaning = table_cell(option.text);
  if (option.is_required) meaning += " (required)";
  const std::string value =
      option.default_value.empty() ? "" : "`" + table_cell(option.default_value) + "`";
  return "| `" + table_cell(name) + "` | " + value + " | " + meaning + " |\n";
}

}  // namespace

std::string option_page(const std::vector<CommandText>& commands) {
  std::string page =
      "# Options of the command\n\n"
      "This page is written by `liegrad reference options`, from the table behind `--help`; a "
      "test\n"
      "compares both. An option without a default is off, or chosen as its text says.\n"
      "[command.md](command.md) has exit statuses, files, messages and remedies.\n\n";
  for (const CommandText& command : commands) {
    page += "- [`liegrad " + command.name + "`](#liegrad-" + command.name +
            "): " + sentence_start(command.text) + "\n";
  }
  for (const CommandText& command : commands) {
    page += "\n## liegrad " + command.name + "\n\n" + command.text + ".\n\n    " + usage(command) +
            "\n\n| option | default | meaning |\n|---|---|---|\n";
    for (const OptionText& option : command.options) {
      if (option.name != "-h,--help") page += row(option);
    }
    if (!command.footer.empty()) page += "\n" + paragraph(command.footer) + "\n";
  }
  return page;
}

}  // namespace liegrad::app
