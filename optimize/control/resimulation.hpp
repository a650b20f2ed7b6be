#pragma once

#include "liegrad/control/solution.hpp"
#include "liegrad/control/stop_request.hpp"
#include "liegrad/control/transcription.hpp"

namespace liegrad::control {

/// Runs the integrator with the controls of a solution, linear between grid points, and a step that is a quarter of the
/// grid's, in index 2 where the formulation of the solution does not run at that step; says how far from the end of the solution it ends, and by how much its cost differs.
void resimulate(const Transcription& transcription, const Solution& solution,
                const StopRequest& stop, Certificate& certificate);

}  // namespace liegrad::control
