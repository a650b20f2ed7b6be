#pragma once

#include <vector>

#include "row.hpp"

namespace liegrad::bench {

/// One model, many runs: values and Jacobian in a second and later evaluation over the run alone, an adaptive gradient
/// over its run, and two trials in two threads.
std::vector<Row> repeat_rows();

}  // namespace liegrad::bench
