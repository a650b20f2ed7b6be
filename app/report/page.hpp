#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace liegrad::app {

/// The self-contained HTML page of a description, whose members docs/report.md lists. Text, tables and static
/// figures are in the page itself; a script in it adds what moves.
///
/// Throws nlohmann::json::exception for a member that is missing or of another type.
std::string page_html(const nlohmann::ordered_json& page);

}  // namespace liegrad::app
