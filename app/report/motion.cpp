#include "report/motion.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace liegrad::app {

std::string output_of_column(const std::string& column) {
  const std::size_t dot = column.rfind('.');
  if (dot == std::string::npos || dot + 1 == column.size()) return column;
  const bool is_number = std::all_of(column.begin() + static_cast<std::ptrdiff_t>(dot) + 1,
                                     column.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? column.substr(0, dot) : column;
}

void choose_signs(const QuaternionColumns& q, const QuaternionColumns* reference) {
  for (std::size_t i = reference ? 0 : 1; i < q[0]->size(); ++i) {
    double product = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      product += (*q[k])[i] * (reference ? (*(*reference)[k])[i] : (*q[k])[i - 1]);
    }
    if (!(product < 0)) continue;
    for (std::vector<double>* column : q) (*column)[i] = -(*column)[i];
  }
}

Motion::Motion(optimize::Table table, std::size_t most_samples) : table_(std::move(table)) {
  const std::size_t rows = table_.column("t").size();
  const std::size_t every = (rows + most_samples - 1) / most_samples;
  for (std::size_t i = 0; i + 3 < table_.names.size(); ++i) {
    if (!table_.names[i].ends_with(".q.1")) continue;
    choose_signs({&table_.columns[i], &table_.columns[i + 1], &table_.columns[i + 2],
                  &table_.columns[i + 3]});
  }
  if (every <= 1) return;
  for (std::vector<double>& column : table_.columns) {
    std::vector<double> kept;
    for (std::size_t i = 0; i < rows; i += every) kept.push_back(column[i]);
    // The end of the run stays.
    if ((rows - 1) % every != 0) kept.push_back(column[rows - 1]);
    column = std::move(kept);
  }
}

std::vector<std::string> Motion::components(const std::string& output) const {
  std::vector<std::string> list;
  if (has(output)) list.push_back(output);
  for (int i = 1; has(fmt::format("{}.{}", output, i)); ++i) {
    list.push_back(fmt::format("{}.{}", output, i));
  }
  return list;
}

std::vector<std::string> Motion::outputs() const {
  std::vector<std::string> list;
  for (const std::string& name : table_.names) {
    if (name == "t") continue;
    const std::string output = output_of_column(name);
    if (list.empty() || list.back() != output) list.push_back(output);
  }
  return list;
}

nlohmann::ordered_json rounded(const std::vector<double>& numbers, int digits) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const double number : numbers) {
    if (std::isfinite(number)) {
      list.push_back(std::strtod(fmt::format("{:.{}g}", number, digits).c_str(), nullptr));
    } else {
      list.push_back(nullptr);
    }
  }
  return list;
}

std::string file_beside(const std::string& name, const std::string& beside) {
  namespace fs = std::filesystem;
  if (fs::exists(name)) return name;
  const fs::path sibling = fs::path(beside).parent_path() / fs::path(name).filename();
  return fs::exists(sibling) ? sibling.string() : name;
}

}  // namespace liegrad::app
