#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "liegrad/control/solve_phases.hpp"
#include "options/cli11_names.hpp"
#include "options/integration_options.hpp"
#include "studies/control_search.hpp"

namespace liegrad::app {

/// The problem, its transcription and the search of an optimal control, as typed.
class ControlOptions {
 public:
  void add_to(CLI::App& command);

  // All throw InvalidArgument for what cannot be used.

  bool is_phased() const;
  /// The problem that is named, of a file or built in; with the value of --continue's parameter where one is given.
  control::Problem problem(std::optional<double> value) const;
  control::PhasedProblem phased_problem(std::optional<double> value) const;
  /// With the grid that is typed, or else that of the problem; phases have their own.
  control::SolveOptions solve_options() const;
  SearchPlan plan() const;
  /// What was chosen because nothing was typed, with the reason.
  std::vector<std::string> choices(const dae::Model& system) const;
  /// Refuses what problems of several phases do not have, before anything is computed.
  void check_phases() const;

  const std::string& transcription() const { return transcription_; }
  std::string method() const { return integration_.method(); }
  const std::string& hessian() const { return hessian_; }
  int max_iterations() const { return max_iterations_; }

  std::string gains, write;  ///< files

 private:
  std::map<std::string, double> given(std::optional<double> value) const;
  ParameterPath path() const;
  void set_grid(control::TranscriptionOptions& grid) const;
  bool chooses_index_2(const control::TranscriptionOptions& grid) const;

  std::string problem_, transcription_ = "simultaneous", hessian_ = "exact",
                        linear_solver_ = "auto";
  std::string controls_ = "linear", mesh_, warm_start_, continuation_;
  std::vector<std::string> settings_, ipopt_;
  std::optional<int> steps_, starts_;
  std::optional<double> refine_;
  bool adapts_ = false;
  int segments_ = control::TranscriptionOptions{}.segments;
  int max_iterations_ = control::SolveOptions{}.max_iterations;
  double tolerance_ = control::SolveOptions{}.tolerance, time_limit_ = 0;
  IntegrationOptions integration_;
  CLI::Option* formulation_ = nullptr;
};

}  // namespace liegrad::app
