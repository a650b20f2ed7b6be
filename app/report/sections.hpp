#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace liegrad::app {

/// A summary that a command wrote with --json, and where it stands.
struct SummaryFile {
  std::string name;
  nlohmann::ordered_json json;

  std::string command() const { return json.value("command", std::string()); }
};

// Sections of a report, as docs/report.md describes them, one for each command. All throw InvalidArgument when a file
// that the summary names cannot be read, and nlohmann::json::exception for a member that is missing.

nlohmann::ordered_json static_section(const SummaryFile& summary);
nlohmann::ordered_json simulate_section(const SummaryFile& summary);
nlohmann::ordered_json fit_section(const SummaryFile& summary);
nlohmann::ordered_json control_section(const SummaryFile& summary);
nlohmann::ordered_json converge_section(const SummaryFile& summary);
/// Derivatives of the same outputs by several modes, side by side.
nlohmann::ordered_json sensitivity_section(const std::vector<SummaryFile>& summaries);

/// What the commands of these summaries rest on.
nlohmann::ordered_json citations_of(const std::vector<SummaryFile>& summaries);

}  // namespace liegrad::app
