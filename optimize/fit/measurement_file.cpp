#include "liegrad/optimize/fit/measurement_file.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/node_view.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/optimize/fit/table_file.hpp"

namespace liegrad::optimize {
namespace {

const LineFormat kTum = {
    {"t", "x", "y", "z", "qx", "qy", "qz", "qw"},
    ' ',
    false,
    "a TUM trajectory has lines of t x y z qx qy qz qw, and a table with names of columns is csv"};
const LineFormat kEuroc = {{"t", "x", "y", "z", "qw", "qx", "qy", "qz"},
                           ',',
                           true,
                           "an EuRoC trajectory has lines of t,x,y,z,qw,qx,qy,qz with t in whole "
                           "nanoseconds, and a table with names of columns is csv"};

/// "body.x[2]" or "body.x.2" → ("body.x", 2); of a whole output the component is 0.
std::pair<std::string, int> output_and_component(const dae::Outputs& outputs, std::string name) {
  if (name.ends_with(']')) {
    if (const std::size_t open = name.rfind('['); open != std::string::npos) {
      name = name.substr(0, open) + "." + name.substr(open + 1, name.size() - open - 2);
    }
  }
  for (const dae::OutputSpec& spec : outputs.list()) {
    if (spec.name == name) return {name, 0};
  }
  const int column = outputs.column(name);
  for (const dae::OutputSpec& spec : outputs.list()) {
    const int i = column - outputs.offset(spec.name);
    if (i >= 0 && i < spec.size) return {spec.name, i + 1};
  }
  return {name, 0};
}

std::string only_rigid_body(const dae::System& system, const std::string& file) {
  std::vector<std::string> bodies;
  for (const dae::Node& node : system.nodes()) {
    if (dae::is_rigid_body(node.group) && node.group != dae::ground_group()) {
      bodies.push_back(node.name);
    }
  }
  if (bodies.size() == 1) return bodies.front();
  throw InvalidArgument(file + " is a trajectory of one body, and '" + system.name() + "' has " +
                        std::to_string(bodies.size()) + "; say which by --map BODY.x=x,y,z");
}

/// Columns named after outputs: single numbers, and orientations whose four numbers are there.
std::vector<ColumnMap> maps_by_name(const Table& table, const dae::System& system) {
  const dae::Outputs outputs(system);
  std::vector<ColumnMap> maps;
  std::vector<std::string> known = outputs.column_names();
  for (const std::string& name : table.names) {
    if (name == "t") continue;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InvalidArgument(
          table.file + " has a column '" + name + "', which is no output of '" + system.name() +
          "': " + dae::unknown_name_message("output", name, known) +
          (maps.empty() ? " (or say what it is by --map OUTPUT=" + name + ")" : ""));
    }
    const auto [output, component] = output_and_component(outputs, name);
    const bool is_orientation = outputs.spec(output).size == 4 && output.ends_with(".q");
    if (!is_orientation) {
      maps.push_back({name, {name}});
    } else if (component == 1) {
      maps.push_back({output, {output + ".1", output + ".2", output + ".3", output + ".4"}});
    }
  }
  return maps;
}

class Reader {
 public:
  Reader(const Table& table, const dae::System& system)
      : table_(table), system_(system), outputs_(system), times_(table.column("t")) {
    check_times();
  }

  void read(const ColumnMap& map, Recording& recording) const {
    const auto [output, component] = output_and_component(outputs_, map.output);
    const int size = outputs_.spec(output).size;
    const int wanted = component == 0 ? size : 1;
    if (std::ssize(map.columns) != wanted) {
      throw InvalidArgument("'" + map.output + "' has " + std::to_string(wanted) +
                            (wanted == 1 ? " number" : " numbers") + ", and " +
                            std::to_string(map.columns.size()) + " columns are mapped to it");
    }
    if (size == 1 || component > 0 || is_orientation(output)) {
      add(series_of(system_, output, component), map.columns, recording);
      return;
    }
    for (int i = 1; i <= size; ++i) {
      add(series_of(system_, output, i), {map.columns[dae::index(i - 1)]}, recording);
    }
  }

 private:
  bool is_orientation(const std::string& output) const {
    return outputs_.spec(output).size == 4 && output.ends_with(".q");
  }
  std::string place(std::size_t row) const {
    return table_.file + ", line " + std::to_string(table_.lines[row]) + ": ";
  }

  void check_times() const {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if (std::isnan(times_[i])) throw InvalidArgument(place(i) + "there is no time in column t");
      if (i == 0 || times_[i] > times_[i - 1]) continue;
      const std::string t = dae::number_text(times_[i]);
      throw InvalidArgument(
          place(i) +
          (times_[i] == times_[i - 1]
               ? "t = " + t + " stands there for the second time"
               : "t = " + t + " comes after t = " + dae::number_text(times_[i - 1])) +
          "; times must increase");
    }
  }

  void add(Series series, const std::vector<std::string>& columns, Recording& recording) const {
    for (const Series& other : recording.series) {
      if (other.name() != series.name()) continue;
      throw InvalidArgument("two maps are for '" + series.name() + "'; keep one of them");
    }
    std::vector<const std::vector<double>*> cells;
    for (const std::string& name : columns) cells.push_back(&table_.column(name));
    for (std::size_t row = 0; row < times_.size(); ++row) {
      const auto is_empty = [row](const auto* column) { return std::isnan((*column)[row]); };
      const auto empty = std::count_if(cells.begin(), cells.end(), is_empty);
      if (empty == std::ssize(cells)) continue;
      if (empty > 0) {
        throw InvalidArgument(place(row) + "a part of '" + series.name() +
                              "' is empty; give all four numbers or none");
      }
      series.times.push_back(times_[row]);
      for (const auto* column : cells) series.values.push_back((*column)[row]);
      if (series.comparison == Comparison::kRotation) check_length(series, row);
    }
    if (series.times.empty()) {
      throw InvalidArgument(table_.file + " has no values in column '" + columns.front() + "'");
    }
    recording.series.push_back(std::move(series));
  }
  void check_length(const Series& series, std::size_t row) const {
    constexpr double kTolerance = 1e-3;
    double square = 0;
    for (auto i = series.values.end() - 4; i != series.values.end(); ++i) square += *i * *i;
    if (std::abs(std::sqrt(square) - 1) <= kTolerance) return;
    throw InvalidArgument(
        place(row) + "'" + series.name() + "' is no unit quaternion: it has the length " +
        dae::number_text(std::sqrt(square)) + "; the order of its columns is w, x, y, z");
  }

  const Table& table_;
  const dae::System& system_;
  dae::Outputs outputs_;
  const std::vector<double>& times_;
};

Table table_of(const std::string& file, FileFormat format) {
  switch (format) {
    case FileFormat::kCsv: return read_table(file);
    case FileFormat::kTum: return read_table(file, kTum);
    case FileFormat::kEuroc: break;
  }
  Table table = read_table(file, kEuroc);
  for (std::size_t row = 0; row < table.lines.size(); ++row) {
    const double t = table.columns[0][row];
    if (std::isnan(t) || t == std::floor(t)) continue;
    throw InvalidArgument(file + ", line " + std::to_string(table.lines[row]) + ": t is " +
                          dae::number_text(t) + "; " + kEuroc.meaning);
  }
  // Counted from the first row, so that nanoseconds since 1970 keep their digits.
  const double first = table.columns[0].front();
  for (double& t : table.columns[0]) t = (t - first) * 1e-9;
  return table;
}

}  // namespace

FileFormat file_format_of(const std::string& name) {
  const std::vector<std::string> names = {"csv", "tum", "euroc"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<FileFormat>(found - names.begin());
  throw InvalidArgument(dae::unknown_name_message("format of data", name, names));
}

Recording read_recording(const std::string& file, FileFormat format,
                         const std::vector<ColumnMap>& maps, const dae::System& system) {
  const Table table = table_of(file, format);
  std::vector<ColumnMap> chosen = maps;
  if (chosen.empty() && format == FileFormat::kCsv) {
    table.column("t");
    chosen = maps_by_name(table, system);
  } else if (chosen.empty()) {
    const std::string body = only_rigid_body(system, file);
    chosen = {{body + ".x", {"x", "y", "z"}}, {body + ".q", {"qw", "qx", "qy", "qz"}}};
  }
  const Reader reader(table, system);
  Recording recording{file, {}, {}, {}};
  for (const ColumnMap& map : chosen) reader.read(map, recording);
  check_recording(recording);
  return recording;
}

}  // namespace liegrad::optimize
