#pragma once

#include <optional>
#include <string>
#include <vector>

#include "liegrad/optimize/fit/fit.hpp"
#include "liegrad/optimize/fit/measurement_file.hpp"
#include "liegrad/optimize/fit/multi_start.hpp"
#include "options/cli11_names.hpp"

namespace liegrad::app {

/// Data, unknowns and the search of a fit, as typed.
class FitOptionsTyped {
 public:
  void add_to(CLI::App& command);

  // All throw InvalidArgument for what cannot be used.
  optimize::FitProblem problem(const dae::System& system) const;
  optimize::FitOptions options(const dae::IntegrateOptions& run,
                               const optimize::FitProblem& problem) const;
  /// Trials of a further file, prepared like those of the fit.
  std::vector<optimize::Recording> trials_of(const std::string& file,
                                             const dae::System& system) const;

  const std::vector<std::string>& data() const { return data_; }
  const std::vector<std::string>& holdout() const { return holdout_; }
  std::vector<std::string> profiled() const;
  int starts() const { return starts_; }
  optimize::MultiStartOptions multi_start() const {
    return {.starts = starts_, .threads = parallel_, .file = starts_file_};
  }
  const std::string& starts_file() const { return starts_file_; }
  int folds() const { return folds_; }

 private:
  std::vector<std::string> data_, maps_, free_, per_trial_, offsets_, gains_, delays_, start_,
      lower_, upper_, prior_, noise_, ties_, admissible_, holdout_, profile_;
  std::optional<double> split_, from_, to_, piece_;
  std::string loss_, method_ = "shooting", jacobian_, format_ = "csv", search_ = "lm", starts_file_;
  int starts_ = 1, folds_ = 0, iterations_ = 200, parallel_ = 1;
};

/// Items of options that take NAME,NAME,…
std::vector<std::string> comma_separated(const std::vector<std::string>& texts);

}  // namespace liegrad::app
