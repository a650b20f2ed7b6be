#pragma once

#include <string>

#include "liegrad/dae/integrate.hpp"

namespace liegrad::dae {

// What a run says of itself; `liegrad simulate` prints the same.

/// As reports, files and options name them.
std::string name_of(Termination termination);
std::string name_of(LinearSolverKind solver);
std::string name_of(Formulation formulation);

/// One line: how the run ended, with which method, and what it took.
std::string brief_report(const IntegrateSummary& summary);

/// A line for each number, with what was asked for beside what was used. `ended` says how the run ended where its
/// caller knows more than the run.
std::string full_report(const IntegrateSummary& summary, const std::string& ended = "");

/// "  steps                  = 520\n".
std::string report_line(const std::string& name, const std::string& value);

}  // namespace liegrad::dae
