#pragma once

#include <functional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/runge_kutta/stage_matrix.hpp"
#include "liegrad/dae/state.hpp"
#include "liegrad/sensitivity/step/columns.hpp"

namespace liegrad::sensitivity {

/// The stages of an implicit tableau: their rates (p_i, u_i), one after the other, and the matrix of the
/// equations
///
///     T(θ_i) p_i - v_i = 0,   M u_i + g = 0,
///
/// which is that of ImplicitMuntheKaas.
class CoupledStages {
 public:
  CoupledStages(const dae::ButcherTableau& tableau, dae::Assembly& assembly, bool has_constant_mass,
                int max_iterations);

  /// Forgets the mass matrix, after a change of parameters.
  void start() { matrix_.start(); }
  /// Finds the rates of a step and factorises the matrix there; go_to_stage sets time and controls. Throws
  /// Error where that cannot be done.
  void find(const dae::State& start, double h, const std::function<void(int stage)>& go_to_stage);
  const Eigen::VectorXd& rates() const { return rates_; }

  /// In place, in the rows that the rates have: those of p_i - T⁻¹v_i and of M u_i + g become changes of the
  /// rates that have them.
  void solve(Matrix& columns);
  /// The transposed of that.
  void solve_transposed(Matrix& columns);

 private:
  using GoToStage = std::function<void(int stage)>;

  auto rate(int stage) { return rates_.segment(2 * dof_ * stage, 2 * dof_); }
  void linearize(const dae::State& start, const GoToStage& go_to_stage);
  double correct(const dae::State& start, const GoToStage& go_to_stage);
  void evaluate(const dae::State& start, int stage);
  void apply_tangents(Matrix& rates, bool transposed);
  std::span<double> rows_of_stages(Matrix& columns) const;

  dae::ButcherTableau tableau_;
  dae::Assembly& assembly_;
  int max_iterations_, stages_, dof_;
  dae::StageMatrix matrix_;
  double h_ = 0;
  Eigen::VectorXd rates_, residual_, point_;
  Matrix product_;
  std::vector<double> q_;
  std::vector<std::vector<double>> tangents_;  ///< the entries of T by stage
};

}  // namespace liegrad::sensitivity
