#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "report/motion.hpp"

namespace liegrad::app {

/// The scene of a report from the drawing of a system, see drawing.hpp, and a motion. Nothing when no body of
/// the drawing can be placed by the columns of the motion.
std::optional<nlohmann::ordered_json> scene_of(const nlohmann::ordered_json& drawing,
                                               const Motion& motion);

/// The pose of a body of the drawing at all times, each (x, y, z, q_w, q_x, q_y, q_z). Nothing when columns for it
/// are missing.
std::optional<nlohmann::ordered_json> poses_of(const nlohmann::ordered_json& body,
                                               const Motion& motion);

}  // namespace liegrad::app
