#pragma once

#include "taped_system.hpp"

namespace liegrad::testing {

/// The motion at a time in a step, as dae::DenseOutput has it.
TapedState taped_between(const lie::GroupList& space, const TapedState& start,
                         const TapedState& end, const Taped& h, double t);

}  // namespace liegrad::testing
