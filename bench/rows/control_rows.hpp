#pragma once

#include <vector>

#include "row.hpp"

namespace liegrad::bench {

/// Optimal controls: second searches with what was set up before, in processor time.
std::vector<Row> control_rows();

}  // namespace liegrad::bench
