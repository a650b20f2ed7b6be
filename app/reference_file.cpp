#include "reference_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include "liegrad/dae/text.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/lie/group_list.hpp"
#include "number_text.hpp"

namespace liegrad::app {
namespace {

std::vector<std::string> cells_of(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t comma = std::min(line.find(',', begin), line.size());
    cells.push_back(line.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return cells;
}

/// A row of the table, by names.
class Row {
 public:
  Row(const std::string& file, const std::map<std::string, std::size_t>& columns)
      : file_(file), columns_(columns) {}

  void read(const std::string& line, long number) {
    cells_ = cells_of(line);
    place_ = file_ + ", line " + std::to_string(number) + ": ";
    if (cells_.size() == columns_.size()) return;
    throw InvalidArgument(place_ + "there are " + std::to_string(cells_.size()) + " numbers for " +
                          std::to_string(columns_.size()) + " columns");
  }

  double operator[](const std::string& name) const {
    const auto found = columns_.find(name);
    if (found == columns_.end()) {
      throw InvalidArgument(file_ + " has no column '" + name +
                            "'; it should be a file that `liegrad simulate --out` wrote");
    }
    return number_of(place_ + "column " + name, cells_[found->second]);
  }
  /// One number of an output that has `size`.
  double operator()(const std::string& name, int i, int size) const {
    return (*this)[size == 1 ? name : name + "." + std::to_string(i + 1)];
  }

 private:
  const std::string& file_;
  const std::map<std::string, std::size_t>& columns_;
  std::vector<std::string> cells_;
  std::string place_;
};

/// The inverse of dae::Outputs.
dae::State state_of(const dae::System& system, const Row& row) {
  dae::State state;
  state.t = row["t"];
  const auto append = [&row](std::vector<double>& list, const std::string& name, int size) {
    for (int i = 0; i < size; ++i) list.push_back(row(name, i, size));
  };
  const auto velocity = [&row](const std::string& name) {
    return lie::Vec<double, 3>(row(name, 0, 3), row(name, 1, 3), row(name, 2, 3));
  };
  for (const dae::Node& node : system.nodes()) {
    const std::string name = node.name + ".";
    if (node.first_order) {
      state.q.resize(state.q.size() + static_cast<std::size_t>(node.group.n), 0.0);
      append(state.v, name + "c", node.group.n);
      continue;
    }
    switch (node.group.kind) {
      case lie::GroupKind::kRn:
        append(state.q, name + "x", node.group.n);
        append(state.v, name + "u", node.group.n);
        break;
      case lie::GroupKind::kSO2:
      case lie::GroupKind::kSE2: {
        const double theta = row[name + "theta"], c = std::cos(theta), s = std::sin(theta);
        state.q.insert(state.q.end(), {c, s});
        append(state.v, name + "omega", 1);
        if (node.group.kind == lie::GroupKind::kSO2) break;
        append(state.q, name + "x", 2);
        const double u = row[name + "u.1"], w = row[name + "u.2"];
        state.v.insert(state.v.end(), {c * u + s * w, c * w - s * u});
        break;
      }
      case lie::GroupKind::kSO3:
        append(state.q, name + "q", 4);
        append(state.v, name + "omega", 3);
        break;
      case lie::GroupKind::kSO3xR3:
      case lie::GroupKind::kSE3: {
        append(state.q, name + "q", 4);
        const auto rotation = lie::SO3<double>::from_coeffs(
            Eigen::Map<const lie::Vec<double, 4>>(&state.q[state.q.size() - 4]));
        append(state.q, name + "x", 3);
        append(state.v, name + "omega", 3);
        lie::Vec<double, 3> u = velocity(name + "u");
        if (node.group.kind == lie::GroupKind::kSE3) u = rotation.matrix().transpose() * u;
        state.v.insert(state.v.end(), u.begin(), u.end());
        break;
      }
    }
  }
  for (const dae::PlacedElement& element : system.elements()) {
    append(state.lambda, element.name + ".lambda", system.kind_of(element).shape().constraints);
  }
  return state;
}

}  // namespace

std::vector<dae::State> read_reference(const std::string& file, const dae::System& system,
                                       std::span<const double> times) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) {
    throw InvalidArgument(
        file + " cannot be read: " + (errno != 0 ? std::strerror(errno) : "it is empty"));
  }
  std::map<std::string, std::size_t> columns;
  for (const std::string& name : cells_of(line)) columns.emplace(name, columns.size());

  std::vector<dae::State> states;
  Row row(file, columns);
  for (long number = 2; states.size() < times.size() && std::getline(stream, line); ++number) {
    row.read(line, number);
    const double wanted = times[states.size()];
    // Times are sums of steps, and differ by their rounding.
    if (std::abs(row["t"] - wanted) <= 1e-9 * std::abs(wanted)) {
      states.push_back(state_of(system, row));
    }
  }
  if (states.size() < times.size()) {
    throw InvalidArgument(file + " has no row at t = " + dae::number_text(times[states.size()]) +
                          "; rows are needed at all multiples of the largest step");
  }
  return states;
}

}  // namespace liegrad::app
