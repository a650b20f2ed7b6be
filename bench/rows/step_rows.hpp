#pragma once

#include <vector>

#include "row.hpp"

namespace liegrad::bench {

/// Steps of the heavy top at h = 1e-3. What is needed for them alone, the floor, is measured in turn.
std::vector<Row> step_rows();

}  // namespace liegrad::bench
