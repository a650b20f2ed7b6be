#pragma once

#include <array>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "liegrad/optimize/fit/table_file.hpp"

namespace liegrad::app {

/// Samples of a run, as `simulate --out` writes them, thinned out to what a page can show. Quaternions, which are
/// written with w ≥ 0, get the signs with which they change least from sample to sample.
class Motion {
 public:
  /// Throws InvalidArgument when the file cannot be read or has no column `t`.
  Motion(const std::string& file, std::size_t most_samples)
      : Motion(optimize::read_table(file), most_samples) {}
  Motion(optimize::Table table, std::size_t most_samples);

  const std::vector<double>& times() const { return column("t"); }
  std::size_t size() const { return times().size(); }
  /// Throws InvalidArgument for a column that is not there.
  const std::vector<double>& column(const std::string& name) const { return table_.column(name); }
  bool has(const std::string& name) const { return table_.has(name); }
  /// The columns of an output: NAME itself, or NAME.1, NAME.2, …
  std::vector<std::string> components(const std::string& output) const;
  /// The outputs in the order of the file, without their components.
  std::vector<std::string> outputs() const;

 private:
  optimize::Table table_;
};

/// The output that a column belongs to: "top.x" for "top.x.1", and "energy" for "energy".
std::string output_of_column(const std::string& column);

/// Numbers with so many significant digits, which makes pages small; null for what is not finite.
nlohmann::ordered_json rounded(const std::vector<double>& numbers, int digits = 9);

/// Gives four columns, the components of a quaternion, the sign of the nearer of ±q: to `reference` at the same sample,
/// or to the sample before where there is none.
using QuaternionColumns = std::array<std::vector<double>*, 4>;
void choose_signs(const QuaternionColumns& q, const QuaternionColumns* reference = nullptr);

/// The file as it was named, or else the one of this name in the folder of `beside`.
std::string file_beside(const std::string& name, const std::string& beside);

}  // namespace liegrad::app
