#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "liegrad/optimize/fit/table_file.hpp"

namespace liegrad::app {

/// Samples of a run of unknown length, evenly thinned out to as many as a figure can show.
class SampleTable {
 public:
  /// Keeps at least half of `most` samples, and at most all of them and the last one.
  SampleTable(const std::vector<std::string>& columns, std::size_t most);

  void add(double t, std::span<const double> numbers);
  /// With the last sample, whether it was kept or not.
  optimize::Table table() const;

 private:
  void thin_out();

  std::vector<std::string> columns_;
  std::size_t most_;
  std::vector<std::vector<double>> rows_;
  std::vector<double> last_;
  std::size_t every_ = 1, seen_ = 0;
};

}  // namespace liegrad::app
