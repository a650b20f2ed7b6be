#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "liegrad/optimize/fit/fit.hpp"
#include "liegrad/optimize/fit/judging.hpp"
#include "liegrad/optimize/fit/multi_start.hpp"
#include "liegrad/optimize/fit/profile.hpp"

namespace liegrad::app {

/// All that a fit found, for the table, the JSON and the files.
struct FitReport {
  std::string system;
  nlohmann::ordered_json options;
  optimize::FitResult result;
  std::vector<optimize::Profile> profiles = {};
  std::vector<optimize::Judgement> holdout = {}, folds = {};
  std::optional<optimize::MultiStart> starts = {};
  std::vector<dae::Node> nodes = {};  ///< of the system

  nlohmann::ordered_json json() const;
  void print(bool verbose) const;
  /// Measured and computed values of all trials, a row for each number.
  void write_table(const std::string& file) const;
  /// Values that --set-file reads: those that trials share, and those of each trial.
  void write_values(const std::string& file) const;
};

}  // namespace liegrad::app
