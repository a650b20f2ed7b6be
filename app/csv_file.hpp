#pragma once

#include <chrono>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace liegrad::app {

/// A table of numbers with named columns. Numbers are written with all their digits, NaN as nothing.
/// What is written reaches the disk within about a second. Throws InvalidArgument when it cannot be
/// written.
class CsvFile {
 public:
  CsvFile(const std::string& name, const std::vector<std::string>& columns);

  void write_row(double first, std::span<const double> rest);
  void close();

 private:
  void check();

  std::string name_;
  std::ofstream file_;
  std::string line_;
  std::chrono::steady_clock::time_point next_flush_;
};

}  // namespace liegrad::app
