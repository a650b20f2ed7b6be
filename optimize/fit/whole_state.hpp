#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/system/model.hpp"

namespace liegrad::optimize {

/// Reads configuration and velocity of a system from its outputs, and their perturbations from derivatives of these.
///
/// A perturbed state is q∘exp(δ), v + w; δ and w of all nodes stand in one vector, δ first.
class WholeState {
 public:
  explicit WholeState(const dae::Model& model);

  /// Outputs that hold the state, in the order in which values are expected.
  const std::vector<std::string>& columns() const { return columns_; }
  /// Of a perturbation: twice the degrees of freedom of all nodes.
  int size() const { return 2 * dof_; }

  dae::InitialValues state(const Eigen::VectorXd& values) const;
  /// Perturbations of that state for each column of derivatives of the values.
  Eigen::MatrixXd perturbations(const Eigen::VectorXd& values,
                                const Eigen::MatrixXd& derivatives) const;
  /// The state q∘exp(δ), v + w.
  dae::InitialValues moved(const dae::InitialValues& state, const Eigen::VectorXd& by) const;
  /// The perturbation that leads from one state to another.
  Eigen::VectorXd difference(const dae::InitialValues& from, const dae::InitialValues& to) const;

 private:
  struct Node {
    lie::NodeGroup group;
    bool is_first_order;
    int value, coefficient, dof;  ///< where its values, coefficients and degrees of freedom begin
  };

  lie::GroupList space_;
  dae::InitialValues default_;
  std::vector<Node> nodes_;
  std::vector<std::string> columns_;
  int dof_ = 0;
};

}  // namespace liegrad::optimize
