#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace liegrad::app {

// Values of options; `option` is named in messages. All throw InvalidArgument.

double number_of(const std::string& option, const std::string& text);
/// Numbers separated by commas.
std::vector<double> numbers_of(const std::string& option, const std::string& text);
/// NAME=VALUE.
std::pair<std::string, double> named_number_of(const std::string& option, const std::string& text);
/// Of a number that may not be given.
void require_finite(const std::string& option, const std::optional<double>& value);

}  // namespace liegrad::app
