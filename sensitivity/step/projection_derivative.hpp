#pragma once

#include <span>
#include <utility>
#include <vector>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/state.hpp"
#include "liegrad/sensitivity/step/derivative.hpp"
#include "liegrad/sensitivity/step/element_sum.hpp"
#include "liegrad/sensitivity/step/motion_layout.hpp"
#include "liegrad/sensitivity/step/stage_functions.hpp"

namespace liegrad::sensitivity {

/// Derivatives of the projection of a state (q̃, ṽ) onto the constraints, see dae::ConstraintProjection: of q and v in
///
///     N(x, ν, σ) = 0,   Φ(q) = 0,          q = q̃∘exp(x),
///     N(y, μ, τ) = 0,   dΦ/dt(q, v) = 0,   v = ṽ + y,
///
/// by the implicit function theorem at the solution, however that was found. N is the derivative of the equations of
/// motion and of h_s by v̇, λ and s, along its arguments, at q̃, ṽ and the v̇, λ and s that the projection read: (M Bᵀ) for
/// most systems. The matrices of both are those of N, with B T(x) and B at q as the rows of constraints.
///
/// Perturbations and gradients are those of motions as in MotionLayout, with columns side by side: before the projection,
/// and at the end, where v̇, λ and s are not among them. Nothing is allocated after the first of a kind.
class ProjectionDerivative {
 public:
  using Span = std::span<double>;
  using Const = std::span<const double>;

  ProjectionDerivative(const dae::Model& model, StageFunctions& kinematics);

  void set_parameters(Const parameters);
  /// Goes to the projection from one state to another. The assembly has the matrix of (19) at the end. Throws Error where
  /// the matrices are singular.
  void set(const dae::State& before, const dae::State& end, Const controls, dae::Assembly& at_end);

  /// Perturbations of the end, whose v̇, λ and s are zero.
  void tangent(int columns, Const before, Span end);
  /// Adds what gradients with respect to the end mean for the motion before. Those with respect to v̇, λ and s are not
  /// read; the others are changed.
  void adjoint(int columns, Span end, Span before);
  /// adjoint() of one column and its derivative along the direction of the last tangent(), from one motion to the other.
  /// Precondition: that had one column.
  void second(Const before_dot, Const end_dot, const Dual& end, const Dual& before);

 private:
  using Vector = std::vector<double>;

  /// One of the corrections (x, ν, σ) and (y, μ, τ).
  struct Correction {
    Correction(const dae::Model& model, int constraints);
    dae::Assembly assembly;  ///< with the matrix of its equations
    MotionPoint point;       ///< the motion before, with the correction as its rate
    int first_constraint;    ///< of its equations among (Φ, dΦ/dt)
    Vector tangent;          ///< of columns
  };
  /// Gradients, or their derivatives, of columns.
  struct Gradients {
    Vector of_x, of_y;            ///< with respect to the corrections, without the weights
    Vector chart;                 ///< with respect to the arguments of the chart
    Vector chart_values;          ///< with respect to its values: δ at the end
    Vector x_weights, y_weights;  ///< of N
    Vector constraint_weights;    ///< of (Φ, dΦ/dt)
  };

  void find_matrices(const dae::State& before, const dae::State& end, Const controls,
                     dae::Assembly& at_end);
  void set_correction(Const change, dae::Assembly& at_end, Correction& correction);
  /// Perturbations of q in the chart around it, from those of q̃ and, if there are any, of x.
  void find_chart_tangent(int columns, Const before, Const x, Span end);
  /// From perturbations of both motions, with the correction fixed.
  void find_tangent(int columns, Const before, Const end, Correction& correction);
  void clear(int columns, Gradients& gradients) const;
  /// The weights for which the gradient with respect to a correction vanishes, and what they add.
  void add_weights(int columns, Correction& correction, Vector& of_correction, Vector& weights,
                   Gradients& own, Span end, Span before);
  void pull_back(int columns, Gradients& own, Span end, Span before);
  void add_second(Const before_dot, const Correction& correction, const Vector& weights,
                  Vector& of_correction, Span before);

  const lie::GroupList& space_;
  MotionLayout layout_;
  EquationRows rows_;
  int dof_, multipliers_, algebraic_, unknowns_;
  StageFunctions& kinematics_;
  KernelSum normal_;       ///< N
  KernelSum constraints_;  ///< Φ and dΦ/dt
  Correction position_, velocity_;
  MotionPoint end_;
  std::vector<int> constraint_places_,
      other_places_;  ///< of the rows of constraints in a matrix, and of others
  std::vector<std::pair<int, int>>
      constraint_entries_;  ///< which entries these are: constraint and coordinate
  Vector chart_point_;      ///< x, and a velocity that nothing reads
  // Of columns side by side.
  Vector chart_columns_, chart_values_, direction_, row_columns_, constraint_columns_, gradient_;
  Gradients first_, second_;
};

}  // namespace liegrad::sensitivity
