#pragma once

#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace liegrad::app {

/// What every command accepts.
struct CommonOptions {
  std::string json_file;  ///< where the summary goes; "-" is standard output, empty is nowhere
  bool quiet = false;
  bool verbose = false;

  void add_to(CLI::App& command);

  /// Whether to print for a reader: not when told to be quiet, nor into the summary.
  bool prints() const { return !quiet && json_file != "-"; }

  /// Writes the summary if one was asked for. Throws InvalidArgument if the file cannot be written.
  void write_json(const nlohmann::ordered_json& summary) const;
};

}  // namespace liegrad::app
