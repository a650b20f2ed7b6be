#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/state.hpp"

namespace liegrad::dae {

// Newton's corrections of v̇, λ and s by (19), [ArnoldCardonaBruels2015].

/// What is left of M v̇ + g + Bᵀλ, d²Φ/dt² and h_s where the assembly was evaluated. `constraints` has room for a number of
/// each constraint.
inline void acceleration_residual(Assembly& assembly, std::span<double> constraints,
                                  std::span<double> residual) {
  std::ranges::copy(assembly.residual(), residual.begin());
  assembly.constraint_accelerations(constraints);
  std::ranges::copy(constraints, residual.begin() + assembly.multiplier_offset());
}

inline void subtract_correction(std::span<const double> correction, State& state) {
  auto from = correction.begin();
  for (std::vector<double>* list : {&state.v_dot, &state.lambda, &state.s}) {
    for (double& entry : *list) entry -= *from++;
  }
}

}  // namespace liegrad::dae
