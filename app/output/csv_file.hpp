#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "output/output_file.hpp"

namespace liegrad::app {

/// A table of numbers with named columns. Numbers are written with all their digits, NaN as nothing.
/// What is written reaches the disk within about a second. Throws what OutputFile throws.
class CsvFile {
 public:
  CsvFile(const std::string& name, const std::vector<std::string>& columns);

  void write_row(double first, std::span<const double> rest);
  void close();

 private:
  OutputFile file_;
  std::string line_;
  std::chrono::steady_clock::time_point next_flush_;
};

}  // namespace liegrad::app
