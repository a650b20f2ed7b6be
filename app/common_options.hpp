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

  /// To be called before a run, so that it is not made in vain: throws what write_json() would throw.
  void check_json() const;

  /// Whether to print for a reader: not when told to be quiet, nor into the summary.
  bool prints() const { return !quiet && json_file != "-"; }

  /// Writes the summary if one was asked for. Throws InvalidArgument if the file cannot be written.
  void write_json(const nlohmann::ordered_json& summary) const;
};

/// Throws InvalidArgument if a file of that name cannot be written. One that exists is left as it is, and none is
/// made. An empty name is no file.
void check_writable(const std::string& file_name);

}  // namespace liegrad::app
