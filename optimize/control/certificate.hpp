#pragma once

#include "liegrad/control/ipopt_run.hpp"
#include "liegrad/control/nlp.hpp"
#include "liegrad/control/solution.hpp"
#include "liegrad/control/stop_request.hpp"

namespace liegrad::control {

/// Looks at a solution from outside of the solver: inertia of the KKT matrix, switching functions, the Hamiltonian along
/// the steps, and a run of the integrator with the controls that were found.
///
/// Where it is asked to stop, what is left is not done, and Certificate::is_complete is false.
Certificate certify(Transcription& transcription, Nlp& nlp, const Solution& solution,
                    const StopRequest& stop = {});

/// The inertia of the KKT matrix
///
///     W + Σ_x   Jᵀ
///     J        -Σ_g⁻¹      with 0 in place of -Σ_g⁻¹ for equations,
///
/// where inequalities have had their slacks eliminated.
void find_inertia(Program& nlp, const Iterate& at, const StopRequest& stop,
                  Certificate& certificate);
/// The derivative of the Lagrangian by the length of each step. Precondition: the transcription is at the solution.
void find_hamiltonian(Transcription& transcription, const Solution& solution,
                      Certificate& certificate);

/// z/(x - l) + z/(u - x), what an active bound adds to the Hessian.
double barrier(double x, const Interval& bounds, double lower_multiplier, double upper_multiplier);

/// The stage of each unknown of the KKT matrix (free unknowns, then rows), or kBorderStage; fixed unknowns have no
/// place in it.
struct KktLayout {
  explicit KktLayout(const Program& program);
  std::vector<int> place;   ///< of an unknown of the NLP; -1 when it is fixed
  std::vector<int> stages;  ///< free unknowns, then rows
  int num_free = 0, num_rows = 0;
};

}  // namespace liegrad::control
