#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "liegrad/optimize/fit/initial_coordinates.hpp"

namespace liegrad::optimize {

/// Initial values of a run from their coordinates, and derivatives by these from those by perturbations of the run's
/// start. One object belongs to one thread at a time.
class InitialChart {
 public:
  InitialChart(const dae::System& system, const InitialCoordinates& coordinates,
               dae::ConsistencyOptions options, dae::LinearSolverKind solver);

  /// On the constraints, for values in the order of InitialCoordinates::names(). Throws Error where there are none.
  const dae::InitialValues& state(std::span<const double> values, double t,
                                  std::span<const double> parameters);

  /// Perturbations of the start that derivatives are wanted for, as sensitivity::Variables::single.
  const std::vector<std::string>& variables() const { return variables_; }
  /// Whether the perturbation of the start itself, of WholeState, is wanted by parameters and variables.
  bool needs_start() const { return coordinates_.has_constraints_; }
  /// From derivatives by parameters and variables() to those by parameters and coordinates at the last state().
  /// `start` are derivatives of the start itself by the same, where they are needed.
  void change_columns(const Eigen::MatrixXd& start, int num_parameters,
                      const Eigen::MatrixXd& jacobian, Eigen::MatrixXd& result) const;

 private:
  struct Variable {
    int dof = 0;
    bool is_velocity = false;
  };

  void set_free(std::span<const double> values);
  void follow_constraints(double t, std::span<const double> parameters);

  dae::System system_;
  InitialCoordinates coordinates_;
  lie::GroupList space_;
  std::unique_ptr<dae::Consistency> consistency_;
  std::vector<Variable> list_;
  std::vector<std::string> variables_;
  std::vector<int> places_;  ///< of the coordinates among the variables
  Eigen::VectorXd logarithm_;
  dae::InitialValues state_;
};

}  // namespace liegrad::optimize
