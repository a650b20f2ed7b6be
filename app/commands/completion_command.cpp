#include "commands/completion_command.hpp"

#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "reference/completion.hpp"

namespace liegrad::app {

void add_completion_command(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("completion", "Print completions for a shell");
  sub->add_option("SHELL", *shell, "bash, zsh or fish")->type_name("")->required();
  sub->footer(
      "For bash, `source <(liegrad completion bash)` in ~/.bashrc; for zsh the same with zsh in\n"
      "~/.zshrc; for fish, `liegrad completion fish | source` in ~/.config/fish/config.fish.");
  sub->callback([&app, shell] { std::cout << completion_script(*shell, command_tree(app)); });
}

}  // namespace liegrad::app
