#pragma once

#include <vector>

#include "row.hpp"

namespace liegrad::bench {

/// What an error costs: generalized-α against Radau IIA and explicit Munthe-Kaas steps with projection.
std::vector<Row> accuracy_rows();

}  // namespace liegrad::bench
