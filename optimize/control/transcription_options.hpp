#pragma once

#include <optional>
#include <vector>

#include "liegrad/ad/backend.hpp"
#include "liegrad/dae/alpha/alpha_parameters.hpp"
#include "liegrad/dae/equations/formulation.hpp"

namespace liegrad::control {

/// Which unknowns a nonlinear program keeps.
enum class TranscriptionKind {
  kSimultaneous,      ///< all of the motion
  kMultipleShooting,  ///< that at the ends of some segments; a run leads through each
  kShooting,          ///< none but the controls and what all points share
};

struct TranscriptionOptions {
  TranscriptionKind kind = TranscriptionKind::kSimultaneous;
  int segments = 10;  ///< of multiple shooting; at least 1, at most as many as steps
  int steps = 50;     ///< at least 2
  /// Shares of the horizon at the grid points, ascending from 0 to 1, for steps that are not equal: then their number is
  /// what counts.
  std::vector<double> mesh = {};
  /// Without one, the trapezoidal rule, and for systems with constraints the default of AlphaMethod, which damps. A
  /// method that damps leaves oscillations in the last few controls; one that does not, in multipliers of index 3.
  std::optional<dae::AlphaMethod> method = {};
  /// 2 or 3: the steps are those of Radau IIA with so many stages, of order 3 or 5, in place of a generalized-α method.
  /// The stages are unknowns too, and constraints are in the stabilised formulation, whatever `formulation` says.
  int radau_stages = 0;
  /// Of Radau steps: controls are constant in a step, where those at its end hold, and not linear between points.
  bool constant_controls = false;
  dae::Formulation formulation = dae::Formulation::kIndex3;
  ad::Backend backend = ad::Backend::kCompiled;
};

}  // namespace liegrad::control
