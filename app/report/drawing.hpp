#pragma once

#include <span>

#include <nlohmann/json.hpp>

#include "liegrad/dae/system/model.hpp"

namespace liegrad::app {

/// What a system looks like, as the member `drawing` of summaries: `bodies` with name, kind and shapes, `joints`,
/// `curves` and `forces`; docs/report.md describes them. With the samples of a run it becomes a scene.
nlohmann::ordered_json drawing_json(const dae::Model& model, std::span<const double> parameters);

}  // namespace liegrad::app
