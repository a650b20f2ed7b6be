#pragma once

#include <optional>
#include <string>
#include <vector>

#include "liegrad/control/phased_problem.hpp"

namespace liegrad::app {

/// A problem of optimal control as a JSON file states it, and how many steps it asks for.
struct ControlFile {
  control::Problem problem;
  int steps = 100;
  std::vector<double> mesh = {};  ///< of steps that are not equal
};

/// Whether the name of a problem is that of a file.
bool names_control_file(const std::string& name);
/// Reads a file; docs/control.md says what can stand in it. Throws InvalidArgument: for a file that cannot be read, with
/// the place of a mistake, and for names that are not known, with the nearest one.
ControlFile read_control_file(const std::string& file);

/// Whether a file states several phases.
bool has_phases(const std::string& file);
/// Reads such a file; steps, where they are given, go before those of the phases. Throws InvalidArgument likewise.
control::PhasedProblem read_phased_file(const std::string& file, std::optional<int> steps);

}  // namespace liegrad::app
