#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace liegrad::app {

/// A plot of a report as SVG, for paper and for browsers without script. `times` belong to series that have
/// none of their own.
std::string plot_svg(const nlohmann::ordered_json& plot, const nlohmann::ordered_json& times);

/// Several of them below each other, on white paper.
std::string plots_svg(const std::string& title, const nlohmann::ordered_json& plots,
                      const nlohmann::ordered_json& times);

}  // namespace liegrad::app
