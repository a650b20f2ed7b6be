#pragma once

// Columns as derivatives take them: all numbers of an entry together.

#include <cstddef>
#include <vector>

namespace liegrad::testing {

inline std::vector<double> side_by_side(const std::vector<std::vector<double>>& columns) {
  std::vector<double> result;
  for (std::size_t i = 0; i < columns.front().size(); ++i) {
    for (const std::vector<double>& column : columns) result.push_back(column[i]);
  }
  return result;
}

inline std::vector<double> column(const std::vector<double>& columns, std::size_t c,
                                  std::size_t count) {
  std::vector<double> result;
  for (std::size_t i = c; i < columns.size(); i += count) result.push_back(columns[i]);
  return result;
}

}  // namespace liegrad::testing
