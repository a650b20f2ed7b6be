#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "liegrad/dae/state.hpp"

namespace liegrad::dae {

/// What generalized-α remembers beside a state.
template <class Number>
struct AlphaMemory {
  std::span<Number> a;  ///< the acceleration-like variable, v̇(t + Δ_α h) nearly
  /// Δq of the step that led here: q = q_n∘exp(hΔq), or another map of an updated Lagrangian.
  std::span<Number> increment;
  std::span<Number> eta;  ///< stabilising multipliers of that step, of the stabilised formulation

  static AlphaMemory of(std::size_t dof, std::span<Number> memory) {
    return {memory.first(dof), memory.subspan(dof, dof), memory.subspan(2 * dof)};
  }
};

/// Precondition: the state is one of generalized-α.
inline AlphaMemory<double> alpha_memory(MethodState& state) {
  return AlphaMemory<double>::of(state.v.size(), state.memory);
}
inline AlphaMemory<const double> alpha_memory(const MethodState& state) {
  return AlphaMemory<const double>::of(state.v.size(), state.memory);
}

/// The state that starting values begin with: a = v̇, nothing else is remembered.
inline void begin_alpha(const State& initial, bool is_stabilized, MethodState& state) {
  state.begin(initial);
  const std::size_t dof = initial.v.size();
  state.memory.assign(2 * dof + (is_stabilized ? initial.lambda.size() : 0), 0.0);
  std::copy(initial.v_dot.begin(), initial.v_dot.end(), state.memory.begin());
}

}  // namespace liegrad::dae
