#pragma once

namespace liegrad::control {

/// In place of the stage of time of what all stages see: a free horizon, parameters.
inline constexpr int kBorderStage = -1;

}  // namespace liegrad::control
