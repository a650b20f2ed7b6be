#pragma once

#include <vector>

#include "liegrad/ad/recording.hpp"

namespace liegrad::ad {

/// J d of a recorded function as a recorded function itself: its inputs are those of the function, then d
/// with a number for each of the inputs in `wrt`. What it is good for is to be differentiated further.
Recording directional_derivative(const Recording& recording, const std::vector<int>& wrt);

}  // namespace liegrad::ad
