#pragma once

#include <string>

#include "liegrad/optimize/fit/fit.hpp"

namespace liegrad::app {

/// Measured and fitted values over time with bands, and residuals below each, as an SVG figure. Of many trials the
/// first ones.
std::string fit_plot(const optimize::FitResult& result, const std::string& title);

}  // namespace liegrad::app
