#pragma once

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

}  // namespace liegrad::app
