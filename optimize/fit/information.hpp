#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

namespace liegrad::optimize {

/// What the residuals of one trial, divided by their noise, say of the unknowns.
struct WeightedJacobian {
  std::vector<int> columns;  ///< global places of its columns
  Eigen::MatrixXd jacobian;
};

/// The covariance (JᵀJ)⁻¹ of unknowns, where data determine them.
///
/// J is reduced trial by trial to its triangular factors, which lose nothing, its columns are scaled to unit length,
/// and the singular values decide what is determined: a direction below 1e-8 of the largest is not.
///
/// With nodes of multiple shooting, directions are those that keep all pieces continuous, and the covariance is that of
/// unknowns and nodes together.
struct Information {
  Eigen::MatrixXd covariance;  ///< its part in the directions that are determined
  Eigen::MatrixXd factor;      ///< F with covariance = F Fᵀ, unknowns × directions
  std::vector<std::vector<Eigen::MatrixXd>> node_factors = {};  ///< the same, by trial and node
  Eigen::MatrixXd
      undetermined;  ///< columns: directions of unknowns without effect, an orthonormal basis in scaled
                     ///< unknowns
  Eigen::VectorXd scale;    ///< lengths of the columns of J; 0 where an unknown has no effect
  Eigen::VectorXd effects;  ///< singular values of the scaled J by direction, falling

  /// Of the scaled J in the directions that are determined.
  double condition() const {
    return effects.size() > 0 ? effects(0) / effects(effects.size() - 1) : 0;
  }

  bool is_determined(int unknown) const;
  /// Infinite where the unknown is not determined.
  double std(int unknown) const;
  int rank() const { return static_cast<int>(scale.size() - undetermined.cols()); }
};

Information information_of(int num_unknowns, const std::vector<WeightedJacobian>& trials);

/// Sentences about unknowns that data do not determine: "top.m and gravity3 only as a product".
struct Undetermined {
  std::string sentence;
  std::vector<std::string> names;
};
std::vector<Undetermined> undetermined_combinations(const Information& information,
                                                    const std::vector<std::string>& names,
                                                    const Eigen::VectorXd& values);

/// Correlations from a covariance; 0 with an unknown that is not determined.
Eigen::MatrixXd correlation_of(const Information& information);

}  // namespace liegrad::optimize
