#include "common_options.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include "liegrad/lie/error.hpp"

namespace liegrad::app {

void CommonOptions::add_to(CLI::App& command) {
  command.add_option("--json", json_file, "Write the summary as JSON; - is standard output")
      ->type_name("FILE");
  command.add_flag("--quiet", quiet, "Print nothing but errors");
  command.add_flag("--verbose", verbose, "Print more");
}

void CommonOptions::write_json(const nlohmann::ordered_json& summary) const {
  if (json_file.empty()) return;
  if (json_file == "-") {
    std::cout << summary.dump(2) << std::endl;
    if (!std::cout) throw InvalidArgument("standard output cannot be written");
    return;
  }
  std::ofstream file(json_file);
  file << summary.dump(2) << '\n';
  file.close();
  if (!file) throw InvalidArgument(json_file + " cannot be written: " + std::strerror(errno));
}

}  // namespace liegrad::app
