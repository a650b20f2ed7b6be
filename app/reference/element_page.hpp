#pragma once

#include <string>

namespace liegrad::app {

/// docs/element-parameters.md: the elements with all their parameters, defaults, controls and outputs.
std::string element_page();

}  // namespace liegrad::app
