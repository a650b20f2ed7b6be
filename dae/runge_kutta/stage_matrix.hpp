#pragma once

#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"

namespace liegrad::dae {

/// The derivatives of the equations of ImplicitMuntheKaas by the rates (p_i, u_i) of all stages, which stand
/// one after the other: a matrix with the rows
///
///     T dp_i + D dθ_i - dv_i,   M du_i + D_v dv_i + K T dθ_i        (D x = d/dε T(θ_i + εx) p_i)
///
/// with M, D_v and K T from the element kernels, by Q = T and one coefficient at a time.
class StageMatrix {
 public:
  StageMatrix(const ButcherTableau& tableau, Assembly& assembly, bool has_constant_mass);

  /// To be called when parameters may have changed: M is evaluated anew.
  void start() { has_mass_ = false; }

  /// T at a stage, as the assembly's Q, and T p; with_matrix: also all that the matrix needs of it.
  void set_tangent(std::span<const double> theta, std::span<const double> p,
                   std::span<double> tangent_p, bool with_matrix);
  /// Evaluates the assembly at the stage that set_tangent() was called for with_matrix, and fills the rows of
  /// the stage; without forces D_v and K stay zero.
  void evaluate(int stage, double h, bool with_forces);
  LinearSolver& solver() { return solver_; }
  const LinearSolver& solver() const { return solver_; }

  /// Where T can have entries, whole blocks or a diagonal, and what it has at the last stage.
  const std::vector<std::pair<int, int>>& tangent_entries() const { return tangent_entries_; }
  const std::vector<double>& tangent() const { return tangent_; }

 private:
  /// f(row, column, value) for all entries in the rows of a stage.
  template <class F>
  void for_each_entry(int stage, double h, F&& f) const;
  SparsePattern pattern() const;
  void evaluate_part(const StepCoefficients& coefficients, std::vector<double>& values);

  Assembly& assembly_;
  Eigen::MatrixXd a_;
  int stages_, dof_;
  bool has_constant_mass_, has_mass_ = false;
  // At the current stage: T and D where tangent_entries_ says, the others in the pattern of the assembly.
  std::vector<std::pair<int, int>> tangent_entries_;
  std::vector<double> tangent_, derivative_, mass_, damping_, stiffness_;
  std::vector<int> assembly_positions_;
  LinearSolver solver_;
  std::vector<std::vector<int>> positions_;  ///< of the entries of a stage
};

}  // namespace liegrad::dae
