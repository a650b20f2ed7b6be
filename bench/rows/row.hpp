#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace liegrad::bench {

/// One line of the benchmark table.
struct Row {
  std::string name;
  double value = 0;
  std::string unit;
  /// The figure asked for: an upper bound, or a lower one for rows in "x" (times faster).
  std::optional<double> bar = {};
};

/// A family of rows, measured together so that its ratios come from one run.
struct Family {
  std::string prefix;
  std::function<std::vector<Row>()> measure;
};

/// All families, in the order of the table.
std::vector<Family> families();

std::vector<Row> kernel_rows();
std::vector<Row> compile_rows();

}  // namespace liegrad::bench
