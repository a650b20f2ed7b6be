#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "liegrad/dae/butcher_tableau.hpp"
#include "liegrad/dae/mass_solver.hpp"
#include "liegrad/dae/stepper.hpp"

namespace liegrad::dae {

/// The methods of munthe_kaas.hpp with any tableau.
///
/// Unknowns are p_i = θ' and u_i = v̇ of all stages; with θ_i = h Σ_j a_ij p_j and
/// v_i = v_n + h Σ_j a_ij u_j their equations are
///
///     T(θ_i) p_i - v_i = 0,   M(q_i) u_i + g(q_i, v_i) = 0,   q_i = q_n∘exp(θ_i),
///
/// so that neither T⁻¹ nor its derivative is needed, and Newton's matrix has the rows
///
///     T dp_i + D dθ_i - dv_i,   M du_i + D_v dv_i + K T dθ_i        (D x = d/dε T(θ_i + εx) p_i)
///
/// with M, D_v and K T from the element kernels, by Q = T and one coefficient at a time. Corrections
/// are taken in full: a step that does not converge is for the caller to halve.
class ImplicitMuntheKaas final : public Stepper {
 public:
  ImplicitMuntheKaas(const System& system, const ButcherTableau& tableau,
                     const NewtonOptions& options);

  void start(const State& initial, double h) override;
  const StepReport& step(double h, double t_end) override;
  void accept() override { std::swap(current, upcoming); }
  double error(const ErrorTolerance& tolerance) const override;
  int error_exponent() const override;
  LinearSolverKind solver() const override { return matrix_->kind(); }
  Assembly& assembly() override { return assembly_; }

 private:
  using Entries = std::vector<std::pair<int, int>>;

  double* p(int stage) { return unknowns_.data() + 2 * stage * dof_; }
  double* u(int stage) { return p(stage) + dof_; }
  bool couples(int i, int j) const { return i == j || tableau_.a(i, j) != 0; }
  void make_matrix();
  /// θ and v of a stage or, with the weights b, of the end.
  template <class Weights>
  void combine(const Weights& weights, double* theta, double* v) const;
  /// Nodes at stage i, T and D; fills its part of the residual.
  void evaluate_stage(int stage, bool with_matrix);
  void evaluate_matrices();
  void add_to_matrix(int stage);
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
  double h_ = 0;
  std::vector<double> unknowns_, residual_;  // (p_i, u_i), stage after stage
  std::vector<double> theta_, v_, tangent_p_;
  std::vector<std::vector<double>> start_view_;

  // Entries that T and D, and M, D_v and K T, can have, and their values at the current stage.
  Entries node_entries_;
  std::vector<double> tangent_, derivative_;
  std::vector<int> assembly_position_;
  std::vector<double> mass_matrix_, damping_, stiffness_;
  bool has_mass_matrix_ = false;
  /// Where they stand in Newton's matrix, for a pair of stages one after the other.
  struct Positions {
    int i, j;
    std::vector<int> p_of_kinematics, u_of_kinematics, p_of_motion, u_of_motion;
  };
  std::vector<Positions> positions_;
  std::optional<LinearSolver> matrix_;
  bool has_matrix_ = false;
  double matrix_step_ = 0, rate_ = 1, curvature_ = -1;
  std::vector<bool> is_angle_;
  double angle_scale_ = 1, length_scale_ = 1;
};

}  // namespace liegrad::dae
