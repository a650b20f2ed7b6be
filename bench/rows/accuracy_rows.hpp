#pragma once

#include <vector>

#include "row.hpp"

namespace liegrad::bench {

/// What an error at the end of a run costs: generalized-α against Radau IIA.
std::vector<Row> accuracy_rows();

}  // namespace liegrad::bench
