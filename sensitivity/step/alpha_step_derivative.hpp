#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "liegrad/dae/alpha/generalized_alpha.hpp"
#include "liegrad/dae/equations/kinematics.hpp"
#include "liegrad/sensitivity/step/alpha_step_function.hpp"
#include "liegrad/sensitivity/step/correction_map.hpp"
#include "liegrad/sensitivity/step/derivative.hpp"
#include "liegrad/sensitivity/step/element_sum.hpp"
#include "liegrad/sensitivity/step/outer_motion.hpp"
#include "liegrad/sensitivity/step/scaled_rows.hpp"

namespace liegrad::sensitivity {

/// Derivatives of generalized-α steps. With the relations K of alpha_step_function.hpp, the equations E of the
/// elements and f = F(q_n, η) = B(q_n)ᵀη when stabilised, a step solves
///
///     E(e, λ, s, outer) = 0,   (e, a) = K(s_n, Δq, f, h),   e = (q, v, v̇)_{n+1}
///
/// for z = (Δq, λ, s, η). Its derivative by z is the matrix of Newton's iteration, in terms of the
/// corrections x = (w, hλ, hs, η') with dΔq = A(w - Nη'), see Kinematics.
class AlphaStepDerivative final : public StepDerivative {
 public:
  AlphaStepDerivative(const dae::Model& system, const dae::AlphaOptions& options);

  void set_run(std::span<const double> parameters, const dae::ControlLaw& controls) override;
  void set_step(const StepMade& step) override;
  void tangent(int columns, std::span<const double> start, std::span<const double> outer,
               std::span<double> end) override;
  void adjoint(int columns, std::span<const double> end, std::span<double> start,
               std::span<double> outer) override;
  void second(std::span<const double> start_dot, std::span<const double> outer_dot, const Dual& end,
              const Dual& start, const Dual& outer) override;

 private:
  using Span = std::span<double>;
  using Const = std::span<const double>;

  void factorize(double t_end);
  void set_end(const StepMade& step);
  void apply_increment_map(int columns, Span x, bool transposed);
  /// Tangents of the end, and those of all arguments but the unknowns in step_columns_, motion_columns_ and
  /// force_arguments_; those of the unknowns are added by find_increments(), in increments_ and eta_arguments_.
  void find_tangents(int columns, Const start, Const outer, Span end);
  void find_increments(int columns);
  /// Adds B(q_n)ᵀη of perturbed arguments to the arguments of steps.
  void add_forces(int columns, Const arguments, std::vector<double>& steps);
  void set_increment_gradient(int columns, Const step_gradient, Const eta_gradient);
  void set_end_gradient(int columns, Const end);
  /// The weights of the rows of E that make gradients with respect to the unknowns vanish. Precondition: those with respect
  /// to the increment and to η are set.
  void solve_for_weights(int columns, Const multiplier_gradient, Const algebraic_gradient,
                         Span weights);
  /// Leaves weights of E in row_columns_, of K in end_weights_ and of F in forces_of_columns_, and gradients with respect
  /// to all arguments in step_gradients_, motion_gradients_ and force_gradients_.
  void find_gradients(int columns, Const end);
  void find_force_gradients(int columns);
  void find_force_dot();
  /// Adds gradients with respect to all arguments to those of the start and of the rest.
  void distribute(int columns, Const step, Const motion, Const force, Span start, Span outer) const;

  const dae::Model& system_;
  bool stabilized_, has_identity_map_;
  MotionLayout motion_;
  StateLayout state_;
  OuterLayout outer_;
  StepArguments step_;
  EquationRows rows_;
  int dof_;
  dae::Assembly assembly_;
  ScaledRows scaled_rows_;
  OuterMotion outer_motion_;
  std::unique_ptr<dae::Kinematics> kinematics_;
  KernelSum elements_;                    ///< E
  std::shared_ptr<KernelSum> kinematic_;  ///< K
  std::optional<KernelSum> forces_;       ///< F, when stabilised
  MotionPoint end_, start_;
  StepPoint step_point_;
  std::optional<CorrectionMap> corrections_;  ///< of Lie-group methods
  dae::MethodState start_state_;
  double h_ = 0;

  // Of columns side by side.
  std::vector<double> unknowns_, column_;
  std::vector<double> step_columns_, increments_, motion_columns_, row_columns_, moved_;
  std::vector<double> force_arguments_, eta_arguments_, forces_of_columns_;
  std::vector<double> step_gradients_, motion_gradients_, force_gradients_, end_weights_;
  // Of second derivatives.
  std::vector<double> end_direction_, step_dot_, motion_dot_, multiplier_dot_;
  std::vector<double> force_second_, force_dot_;
};

}  // namespace liegrad::sensitivity
