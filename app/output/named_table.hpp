#pragma once

#include <string>
#include <vector>

namespace liegrad::app {

/// Numbers under names, in text that is ready to be printed.
struct NamedTable {
  std::vector<std::string> columns;
  struct Row {
    std::string name;
    std::vector<std::string> cells;  ///< one for each column
  };
  std::vector<Row> rows;
};

/// As lines of about 110 characters: columns that do not fit stand in further blocks below.
void print(const NamedTable& table);

}  // namespace liegrad::app
