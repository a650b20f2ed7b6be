#pragma once

#include <vector>

#include "row.hpp"

namespace liegrad::bench {

/// Steps of cantilevers of 10 to 1000 elements: what an element costs, and how that grows with their number.
std::vector<Row> beam_rows();

}  // namespace liegrad::bench
