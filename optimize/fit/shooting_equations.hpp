#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "liegrad/optimize/fit/engine.hpp"

namespace liegrad::optimize {

/// The linearised problem of multiple shooting: min ½|r + J d|² subject to C d + c = 0, d = (δx, y).
///
/// A node has coordinates y = Zᵀδ of its perturbation δ, where Z spans the directions that have an effect: those along
/// M⁻¹Bᵀ, which lead off the constraints, have none. Continuity is Zᵀ(A δ_k + B δx + gap) = y_{k+1}.
class ShootingEquations {
 public:
  /// From residuals over noise and the continuity in the last evaluation with derivatives. Priors are rows of their own;
  /// without x they have no residuals.
  ShootingEquations(const FitEngine& engine, const std::vector<TrialResiduals>& weighted,
                    const Eigen::VectorXd* x);

  /// Steps are then those of coordinates that keep inertia physically possible, at these unknowns.
  void change_columns(const AdmissibleInertia& admissible, const Eigen::VectorXd& x) {
    admissible.change_columns(x, jacobian_);
    admissible.change_columns(x, conditions_);
  }

  const Eigen::VectorXd& residuals() const { return residuals_; }
  const Eigen::MatrixXd& jacobian() const { return jacobian_; }
  /// The sum of gaps of a trial, here or at another point, in standard deviations of the samples that they move.
  double violation_of(int trial, const std::vector<Continuity>& continuity) const;
  /// The perturbation of the node of a piece, from d.
  Eigen::VectorXd node_step(int trial, int piece, const Eigen::VectorXd& d) const;
  Eigen::MatrixXd node_rows(int trial, int piece, const Eigen::MatrixXd& of) const;

  /// Directions along the linearised conditions, in columns scaled to unit effect; `held` entries of x stay.
  struct Reduced {
    std::vector<int> free;       ///< entries of d
    Eigen::VectorXd scale;       ///< of these
    Eigen::MatrixXd null_space;  ///< free × directions, orthonormal
    Eigen::VectorXd particular;  ///< C d + c = 0 with the least length
    Eigen::MatrixXd jacobian;    ///< rows × directions
  };
  Reduced reduced(const std::vector<int>& held) const;
  /// The step, with `damping` of directions in units of their effect.
  Eigen::VectorXd step(const std::vector<int>& held, double damping) const;
  /// Of x alone: lengths of the columns of J, or of C where J has none.
  Eigen::VectorXd effects() const;

 private:
  struct Node {
    int first, size;
    Eigen::MatrixXd basis;
  };

  void add_conditions(const FitEngine& engine, int trial);

  int num_unknowns_, size_ = 0;
  std::vector<std::vector<Node>> nodes_;
  Eigen::VectorXd residuals_, gaps_;
  Eigen::MatrixXd jacobian_, conditions_;
};

}  // namespace liegrad::optimize
