#pragma once

#include <vector>

#include "row.hpp"

namespace liegrad::bench {

/// Factors and a solution of matrices of steps: the dense LU beside Eigen's of a fixed largest size, and that by blocks
/// beside KLU.
std::vector<Row> solver_rows();

}  // namespace liegrad::bench
