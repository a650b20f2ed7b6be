#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/motion.hpp"

namespace liegrad::app {

/// So many samples are shown of a run of this system, so that a page stays small and quick.
std::size_t most_samples(const nlohmann::ordered_json& drawing);

/// A table of names and values, without those that are null.
nlohmann::ordered_json value_table(
    const std::string& title,
    const std::vector<std::pair<std::string, nlohmann::ordered_json>>& rows);

/// The settings of a run by name: its echo of options, with what was set.
nlohmann::ordered_json settings_of(const nlohmann::ordered_json& options);

/// Adds the scene, where bodies can be drawn, and the times of the plots, which a scene has for them.
void add_motion(nlohmann::ordered_json& section, const nlohmann::ordered_json& drawing,
                const Motion& motion);

/// A plot of all components of an output.
nlohmann::ordered_json plot_of(const Motion& motion, const std::string& output,
                               const std::string& title, const std::string& unit);

/// Plots of what a run puts out, in groups: motion, reactions, energy and momentum, residuals.
nlohmann::ordered_json plots_of(const Motion& motion, const nlohmann::ordered_json& drawing);

/// The system's name as a title: "heavy_top" as "Heavy top".
std::string title_of(const std::string& name);

}  // namespace liegrad::app
