#pragma once

#include <string>

#include "liegrad/sensitivity/differentiate.hpp"

namespace liegrad::app {

/// Derivatives of each value as bars on a logarithmic axis, the largest first, as an SVG figure. Of many values and
/// variables the first and the largest ones.
std::string gradient_plot(const sensitivity::Derivatives& derivatives, const std::string& title);

}  // namespace liegrad::app
