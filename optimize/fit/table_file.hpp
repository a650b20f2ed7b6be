#pragma once

#include <string>
#include <vector>

namespace liegrad::optimize {

/// A table of numbers from a text file: cells separated by commas, or by blanks where there are no commas. NaN
/// stands for an empty cell.
struct Table {
  std::string file;
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  ///< by name
  std::vector<long> lines;                   ///< where each row stands in the file, from 1

  int num_rows() const { return static_cast<int>(lines.size()); }
  /// Throws InvalidArgument for a name that is not there, with the nearest one.
  const std::vector<double>& column(const std::string& name) const;
  bool has(const std::string& name) const;
};

/// Reads a file whose first line names the columns. Lines that begin with # are left out. Throws InvalidArgument
/// when it cannot be read, is empty, has no rows, rows of another length or cells that are no numbers.
Table read_table(const std::string& file);

/// What a line of a file without names of columns has.
struct LineFormat {
  std::vector<std::string> names;
  char separator;       ///< a comma or a blank
  bool may_have_more;   ///< further columns, which are left out
  std::string meaning;  ///< "a TUM trajectory has …", for messages
};
Table read_table(const std::string& file, const LineFormat& format);

}  // namespace liegrad::optimize
