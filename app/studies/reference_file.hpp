#pragma once

#include <span>
#include <string>

#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system/system.hpp"
#include "studies/reference_states.hpp"

namespace liegrad::app {

/// q, v and λ from a table as `simulate --out` writes it, in its rows at the given times, which increase and
/// are the same within a tolerance. `needed` are those without which the file is refused.
///
/// The table must be of the system: of its outputs, and with the numbers that the system with these parameters
/// gives for them. So the energy of another mass is noticed, in each row, and what another force does to the
/// accelerations at the start, `initial`.
///
/// Throws InvalidArgument: a file that cannot be read, a column or a time that is missing, a cell that is not a
/// finite number, a quaternion that is not of unit length, another system or other parameters.
ReferenceStates read_reference(const std::string& file, const dae::System& system,
                               const dae::State& initial, std::span<const double> times,
                               std::span<const double> needed, double tolerance);

}  // namespace liegrad::app
