#pragma once

#include <span>
#include <vector>

#include "liegrad/sensitivity/observe/objective_reader.hpp"
#include "liegrad/sensitivity/trajectory/trajectory.hpp"
#include "liegrad/sensitivity/trajectory/variable_space.hpp"

namespace liegrad::sensitivity {

/// Sweeps through the steps of a trajectory that find derivatives of an objective by all that a trajectory depends on,
/// see VariableSpace. Results stay until the next sweep of their kind; a second sweep of as many columns and steps
/// allocates nothing.
class Sweeps {
 public:
  Sweeps(Trajectory& trajectory, ObjectiveReader& reader, const VariableSpace& space,
         int num_values)
      : trajectory_(trajectory), reader_(reader), space_(space), num_values_(num_values) {}

  /// Derivatives of the values along directions, columns side by side.
  const std::vector<double>& forward(int columns, std::span<const double> directions);
  /// Gradients of sums of the values with weights, columns side by side.
  const std::vector<double>& backward(int columns, std::span<const double> weights);

  struct Second {
    std::span<const double> gradient, product;
  };
  /// The gradient of the sum of the values with weights, and the product of its Hessian with a direction.
  Second second(std::span<const double> weights, std::span<const double> direction);

 private:
  void change_tangents(long n, int columns, std::span<const double> directions,
                       std::vector<double>& state);
  void go_forward(long n, const StepMade& step, bool is_last, int columns,
                  std::span<const double> directions);
  void go_backward(long n, const StepMade& step, bool is_last, int columns,
                   std::span<const double> weights);
  void go_along(long n, const StepMade& step, std::span<const double> direction);
  void go_back(long n, const StepMade& step, bool is_last, std::span<const double> weights,
               std::span<const double> direction);
  void go_back_to_start(const StepMade& step, std::span<const double> weights,
                        std::span<const double> direction);
  void clear(int columns);
  void clear_dots();
  /// Tangent of the state at the end of step n - 1, and of the state from which step n starts.
  std::vector<double>& tangent_at(long n) { return tangents_[static_cast<std::size_t>(n)]; }
  std::vector<double>& started_at(long n) { return started_[static_cast<std::size_t>(n)]; }

  Trajectory& trajectory_;
  ObjectiveReader& reader_;
  const VariableSpace& space_;
  int num_values_;

  // Perturbations of states and of the rest, or gradients with respect to them.
  std::vector<double> state_, next_, outer_, changed_;
  std::vector<double> values_, gradient_;
  // Of second(): derivatives along the direction.
  std::vector<double> initial_, state_dot_, next_dot_, outer_dot_, direction_outer_, product_;
  std::vector<std::vector<double>> tangents_, started_;
};

}  // namespace liegrad::sensitivity
