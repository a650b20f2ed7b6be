#pragma once

#include <string>

namespace liegrad::app {

/// The unit of an output by the end of its name; empty when it has none or several.
std::string unit_of(const std::string& output);

}  // namespace liegrad::app
