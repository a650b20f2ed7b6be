#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "liegrad/dae/linear/mass_solver.hpp"
#include "liegrad/dae/run/stepper.hpp"
#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"
#include "liegrad/dae/runge_kutta/stage_matrix.hpp"

namespace liegrad::dae {

/// The methods of munthe_kaas.hpp with any tableau.
///
/// Unknowns are p_i = θ' and u_i = v̇ of all stages; with θ_i = h Σ_j a_ij p_j and
/// v_i = v_n + h Σ_j a_ij u_j their equations are
///
///     T(θ_i) p_i - v_i = 0,   M(q_i) u_i + g(q_i, v_i) = 0,   q_i = q_n∘exp(θ_i),
///
/// so that neither T⁻¹ nor its derivative is needed; Newton's matrix is a StageMatrix. Corrections are taken
/// in full: a step that does not converge, or turns a node by more than π, is for the caller to halve.
class ImplicitMuntheKaas final : public Stepper {
 public:
  ImplicitMuntheKaas(const Model& system, const ButcherTableau& tableau,
                     const NewtonOptions& options);

  void set_parameters(std::span<const double> parameters) override {
    assembly_.set_parameters(parameters);
  }
  void start(const State& initial, double h) override;
  const StepReport& step(double h, double t_end) override;
  void accept() override { std::swap(current, upcoming); }
  double error(const ErrorNorm& norm) override;
  int error_exponent() const override;
  LinearSolverKind solver() const override { return matrix_.solver().kind(); }
  Assembly& assembly() override { return assembly_; }

 private:
  double* p(int stage) { return unknowns_.data() + 2 * stage * dof_; }
  double* u(int stage) { return p(stage) + dof_; }
  /// θ and v of a stage or, with the weights b, of the end.
  template <class Weights>
  void combine(const Weights& weights, double* theta, double* v) const;
  /// Fills a stage's part of the residual, and with_matrix its rows of the matrix.
  void evaluate_stage(int stage, bool with_matrix);
  /// Stages of constant acceleration, or of rest where these turn too far.
  void guess();
  /// A node that some stage, or the end, turns by more than an angle.
  std::optional<int> turned_beyond(double angle);
  void set_scales();
  double size_of_correction() const;
  bool solve_stages();
  bool finish(double t_end);
  bool fail(NewtonFailure failure, const std::string& message);

  const lie::GroupList& space_;
  ButcherTableau tableau_;
  NewtonOptions options_;
  int stages_, dof_;
  bool ends_with_last_stage_;
  Assembly assembly_;
  MassSolver mass_;
  StageMatrix matrix_;
  double h_ = 0;
  std::vector<double> unknowns_, residual_;  // (p_i, u_i), stage after stage
  std::vector<double> theta_, v_, tangent_p_, error_;
  std::vector<std::vector<double>> start_view_;
  bool has_matrix_ = false;
  double matrix_step_ = 0, rate_ = 1, curvature_ = -1;
  std::vector<bool> is_angle_;
  double angle_scale_ = 1, length_scale_ = 1;
};

}  // namespace liegrad::dae
