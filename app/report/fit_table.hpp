#pragma once

#include <map>
#include <string>
#include <vector>

namespace liegrad::app {

/// Measured and fitted values of one trial, as `fit --out` writes them. NaN stands for an empty cell.
struct FitTable {
  struct Column {
    std::vector<double> times, measured, fitted, residual, lower, upper;
  };
  std::map<std::string, Column> columns;  ///< by the name of an output's component
  std::vector<std::string> outputs;       ///< without components, in the order of the file

  /// The columns NAME, or NAME.1, NAME.2, … of an output.
  std::vector<std::string> components(const std::string& output) const;
};

/// Reads the rows of the first trial. Throws InvalidArgument when the file cannot be read or is another table.
FitTable read_fit_table(const std::string& file);

}  // namespace liegrad::app
