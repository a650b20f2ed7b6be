#pragma once

#include <span>
#include <vector>

#include "liegrad/control/ipopt_run.hpp"
#include "liegrad/control/program.hpp"
#include "liegrad/control/solution.hpp"
#include "liegrad/control/transcription.hpp"

namespace liegrad::control {

/// ∇(f + yᵀg) of a program, without the multipliers of bounds, and the sum of the sizes of what was added.
struct LagrangianGradient {
  LagrangianGradient(Program& program, const Iterate& at);
  std::vector<double> values, sizes;
};

/// The switching functions of a solution and how its controls agree with them, see Certificate. The gradient is that of the
/// unknowns of the transcription.
void find_switching(const Transcription& transcription, const Solution& solution,
                    std::span<const double> gradient, std::span<const double> sizes,
                    Certificate& certificate);

}  // namespace liegrad::control
