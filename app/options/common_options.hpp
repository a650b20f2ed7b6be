#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "options/cli11_names.hpp"

namespace liegrad::app {

/// What every command accepts.
struct CommonOptions {
  std::string json_file;       ///< where the summary goes; "-" is standard output, empty is nowhere
  std::string citations_file;  ///< where the entries of the methods go, likewise
  bool quiet = false;
  bool verbose = false;

  void add_to(CLI::App& command);
  /// --citations, of a command that uses methods of the literature.
  void add_citations_to(CLI::App& command);

  /// Whether to print for a reader: not when told to be quiet, nor where the summary or another file is
  /// standard output.
  bool prints(std::initializer_list<std::string_view> files = {}) const;

  /// Writes the summary if one was asked for, and what is to be cited. Throws InvalidArgument if the file cannot be opened, Error if it
  /// cannot be written.
  void write_json(const nlohmann::ordered_json& summary) const;
};

/// A check of an option that refuses an empty name.
CLI::Validator names_a_file();

}  // namespace liegrad::app
