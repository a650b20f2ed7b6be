#pragma once

#include "liegrad/control/nlp.hpp"
#include "liegrad/control/solution.hpp"

namespace liegrad::control {

/// Looks at a solution from outside of the solver: inertia of the KKT matrix, the Hamiltonian along the steps, and a run
/// of the integrator with the controls that were found.
Certificate certify(Transcription& transcription, Nlp& nlp, const Solution& solution);

/// z/(x - l) + z/(u - x), what an active bound adds to the Hessian.
double barrier(double x, const Interval& bounds, double lower_multiplier, double upper_multiplier);

/// The stage of each unknown of the KKT matrix (free unknowns, then rows), or TimeBlocks::kBorder; fixed unknowns have no
/// place in it.
struct KktLayout {
  explicit KktLayout(const Transcription& transcription);
  std::vector<int> place;   ///< of an unknown of the NLP; -1 when it is fixed
  std::vector<int> stages;  ///< free unknowns, then rows
  int num_free = 0, num_rows = 0;
};
int stage_of_variable(const GridLayout& layout, int variable);
int stage_of_row(const RowLayout& rows, int row);

}  // namespace liegrad::control
