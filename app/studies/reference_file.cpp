#include "studies/reference_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/lie/group_list.hpp"
#include "output/number_text.hpp"

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

std::map<std::string, std::size_t> columns_of(const std::string& file, const std::string& line) {
  std::map<std::string, std::size_t> columns;
  for (const std::string& name : cells_of(line)) {
    if (!columns.emplace(name, columns.size()).second) {
      throw InvalidArgument(file + " has two columns '" + name + "'");
    }
  }
  return columns;
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
    const std::string column = place_ + "column " + name;
    const double number = number_of(column, cells_[found->second]);
    if (std::isfinite(number)) return number;
    throw InvalidArgument(column + " is not finite");
  }
  bool has(const std::string& name) const {
    const auto found = columns_.find(name);
    return found != columns_.end() && !cells_[found->second].empty();
  }
  const std::string& place() const { return place_; }
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

void append_quaternion(const Row& row, const std::string& name, std::vector<double>& q) {
  // More than the digits of a table that was written with fewer of them.
  constexpr double kTolerance = 1e-6;
  double square = 0;
  for (int i = 0; i < 4; ++i) {
    q.push_back(row(name, i, 4));
    square += q.back() * q.back();
  }
  if (std::abs(square - 1) <= kTolerance) return;
  throw InvalidArgument(row.place() + name + " is no rotation: it has the length " +
                        dae::number_text(std::sqrt(square)) + ", where 1 is needed");
}

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
        append_quaternion(row, name + "q", state.q);
        append(state.v, name + "omega", 3);
        break;
      case lie::GroupKind::kSO3xR3:
      case lie::GroupKind::kSE3: {
        append_quaternion(row, name + "q", state.q);
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
    append(state.lambda, element.name + ".lambda", system.shape_of(element).constraints);
  }
  return state;
}

/// Compares a table with the outputs of a system.
class OutputCheck {
 public:
  OutputCheck(const std::string& file, const dae::System& system)
      : file_(file),
        system_(system),
        outputs_(system),
        names_(outputs_.column_names()),
        values_(names_.size()),
        controls_(system.controls().size(), 0.0) {}

  /// Columns that the system has not.
  void check_names(const std::map<std::string, std::size_t>& columns) const {
    for (const auto& [name, position] : columns) {
      if (name == "t" || std::find(names_.begin(), names_.end(), name) != names_.end()) continue;
      throw InvalidArgument(file_ + " has a column '" + name + "', which is no output of '" +
                            system_.name() + "'; it is of another system");
    }
  }

  /// What follows from q and v.
  void check_row(const Row& row, const dae::State& state) {
    constexpr double kTolerance = 1e-6;
    dae::State known = state;
    known.v_dot.assign(state.v.size(), 0.0);
    known.s.assign(static_cast<std::size_t>(system_.num_algebraic()), 0.0);
    compare(row, known, kTolerance, [](const std::string& name) {
      return name.starts_with("energy") || name.starts_with("momentum") ||
             name == "residual.position";
    });
  }
  /// Everything, with forces, where the run started. The starting values of a method may move velocities a little.
  void check_start(const Row& row, const dae::State& initial) {
    constexpr double kTolerance = 1e-2;
    compare(row, initial, kTolerance, [](const std::string&) { return true; });
  }

 private:
  template <class IsCompared>
  void compare(const Row& row, const dae::State& state, double tolerance,
               const IsCompared& is_compared) {
    outputs_.evaluate(state, controls_, values_);
    double largest = 0;
    for (const double value : values_) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
    // Numbers that should be zero are rounding of larger ones.
    const double rounding = 1e-9 * largest;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!is_compared(names_[i]) || !row.has(names_[i]) || std::isnan(values_[i])) continue;
      const double read = row[names_[i]];
      if (std::abs(read - values_[i]) <= tolerance * std::abs(values_[i]) + rounding) continue;
      throw InvalidArgument(row.place() + names_[i] + " is " + dae::number_text(read) +
                            ", and with these parameters '" + system_.name() + "' has " +
                            dae::number_text(values_[i]) +
                            "; a reference needs the same parameters");
    }
  }

  const std::string& file_;
  const dae::System& system_;
  dae::Outputs outputs_;
  std::vector<std::string> names_;
  std::vector<double> values_, controls_;
};

}  // namespace

ReferenceStates read_reference(const std::string& file, const dae::System& system,
                               const dae::State& initial, std::span<const double> times,
                               std::span<const double> needed, double tolerance) {
  errno = 0;
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) {
    throw InvalidArgument(
        file + " cannot be read: " + (errno != 0 ? std::strerror(errno) : "it is empty"));
  }
  const std::map<std::string, std::size_t> columns = columns_of(file, line);
  ReferenceStates states(system);
  OutputCheck check(file, system);
  Row row(file, columns);
  std::size_t next = 0, next_needed = 0;
  for (long number = 2; next < times.size() && std::getline(stream, line); ++number) {
    row.read(line, number);
    const double t = row["t"];
    if (number == 2) {
      state_of(system, row);  // names what is missing
      check.check_names(columns);
    }
    if (std::abs(t - initial.t) <= tolerance) check.check_start(row, initial);
    while (next < times.size() && times[next] < t - tolerance) ++next;
    if (next == times.size() || times[next] > t + tolerance) continue;
    const dae::State state = state_of(system, row);
    check.check_row(row, state);
    states.append(state);
    next += 1;
    if (next_needed < needed.size() && t >= needed[next_needed] - tolerance) {
      if (t > needed[next_needed] + tolerance) break;
      next_needed += 1;
    }
  }
  if (next_needed < needed.size()) {
    throw InvalidArgument(file + " has no row at t = " + dae::number_text(needed[next_needed]) +
                          "; rows are needed at all steps of the largest length");
  }
  return states;
}

}  // namespace liegrad::app
