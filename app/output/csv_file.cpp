#include "output/csv_file.hpp"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace liegrad::app {
namespace {

constexpr std::chrono::seconds kFlushInterval{1};

}  // namespace

CsvFile::CsvFile(const std::string& name, const std::vector<std::string>& columns)
    : file_(name), next_flush_(std::chrono::steady_clock::now() + kFlushInterval) {
  for (std::size_t i = 0; i < columns.size(); ++i) line_ += (i == 0 ? "" : ",") + columns[i];
  file_.write(line_ + '\n');
  file_.flush();
}

void CsvFile::write_row(double first, std::span<const double> rest) {
  line_.clear();
  fmt::format_to(std::back_inserter(line_), "{:.17g}", first);
  for (const double number : rest) {
    line_ += ',';
    if (!std::isnan(number)) fmt::format_to(std::back_inserter(line_), "{:.17g}", number);
  }
  line_ += '\n';
  file_.write(line_);
  const auto now = std::chrono::steady_clock::now();
  if (now > next_flush_) {
    file_.flush();
    next_flush_ = now + kFlushInterval;
  }
}

void CsvFile::close() { file_.close(); }

}  // namespace liegrad::app
