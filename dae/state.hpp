#pragma once

#include <vector>

namespace liegrad::dae {

/// A system at one time.
struct State {
  double t = 0;
  std::vector<double> q;       ///< coefficients of the configuration
  std::vector<double> v;       ///< velocity
  std::vector<double> v_dot;   ///< acceleration
  std::vector<double> a;       ///< the method's acceleration-like variable, v̇(t + Δ_α h) nearly
  std::vector<double> lambda;  ///< multipliers
  std::vector<double> s;       ///< algebraic states
  std::vector<double> eta;     ///< stabilising multipliers of the step that led here
  double step = 0;             ///< length of the step that led here, 0 at the start
  /// Δq of the generalized-α step that led here: q = q_n∘exp(hΔq), or another map of an updated Lagrangian. Of a Radau
  /// step the unknowns of all stages, if they are kept.
  std::vector<double> increment;
};

}  // namespace liegrad::dae
