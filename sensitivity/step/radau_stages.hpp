#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/runge_kutta/radau_equations.hpp"
#include "liegrad/dae/runge_kutta/stabilizer_weights.hpp"
#include "liegrad/sensitivity/step/derivative.hpp"
#include "liegrad/sensitivity/step/element_sum.hpp"
#include "liegrad/sensitivity/step/outer_motion.hpp"
#include "liegrad/sensitivity/step/scaled_rows.hpp"

namespace liegrad::sensitivity {

/// Arguments of K, the node function of a step: δ_n, v_n, p_1 …, f_1 …, h. Its values are (δ, v, v̇) by stage.
struct RadauArguments {
  RadauArguments(int dof, int stages)
      : p(2 * dof), f((2 + stages) * dof), h((2 + 2 * stages) * dof), size(h + 1) {}
  int q = 0, p, f, h, size;
};

/// Derivatives of the stages of a Radau step by its start and by all else that it depends on.
///
/// With the relations K of the stages, the equations E of the elements and f_i = F(q_n, η_i) = W B(q_n)ᵀη_i, a step
/// solves
///
///     E(e_i, λ_i, s_i, outer) = 0,   (e_1, …) = K(q_n, v_n, p, f, h),   e_i = (q, v, v̇)_i
///
/// for p, λ, s and η of all stages. Its derivative by these is the matrix of Newton's iteration, in terms of
/// the corrections x_i = (w, hλ, hs, η)_i with dp = E(w - Nη), see RadauEquations.
class RadauStages {
 public:
  using Span = std::span<double>;
  using Const = std::span<const double>;

  RadauStages(const dae::Model& system, const dae::IntegrateOptions& options);
  RadauStages(const RadauStages&) = delete;
  RadauStages& operator=(const RadauStages&) = delete;

  /// The law must stay until the next call.
  void set_run(Const parameters, const dae::ControlLaw& controls);
  /// W, from the mass matrix of an assembly that has the parameters of the run.
  void set_weights(dae::Assembly& assembly);
  /// Goes to a step and factorises the matrix of its stages.
  void set_step(const StepMade& step);

  /// Perturbations of all stages; those of the last one, (δ, v, v̇), stand in last_stage().
  void tangent(int columns, Const start, Const outer);
  Const last_stage(int columns) const {
    return Entries(columns).of(Const(stage_columns_), 3 * (stages_ - 1) * dof_, 3 * dof_);
  }
  /// Adds what gradients with respect to the last stage mean for the start and for the rest.
  void adjoint(int columns, Const last, Span start, Span outer);
  /// adjoint() of one column and its derivative along the direction of the last tangent().
  /// Precondition: that had one column, and belongs to this step.
  void second(Const last, Const last_dot, const Dual& start, const Dual& outer);

 private:
  using Vector = std::vector<double>;

  void go_to(double t);
  void set_stage(int i, double t);

  // Numbers of one stage among those of all, of columns side by side.
  Span motion_of(int i, int columns, Vector& list) const {
    return Entries(columns).of(list, i * motion_.size, motion_.size);
  }
  Span rows_of(int i, int columns, Vector& list) const {
    return Entries(columns).of(list, i * rows_.size, rows_.size);
  }

  /// The weights of B(q_n)ᵀη_i, from those of f_i.
  Const force_weights(int i, int columns, Const step);
  void put_stage_outer(int i, int columns, Const outer, Span motion) const;
  void add_stage_outer(int i, int columns, Const motion, Span outer) const;
  void solve_for_weights(int columns, Const step, Const eta, Const motion);
  /// Adds what gradients with respect to the stages' motions mean for the arguments of a step.
  void pull_back(int columns, Vector& motions, Vector& step);
  void add_force_gradients(int columns, Const step, Vector& force);
  void distribute(int columns, Const step, Vector& motions, Const force, Span start,
                  Span outer) const;
  void find_gradients(int columns, Const last);
  void complete_direction();

  const dae::Model& system_;
  const dae::ControlLaw* law_ = nullptr;
  int stages_, dof_, multipliers_, algebraic_;
  dae::RadauCoefficients coefficients_;
  dae::Assembly assembly_;
  dae::RadauEquations equations_;
  MotionLayout motion_;
  StateLayout state_;
  OuterLayout outer_;
  OuterMotion outer_motion_;
  RadauArguments step_;
  EquationRows rows_;
  ScaledRows scaled_rows_;
  std::shared_ptr<KernelSum> kinematic_;  ///< K
  KernelSum elements_;                    ///< E
  std::optional<KernelSum> forces_;       ///< B(q)ᵀη
  std::optional<dae::StabilizerWeights> stabilizer_weights_;
  std::vector<MotionPoint> points_;  ///< of stages
  MotionPoint start_;
  Vector step_numbers_;
  double h_ = 0;

  // Of columns side by side.
  Vector step_columns_, increments_, stage_columns_, motion_columns_, force_columns_, force_values_,
      unknowns_, rates_, row_columns_, eta_gradients_;
  Vector stage_gradients_, step_gradients_, motion_gradients_, force_gradients_;
  // Of second derivatives.
  Vector step_dot_, motion_dot_, force_dot_, force_second_, eta_dot_, stage_weights_,
      force_direction_;
};

}  // namespace liegrad::sensitivity
