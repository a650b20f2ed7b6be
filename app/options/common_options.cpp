#include "options/common_options.hpp"

#include <algorithm>
#include <array>

#include <CLI/CLI.hpp>

#include "output/bibliography.hpp"
#include "output/output_file.hpp"

namespace liegrad::app {

void CommonOptions::add_to(CLI::App& command) {
  command.add_option("--json", json_file, "Write the summary as JSON; - is standard output")
      ->type_name("FILE")
      ->check(names_a_file());
  command.add_flag("--quiet", quiet, "Print nothing but errors");
  command.add_flag("--verbose", verbose, "Print more");
}

void CommonOptions::add_citations_to(CLI::App& command) {
  const CLI::Option* const own =
      command
          .add_option("--citations", citations_file,
                      "Write BibTeX entries of the methods used; - is standard output")
          ->type_name("FILE.bib")
          ->check(names_a_file());
  // Before the run, and beside all other files that the command is given.
  command.parse_complete_callback([this, &command, own] {
    const FileOption citations{"--citations", citations_file};
    check_files(std::array{citations});
    for (const CLI::Option* option : command.get_options()) {
      if (option == own || !option->get_type_name().starts_with("FILE")) continue;
      const std::string name = option->get_name();
      for (const std::string& file : option->results()) {
        check_files(std::array{citations}, std::array{FileOption{name.c_str(), file}});
      }
    }
  });
}

bool CommonOptions::prints(std::initializer_list<std::string_view> files) const {
  return !quiet && json_file != "-" && citations_file != "-" &&
         std::find(files.begin(), files.end(), "-") == files.end();
}

void CommonOptions::write_json(const nlohmann::ordered_json& summary) const {
  const auto write = [](const std::string& name, const std::string& text) {
    if (name.empty()) return;
    OutputFile file(name);
    file.write(text);
    file.close();
  };
  write(json_file, summary.dump(2) + '\n');
  if (!citations_file.empty()) write(citations_file, bibtex_of(cited_keys(summary)));
}

CLI::Validator names_a_file() {
  return CLI::Validator(
      [](const std::string& name) {
        return name.empty() ? std::string("the name of the file is empty") : std::string();
      },
      "");
}

}  // namespace liegrad::app
