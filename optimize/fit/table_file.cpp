#include "liegrad/optimize/fit/table_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::optimize {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  if (line.find(',') == std::string::npos) {
    std::istringstream words(line);
    for (std::string word; words >> word;) cells.push_back(word);
    return cells;
  }
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t comma = std::min(line.find(',', begin), line.size());
    cells.push_back(trimmed(line.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  return cells;
}

double number_of(const std::string& cell, const std::string& place,
                 const std::string& advice = {}) {
  if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const char* const begin = cell.data() + (cell.front() == '+' ? 1 : 0);
  const char* const end = cell.data() + cell.size();
  const auto [stopped, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stopped != end) {
    throw InvalidArgument(place + " is '" + cell + "', where a number is needed" + advice);
  }
  if (std::isfinite(value)) return value;
  throw InvalidArgument(place + " is " + cell +
                        ", which is no measurement; leave the cell empty if there is none");
}

std::string text_of(const std::string& file) {
  errno = 0;
  std::ifstream stream(file);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream || text.str().empty()) {
    throw InvalidArgument(
        file + " cannot be read: " + (errno != 0 ? std::strerror(errno) : "it is empty"));
  }
  // Spreadsheets begin UTF-8 with a mark, which is no part of the first name.
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  const std::string content = text.str();
  return content.starts_with(kMark) ? content.substr(kMark.size()) : content;
}

void check_names(const Table& table) {
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const std::string& name = table.names[i];
    if (name.empty()) {
      throw InvalidArgument(table.file + " has no name for column " + std::to_string(i + 1) +
                            " in its first line");
    }
    if (std::count(table.names.begin(), table.names.end(), name) == 1) continue;
    throw InvalidArgument(table.file + " has two columns '" + name + "'");
  }
}

}  // namespace

bool Table::has(const std::string& name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const std::vector<double>& Table::column(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw InvalidArgument(file + ": " + dae::unknown_name_message("column", name, names));
  }
  return columns[static_cast<std::size_t>(found - names.begin())];
}

namespace {

/// Throws InvalidArgument for a line of another format, which would be read with numbers exchanged.
void check_line(const std::string& line, const std::string& place, std::size_t cells,
                const LineFormat& format) {
  const bool has_commas = line.find(',') != std::string::npos;
  if (cells > 1 && has_commas != (format.separator == ',')) {
    throw InvalidArgument(place + "numbers are separated by " + (has_commas ? "commas" : "blanks") +
                          "; " + format.meaning);
  }
  if (cells == format.names.size() || (format.may_have_more && cells > format.names.size())) return;
  throw InvalidArgument(place + "there are " + std::to_string(cells) + " numbers; " +
                        format.meaning);
}

/// Where there is no format the first line names the columns.
Table read(const std::string& file, const LineFormat* format) {
  Table table{file, {}, {}, {}};
  if (format != nullptr) table.names = format->names;
  std::istringstream text(text_of(file));
  std::string line;
  for (long number = 1; std::getline(text, line); ++number) {
    line = trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> cells = cells_of(line);
    if (table.names.empty()) {
      if (cells.size() == 1 && line.find(';') != std::string::npos) {
        throw InvalidArgument(
            file +
            " separates its columns by ';'; separate them by commas, with points in numbers");
      }
      table.names = cells;
      continue;
    }
    if (table.columns.empty()) table.columns.resize(table.names.size());
    const std::string place = file + ", line " + std::to_string(number) + ": ";
    if (format != nullptr) {
      check_line(line, place, cells.size(), *format);
    } else if (cells.size() != table.names.size()) {
      throw InvalidArgument(place + "there are " + std::to_string(cells.size()) + " cells for " +
                            std::to_string(table.names.size()) + " columns");
    }
    const std::string advice = format != nullptr ? "; " + format->meaning : "";
    for (std::size_t i = 0; i < table.names.size(); ++i) {
      table.columns[i].push_back(number_of(cells[i], place + "column " + table.names[i], advice));
    }
    table.lines.push_back(number);
  }
  if (table.names.empty()) throw InvalidArgument(file + " is empty");
  check_names(table);
  if (table.lines.empty()) {
    throw InvalidArgument(file +
                          (format == nullptr ? " has a header and no rows" : " has no rows"));
  }
  return table;
}

}  // namespace

Table read_table(const std::string& file) { return read(file, nullptr); }

Table read_table(const std::string& file, const LineFormat& format) { return read(file, &format); }

}  // namespace liegrad::optimize
