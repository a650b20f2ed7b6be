#pragma once

#include <algorithm>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/state.hpp"

namespace liegrad::dae {

/// Makes a state the point at which an assembly is evaluated, with corrections that are perturbations themselves; time
/// and controls stay.
inline void place_state(const State& state, Assembly& assembly) {
  assembly.set_configuration(state.q);
  assembly.set_velocity(state.v);
  assembly.set_acceleration(state.v_dot);
  std::ranges::copy(state.lambda, assembly.multipliers().begin());
  std::ranges::copy(state.s, assembly.algebraic().begin());
  assembly.set_identity_maps();
}

}  // namespace liegrad::dae
