#pragma once

#include <utility>
#include <vector>

namespace liegrad::dae {

/// Entries (row, column) of a sparse matrix, sorted by column, then by row; each appears once. Large systems have
/// millions, so that what needs them shares one list.
using MatrixEntries = std::vector<std::pair<int, int>>;

}  // namespace liegrad::dae
