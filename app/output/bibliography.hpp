#pragma once

#include <set>
#include <string>

#include <nlohmann/json.hpp>

namespace liegrad::app {

/// Keys of docs/references.bib for what the command of this summary rests on.
std::set<std::string> cited_keys(const nlohmann::ordered_json& summary);

/// Their entries, as they stand in that file.
std::string bibtex_of(const std::set<std::string>& keys);

}  // namespace liegrad::app
