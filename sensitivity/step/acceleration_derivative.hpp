#pragma once

#include <optional>
#include <span>
#include <vector>

#include "liegrad/dae/start/acceleration_solver.hpp"
#include "liegrad/dae/state.hpp"
#include "liegrad/sensitivity/step/element_sum.hpp"
#include "liegrad/sensitivity/step/motion_layout.hpp"

namespace liegrad::sensitivity {

/// Derivatives of v̇, λ and s as functions of q, v, parameters, controls and time, by (19), [ArnoldCardonaBruels2015].
///
/// Perturbations and gradients stand as in MotionLayout, with columns side by side. Nothing is allocated after the first
/// of a kind.
class AccelerationDerivative {
 public:
  /// What several of them share: to be made once.
  struct Equations {
    explicit Equations(const dae::Model& model);
    KernelSum motion;
    std::optional<KernelSum> constraints;  ///< d²Φ/dt²
    bool are_linear;  ///< in v̇, λ and s: their matrix does not depend on these
  };

  AccelerationDerivative(const dae::Model& model, dae::LinearSolverKind solver)
      : AccelerationDerivative(model, solver, Equations(model)) {}
  AccelerationDerivative(const dae::Model& model, dae::LinearSolverKind solver,
                         Equations equations);

  void set_parameters(std::span<const double> parameters);
  /// With the matrix of (19).
  dae::Assembly& assembly() { return solver_.assembly(); }
  /// Goes to a state that satisfies the equations. Throws Error where their matrix is singular.
  void set(const dae::State& state, std::span<const double> controls);
  /// Finds v̇, λ and s of a state, which holds a guess, and goes there. Throws Error where that cannot be done; the step
  /// to t_end is the one that has no derivative then.
  void solve(dae::State& state, std::span<const double> controls, double t_end);

  /// Completes perturbations, whose v̇, λ and s are zero.
  void tangent(int columns, std::span<double> motion);
  /// Carries gradients with respect to v̇, λ and s over to the others, to which they are added.
  void adjoint(int columns, std::span<double> gradient);
  /// The same of one column with its derivative along a direction that tangent() has completed.
  void second(std::span<const double> direction, std::span<double> gradient,
              std::span<double> gradient_dot);

 private:
  /// The weights of the equations, in row_weights_ and constraint_weights_, that belong to a gradient.
  void find_weights(int columns, std::span<const double> gradient);
  void add_adjoint(int columns, std::span<double> gradient);

  MotionLayout layout_;
  EquationRows rows_;
  int dof_, multipliers_, algebraic_;
  dae::AccelerationSolver solver_;
  Equations equations_;
  MotionPoint point_;
  std::vector<double> unknowns_, row_weights_, constraint_weights_;
};

}  // namespace liegrad::sensitivity
