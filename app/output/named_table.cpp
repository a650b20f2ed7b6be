#include "output/named_table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace liegrad::app {

void print(const NamedTable& table) {
  constexpr std::size_t kLine = 110, kGap = 2;
  std::size_t name_width = 0;
  for (const NamedTable::Row& row : table.rows) name_width = std::max(name_width, row.name.size());
  std::vector<std::size_t> widths;
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    std::size_t width = table.columns[k].size();
    for (const NamedTable::Row& row : table.rows) width = std::max(width, row.cells[k].size());
    widths.push_back(width + kGap);
  }
  const auto print_line = [&](const std::string& name, const std::vector<std::string>& cells,
                              std::size_t begin, std::size_t end) {
    fmt::print("  {:<{}}", name, name_width);
    for (std::size_t k = begin; k < end; ++k) fmt::print("{:>{}}", cells[k], widths[k]);
    fmt::print("\n");
  };
  for (std::size_t begin = 0; begin < widths.size();) {
    std::size_t end = begin, length = kGap + name_width;
    while (end < widths.size() && (end == begin || length + widths[end] <= kLine)) {
      length += widths[end++];
    }
    print_line("", table.columns, begin, end);
    for (const NamedTable::Row& row : table.rows) print_line(row.name, row.cells, begin, end);
    begin = end;
  }
}

}  // namespace liegrad::app
