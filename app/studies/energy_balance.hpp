#pragma once

#include "liegrad/dae/integrate.hpp"

namespace liegrad::app {

/// Whether the equations of motion keep the energy of a system: dE/dt is zero at the initial configuration, for a
/// velocity that is arbitrary but for the constraints, at the start, in the middle and at the end of the run. Forces
/// without energy, dampers, and constraints that move do work then. False where no energy is defined.
bool keeps_energy(const dae::System& system, const dae::IntegrateOptions& options);

}  // namespace liegrad::app
