#include "options/common_options.hpp"

#include <algorithm>

#include "output/output_file.hpp"

namespace liegrad::app {

void CommonOptions::add_to(CLI::App& command) {
  command.add_option("--json", json_file, "Write the summary as JSON; - is standard output")
      ->type_name("FILE")
      ->check(names_a_file());
  command.add_flag("--quiet", quiet, "Print nothing but errors");
  command.add_flag("--verbose", verbose, "Print more");
}

bool CommonOptions::prints(std::initializer_list<std::string_view> files) const {
  return !quiet && json_file != "-" && std::find(files.begin(), files.end(), "-") == files.end();
}

void CommonOptions::write_json(const nlohmann::ordered_json& summary) const {
  if (json_file.empty()) return;
  OutputFile file(json_file);
  file.write(summary.dump(2) + '\n');
  file.close();
}

}  // namespace liegrad::app
