#pragma once

#include "liegrad/dae/integrate.hpp"

namespace liegrad::sensitivity {

/// The same run with every step solved to rounding, from whatever guess and with whatever matrices. The derivative
/// is that of the solution, and where a tolerance of Newton's is left over its own dependence on the guess is seen:
/// by a second run from a checkpoint, by differences, and over many steps by the derivative itself.
dae::IntegrateOptions with_full_convergence(const dae::IntegrateOptions& options);

}  // namespace liegrad::sensitivity
