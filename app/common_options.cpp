#include "common_options.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
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

void CommonOptions::check_json() const {
  if (json_file != "-") check_writable(json_file);
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

void check_writable(const std::string& file_name) {
  namespace fs = std::filesystem;
  if (file_name.empty()) return;
  std::error_code ignored;
  const fs::file_status status = fs::status(file_name, ignored);
  // The reader of a pipe would take the end of this attempt for the end of the file.
  if (fs::is_fifo(status)) return;
  errno = 0;
  std::ofstream attempt(file_name, std::ios::app);
  if (!attempt) throw InvalidArgument(file_name + " cannot be written: " + std::strerror(errno));
  if (!fs::exists(status)) fs::remove(file_name, ignored);
}

}  // namespace liegrad::app
