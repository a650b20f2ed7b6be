#pragma once

#include <Eigen/Core>

namespace liegrad::optimize {

/// Below this part of the largest singular value a direction is not determined: derivatives are exact to about
/// 1e-11, and nobody measures to more digits.
constexpr double kRankTolerance = 1e-8;

/// Orthonormal directions of unknowns: those that a Jacobian determines, and the others.
struct Directions {
  Eigen::MatrixXd determined;  ///< columns, by falling effect
  Eigen::VectorXd effects;     ///< their singular values
  Eigen::MatrixXd undetermined;
};

/// Directions of a Jacobian with at least as many rows as columns.
Directions directions_of(const Eigen::MatrixXd& jacobian);

}  // namespace liegrad::optimize
