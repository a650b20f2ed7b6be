#pragma once

#include <vector>

#include "row.hpp"

namespace liegrad::bench {

/// A fit of the heavy top with exact derivatives: over the same fit with central differences of the same runs, and what the
/// search takes besides the runs.
std::vector<Row> fit_rows();

}  // namespace liegrad::bench
