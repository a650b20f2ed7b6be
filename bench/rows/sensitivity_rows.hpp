#pragma once

#include <vector>

#include "row.hpp"

namespace liegrad::bench {

/// Derivatives of whole trajectories over the simulation: of a chain of 100 rods with up to 1000 parameters, and
/// of the heavy top, with the memory that they take. Each family in a run of its own.
std::vector<Row> adjoint_rows();
std::vector<Row> forward_rows();
std::vector<Row> hessian_vector_rows();

}  // namespace liegrad::bench
