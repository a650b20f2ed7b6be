#include "reference/completion.hpp"

#include <algorithm>
#include <sstream>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::app {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// "-h,--help" is two names.
std::vector<std::string> names_of(const OptionText& option) {
  std::vector<std::string> names;
  std::istringstream all(option.name);
  for (std::string name; std::getline(all, name, ',');) names.push_back(name);
  return names;
}

std::vector<std::string> option_names(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options) {
    if (!option.is_argument) names.push_back(names_of(option).back());
  }
  return names;
}

/// Words of the first argument of a command.
std::vector<std::string> argument_words(const CommandText& command) {
  const bool has = !command.options.empty() && command.options.front().is_argument;
  return has ? command.options.front().choices : std::vector<std::string>();
}

std::string command_names(const std::vector<CommandText>& commands) {
  std::vector<std::string> names;
  for (const CommandText& command : commands) names.push_back(command.name);
  return joined(names);
}

/// Files are the shell's own completion, which `-o default` falls back to.
std::string bash_script(const std::vector<CommandText>& commands) {
  std::string script =
      "# Completions of liegrad for bash: source <(liegrad completion bash)\n"
      "_liegrad() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= "
      "words=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '" +
      command_names(commands) +
      " --help --version' -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${COMP_WORDS[1]} $before\" in\n";
  for (const CommandText& command : commands) {
    for (const OptionText& option : command.options) {
      if (option.is_argument || option.is_flag) continue;
      for (const std::string& name : names_of(option)) {
        script += "    '" + command.name + " " + name + "')\n";
        if (!option.choices.empty()) {
          script +=
              "      COMPREPLY=($(compgen -W '" + joined(option.choices) + "' -- \"$current\"))\n";
        } else if (!option.takes_file()) {
          script += "      compopt +o default 2>/dev/null\n";
        }
        script += "      return ;;\n";
      }
    }
  }
  script += "  esac\n  case ${COMP_WORDS[1]} in\n";
  for (const CommandText& command : commands) {
    script += "    " + command.name + ") options='" + joined(option_names(command)) + "' words='" +
              joined(argument_words(command)) + "' ;;\n";
  }
  return script +
         "  esac\n"
         "  case $current in\n"
         "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
         "    *) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o default -F _liegrad liegrad\n";
}

/// A description between quotes and brackets, where some characters have a meaning.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result;
}

std::string zsh_values(const OptionText& option) {
  const std::string label = zsh_text(option.type.empty() ? option.name : option.type);
  if (!option.choices.empty()) return ":" + label + ":(" + joined(option.choices) + ")";
  return ":" + label + ":" + (option.takes_file() ? "_files" : " ");
}

std::string zsh_script(const std::vector<CommandText>& commands) {
  std::string script =
      "#compdef liegrad\n"
      "# Completions of liegrad for zsh: source <(liegrad completion zsh)\n"
      "_liegrad() {\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a commands=(\n";
  for (const CommandText& command : commands) {
    script += "      '" + command.name + ":" + zsh_text(command.text) + "'\n";
  }
  script +=
      "    )\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const CommandText& command : commands) {
    script += "    " + command.name + ")\n      _arguments \\\n";
    for (const OptionText& option : command.options) {
      const std::string repeat = option.is_repeatable ? "*" : "";
      if (option.is_argument) {
        script += "        '" + (repeat.empty() ? (option.is_required ? "1" : "::") : repeat) +
                  zsh_values(option) + "' \\\n";
      } else {
        script += "        '" + repeat + names_of(option).back() + "[" + zsh_text(option.text) +
                  "]" + (option.is_flag ? "" : zsh_values(option)) + "' \\\n";
      }
    }
    script += "        ;;\n";
  }
  return script +
         "  esac\n"
         "}\n"
         "if [ \"$funcstack[1]\" = _liegrad ]; then _liegrad \"$@\"; else compdef _liegrad "
         "liegrad; fi\n";
}

std::string fish_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string fish_script(const std::vector<CommandText>& commands) {
  std::string script =
      "# Completions of liegrad for fish: liegrad completion fish | source\n"
      "complete -c liegrad -n __fish_use_subcommand -l version -d 'Print the version and exit'\n";
  for (const CommandText& command : commands) {
    script += "complete -c liegrad -f -n __fish_use_subcommand -a " + command.name + " -d '" +
              fish_text(command.text) + "'\n";
    const std::string begin =
        "complete -c liegrad -n '__fish_seen_subcommand_from " + command.name + "'";
    for (const OptionText& option : command.options) {
      if (option.is_argument) {
        if (!option.choices.empty()) script += begin + " -a '" + joined(option.choices) + "'\n";
        continue;
      }
      script += begin + " -l " + names_of(option).back().substr(2);
      if (!option.choices.empty()) {
        script += " -x -a '" + joined(option.choices) + "'";
      } else if (!option.is_flag) {
        script += option.takes_file() ? " -r" : " -x";
      }
      script += " -d '" + fish_text(option.text) + "'\n";
    }
  }
  return script;
}

}  // namespace

const std::vector<std::string>& completion_shells() {
  static const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  return shells;
}

std::string completion_script(const std::string& shell, const std::vector<CommandText>& commands) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  throw InvalidArgument(dae::unknown_name_message("shell", shell, completion_shells()));
}

}  // namespace liegrad::app
