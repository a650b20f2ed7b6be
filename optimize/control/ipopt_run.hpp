#pragma once

#include <vector>

#include "liegrad/control/nlp.hpp"
#include "liegrad/control/solve.hpp"

namespace liegrad::control {

/// Where IPOPT begins, and where it ends.
struct Iterate {
  std::vector<double> x = {}, multipliers = {}, lower_multipliers = {}, upper_multipliers = {};
  bool has_multipliers = false;
  bool is_near = false;  ///< a solution is near: bounds are not to be left for it
};

/// Whether elimination in time factorises IPOPT's matrices.
bool uses_blocks(const SolveOptions& options);

/// Runs IPOPT from an iterate, replaces it by the last one and adds to the solution what was seen on the way. A large turn
/// of a δ_n ends the run, so that the reference can be moved.
void run_ipopt(const Transcription& transcription, Program& program, const SolveOptions& options,
               Iterate& iterate, Solution& solution, bool& turned_too_far);

}  // namespace liegrad::control
