#pragma once

#include <vector>

#include "row.hpp"

namespace liegrad::bench {

/// Steps of chains of 10 to 10000 rods: what a body costs, and how that grows with their number.
std::vector<Row> chain_rows();

}  // namespace liegrad::bench
