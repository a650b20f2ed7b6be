#pragma once

#include <string>

#include "liegrad/control/problem.hpp"

namespace liegrad::app {

/// A problem of optimal control as a JSON file states it, and how many steps it asks for.
struct ControlFile {
  control::Problem problem;
  int steps = 100;
};

/// Whether the name of a problem is that of a file.
bool names_control_file(const std::string& name);
/// Reads a file; docs/control.md says what can stand in it. Throws InvalidArgument: for a file that cannot be read, with
/// the place of a mistake, and for names that are not known, with the nearest one.
ControlFile read_control_file(const std::string& file);

}  // namespace liegrad::app
