#include "report/fit_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include "liegrad/lie/error.hpp"
#include "report/motion.hpp"

namespace liegrad::app {
namespace {

constexpr const char* kHeader = "trial,t,output,measured,fitted,residual,band95_lower,band95_upper";

double number_in(const std::string& cell, const std::string& file) {
  if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (*end != '\0')
    throw InvalidArgument(file + " has the cell '" + cell + "' where a number should be");
  return value;
}

/// Orientations that are ±q: the fitted ones without jumps, the measured ones near these.
void choose_signs_of(FitTable& table, const std::string& output) {
  QuaternionColumns fitted, measured;
  for (std::size_t k = 0; k < 4; ++k) {
    FitTable::Column& column = table.columns.at(output + "." + std::to_string(k + 1));
    fitted[k] = &column.fitted;
    measured[k] = &column.measured;
  }
  choose_signs(fitted);
  choose_signs(measured, &fitted);
}

}  // namespace

std::vector<std::string> FitTable::components(const std::string& output) const {
  std::vector<std::string> list;
  if (columns.contains(output)) list.push_back(output);
  for (int i = 1; columns.contains(output + "." + std::to_string(i)); ++i) {
    list.push_back(output + "." + std::to_string(i));
  }
  return list;
}

FitTable read_fit_table(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw InvalidArgument(file + " cannot be read");
  std::string line;
  if (!std::getline(stream, line) || line != kHeader) {
    throw InvalidArgument(file + " is no table of `liegrad fit --out`");
  }
  FitTable table;
  std::string trial;
  while (std::getline(stream, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line + ",");
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (cells.size() != 8) throw InvalidArgument(file + " has a row that is not of 8 cells");
    if (trial.empty()) trial = cells[0];
    if (cells[0] != trial) continue;
    FitTable::Column& column = table.columns[cells[2]];
    std::vector<double>* const lists[] = {&column.measured, &column.fitted, &column.residual,
                                          &column.lower, &column.upper};
    column.times.push_back(number_in(cells[1], file));
    for (std::size_t i = 0; i < 5; ++i) lists[i]->push_back(number_in(cells[i + 3], file));
    const std::string output = output_of_column(cells[2]);
    if (std::find(table.outputs.begin(), table.outputs.end(), output) == table.outputs.end()) {
      table.outputs.push_back(output);
    }
  }
  for (const std::string& output : table.outputs) {
    if (output.ends_with(".q") && table.components(output).size() == 4) {
      choose_signs_of(table, output);
    }
  }
  return table;
}

}  // namespace liegrad::app
