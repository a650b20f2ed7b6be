#pragma once

#include <vector>

namespace liegrad::dae {

/// A system at one time.
struct State {
  double t = 0;
  std::vector<double> q;       ///< coefficients of the configuration
  std::vector<double> v;       ///< velocity
  std::vector<double> v_dot;   ///< acceleration
  std::vector<double> lambda;  ///< multipliers
  std::vector<double> s;       ///< algebraic states
};

/// A state at the end of a step, with what its method remembers beside it: all that the next step depends on. What
/// stands where in the memory is known to the method alone, see alpha_memory() and Radau.
struct MethodState : State {
  double step = 0;  ///< length of the step that led here, 0 at the start
  std::vector<double> memory;

  /// A run begins here.
  void begin(const State& initial) {
    static_cast<State&>(*this) = initial;
    step = 0;
    memory.clear();
  }
};

}  // namespace liegrad::dae
