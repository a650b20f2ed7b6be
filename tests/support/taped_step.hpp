#pragma once

#include <span>
#include <vector>

#include "liegrad/ad/recording.hpp"
#include "liegrad/dae/equations/formulation.hpp"
#include "liegrad/dae/equations/step_equations.hpp"
#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/model.hpp"

namespace liegrad::testing {

using ad::Taped;

/// The equations of one step as recorded scalars: the same statements that Newton's iteration solves by
/// kernels (step_equations.hpp and the elements), evaluated directly.
struct TapedStep {
  Taped h, t_end;
  dae::StepEnd<Taped> start;
  std::vector<Taped> parameters, controls;
  // The unknowns.
  std::vector<Taped> delta_q, lambda, s, eta;

  /// h(M v̇ + g + Bᵀλ), the constraints (Φ/h, or dΦ/dt for index 2), h h_s, and dΦ/dt when stabilised:
  /// the rows of Assembly. `end` receives the motion at the end of the step.
  std::vector<Taped> residual(const dae::Model& system, dae::Formulation formulation,
                              const dae::AlphaMethod& method, dae::StepEnd<Taped>& end) const;
};

}  // namespace liegrad::testing
