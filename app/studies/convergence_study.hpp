#pragma once

#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "liegrad/dae/integrate.hpp"
#include "studies/convergence.hpp"

namespace liegrad::app {

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// One step size.
struct StudyRow {
  double step = 0;
  long times = 0;  ///< steps at whose ends there is a reference
  dae::IntegrateSummary summary = {};
  ByVariable errors = {kNoNumber, kNoNumber, kNoNumber}, orders = {kNoNumber, kNoNumber, kNoNumber};
};

struct Study {
  std::string system;
  std::vector<double> steps = {};  ///< largest first
  std::vector<double> times =
      {};  ///< at which errors are taken: the ends of all steps in the window
  std::vector<double> times_of_largest = {};
  std::string reference = {};  ///< what the errors are against
  std::vector<StudyRow> rows = {};
  ByVariable fitted = {kNoNumber, kNoNumber, kNoNumber};
  bool has_multipliers = false;
  bool is_interrupted = false;

  double smallest_step() const { return steps.back(); }
  /// Times that differ by less are the same.
  double time_tolerance() const { return 1e-9 * smallest_step(); }
};

// What is shown of a study; `kind` is "relative" or "absolute".
void print(const Study& study, const std::string& kind);
/// For a terminal.
std::string plot_text(const Study& study);
void write_table(const Study& study, const std::string& file);
void write_plot(const Study& study, const std::string& file);
nlohmann::ordered_json rows_of(const Study& study);
nlohmann::ordered_json json_of(const ByVariable& numbers);

}  // namespace liegrad::app
