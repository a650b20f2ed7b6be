#pragma once

#include <string>

#include "liegrad/dae/integrate.hpp"

namespace liegrad::app {

// As summaries name them.

inline std::string termination_name(dae::Termination termination) {
  switch (termination) {
    case dae::Termination::kReachedEnd: return "reached_end";
    case dae::Termination::kStoppedByCallback: return "stopped_by_callback";
    case dae::Termination::kStoppedByEvent: return "stopped_by_event";
    case dae::Termination::kNewtonDiverged: return "newton_diverged";
    case dae::Termination::kSingularMatrix: return "singular_matrix";
    case dae::Termination::kNonFinite: return "non_finite";
    case dae::Termination::kToleranceBelowRounding: return "tolerance_below_rounding";
    case dae::Termination::kNotRun: return "not_run";
  }
  return "";
}

inline std::string solver_name(dae::LinearSolverKind solver) {
  switch (solver) {
    case dae::LinearSolverKind::kAutomatic: return "auto";
    case dae::LinearSolverKind::kDense: return "dense";
    case dae::LinearSolverKind::kSparse: return "sparse";
    case dae::LinearSolverKind::kMinimumNorm: return "minimum_norm";
  }
  return "";
}

}  // namespace liegrad::app
