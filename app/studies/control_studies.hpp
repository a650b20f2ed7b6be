#pragma once

#include <nlohmann/json.hpp>

#include "liegrad/control/continuation.hpp"
#include "liegrad/control/refine.hpp"
#include "studies/control_starts.hpp"

namespace liegrad::app {

// Tables of the searches behind a solution, for a reader and as data.

void print(const std::vector<control::RefinedGrid>& grids);
void print(const std::vector<control::FollowedSolution>& path, const std::string& parameter);
void print(const StartTable& table);

nlohmann::ordered_json json_of(const std::vector<control::RefinedGrid>& grids, bool reached);
nlohmann::ordered_json json_of(const std::vector<control::FollowedSolution>& path,
                               const std::string& parameter, bool reached);
nlohmann::ordered_json json_of(const StartTable& table);

}  // namespace liegrad::app
