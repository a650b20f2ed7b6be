#include "csv_file.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

#include "liegrad/lie/error.hpp"

namespace liegrad::app {
namespace {

constexpr std::chrono::seconds kFlushInterval{1};

}  // namespace

CsvFile::CsvFile(const std::string& name, const std::vector<std::string>& columns)
    : name_(name), file_(name), next_flush_(std::chrono::steady_clock::now() + kFlushInterval) {
  for (std::size_t i = 0; i < columns.size(); ++i) file_ << (i == 0 ? "" : ",") << columns[i];
  file_ << std::endl;
  check();
}

void CsvFile::check() {
  if (!file_) throw InvalidArgument(name_ + " cannot be written: " + std::strerror(errno));
}

void CsvFile::write_row(double first, std::span<const double> rest) {
  line_.clear();
  fmt::format_to(std::back_inserter(line_), "{:.17g}", first);
  for (const double number : rest) {
    line_ += ',';
    if (!std::isnan(number)) fmt::format_to(std::back_inserter(line_), "{:.17g}", number);
  }
  line_ += '\n';
  file_ << line_;
  const auto now = std::chrono::steady_clock::now();
  if (now > next_flush_) {
    file_.flush();
    next_flush_ = now + kFlushInterval;
  }
  check();
}

void CsvFile::close() {
  file_.close();
  check();
}

}  // namespace liegrad::app
