#include "studies/sample_table.hpp"

#include <utility>

namespace liegrad::app {

SampleTable::SampleTable(const std::vector<std::string>& columns, std::size_t most)
    : columns_(columns), most_(most) {}

void SampleTable::add(double t, std::span<const double> numbers) {
  last_.assign(1, t);
  last_.insert(last_.end(), numbers.begin(), numbers.end());
  if (seen_++ % every_ != 0) return;
  if (rows_.size() == most_) {
    thin_out();
    // This one may be among those that are left out now.
    if ((seen_ - 1) % every_ != 0) return;
  }
  rows_.push_back(last_);
}

void SampleTable::thin_out() {
  std::vector<std::vector<double>> kept;
  for (std::size_t i = 0; i < rows_.size(); i += 2) kept.push_back(std::move(rows_[i]));
  rows_ = std::move(kept);
  every_ *= 2;
}

optimize::Table SampleTable::table() const {
  optimize::Table table{.file = {}, .names = columns_, .columns = {}, .lines = {}};
  table.columns.resize(columns_.size());
  const auto append = [&table](const std::vector<double>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) table.columns[i].push_back(row[i]);
    table.lines.push_back(static_cast<long>(table.lines.size()) + 1);
  };
  for (const std::vector<double>& row : rows_) append(row);
  if (!rows_.empty() && rows_.back().front() != last_.front()) append(last_);
  return table;
}

}  // namespace liegrad::app
