#pragma once

#include <nlohmann/json.hpp>

#include "liegrad/control/continuation.hpp"
#include "liegrad/control/refine.hpp"
#include "studies/control_starts.hpp"

namespace liegrad::app {

// Tables of the searches behind a solution, for a reader and as data.

void print(const control::Refined& refined);
void print(const control::Followed& followed, const std::string& parameter);
void print(const ControlStarts& starts);

nlohmann::ordered_json json_of(const control::Refined& refined);
nlohmann::ordered_json json_of(const control::Followed& followed, const std::string& parameter);
nlohmann::ordered_json json_of(const ControlStarts& starts);

}  // namespace liegrad::app
