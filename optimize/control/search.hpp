#pragma once

#include "liegrad/control/ipopt_run.hpp"

namespace liegrad::control {

/// Runs IPOPT about a reference that is moved until it can stay, and once more with MUMPS where elimination in time fails
/// and the choice was left open. The record says how it ended and what was chosen.
Iterate search(Program& program, const SolveOptions& options, const StopRequest& stop,
               const Iterate& from, Record& record);

}  // namespace liegrad::control
