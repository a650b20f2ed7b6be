#pragma once

#include <array>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "liegrad/optimize/fit/unknowns.hpp"

namespace liegrad::optimize {

/// Coordinates in which the mass and the principal inertias of a body can have any values and are physically
/// possible: the logarithms of the Cholesky factor of its pseudo-inertia [RuckerWensing2022], which for principal
/// axes is diagonal,
///
///     m = exp(2 d_0),   σ_i = exp(2 d_i),   J_i = σ_j + σ_k,
///
/// so that m > 0 and J_i < J_j + J_k. Vectors begin with the unknowns that all trials share.
class AdmissibleInertia {
 public:
  /// Throws InvalidArgument for bodies whose m, J1, J2 and J3 are not all free, that have bounds or that start
  /// outside.
  AdmissibleInertia(const FitProblem& problem, const Unknowns& unknowns);

  bool is_empty() const { return bodies_.empty(); }
  /// Where the search stops: at a part of 1e-9 of the start, which is the limit J_i = J_j + J_k for what data can tell.
  void set_lower(Eigen::VectorXd& lower) const;
  /// Bodies that these unknowns have there.
  std::vector<std::string> at_limit(const Eigen::VectorXd& x) const;
  /// From unknowns to coordinates and back; other entries stay.
  void to_coordinates(Eigen::VectorXd& x) const;
  void to_unknowns(Eigen::VectorXd& coordinates) const;
  /// Replaces derivatives by unknowns by those by coordinates, at these unknowns.
  void change_columns(const Eigen::VectorXd& unknowns, Eigen::MatrixXd& jacobian) const;

 private:
  std::vector<std::array<int, 4>> bodies_;     ///< places of m, J1, J2, J3
  std::vector<std::array<double, 4>> lowest_;  ///< coordinates
  std::vector<std::string> names_;
};

}  // namespace liegrad::optimize
