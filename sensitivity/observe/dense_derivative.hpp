#pragma once

#include <memory>
#include <span>
#include <vector>

#include "liegrad/dae/run/dense_output.hpp"
#include "liegrad/sensitivity/step/kernel_sum.hpp"
#include "liegrad/sensitivity/step/motion_layout.hpp"

namespace liegrad::sensitivity {

/// The derivative of dae::DenseOutput, the motion at a time within a step as a function of the states at its
/// ends and of the times themselves.
///
/// Arguments: perturbations of the start as in StateLayout, those of the end, then t, t_start, t_end; of each
/// state in the chart around it. Results: perturbations of the motion at t as in MotionLayout, in the chart
/// around state(); parameters and controls are not among them.
class DenseDerivative {
 public:
  DenseDerivative(const dae::Model& system, dae::Method method);

  int num_arguments() const { return 2 * state_layout_.size + 3; }

  /// Goes to a time in a step. The states are not needed afterwards.
  void set_step(const dae::State& start, const dae::State& end, double h, double t);
  /// As DenseOutput::evaluate() gives it.
  const dae::State& state() const { return state_; }

  /// For each column of arguments, one of the motion, of which parameters and controls are left alone. Columns stand
  /// side by side.
  void tangent(int columns, std::span<const double> arguments, std::span<double> motion);
  /// Adds what a gradient with respect to the motion means for the arguments.
  void adjoint(std::span<const double> motion, std::span<double> arguments);
  /// Adds the derivative of adjoint() along a direction of the arguments, for fixed weights.
  void second(std::span<const double> motion_weights, std::span<const double> direction,
              std::span<double> arguments);

 private:
  using Const = std::span<const double>;
  using Span = std::span<double>;

  /// Of τ = t - t_start and h = t_end - t_start: their perturbations, or a gradient with respect to them.
  struct Times {
    double tau, h;
  };
  Times times_of(Const arguments) const;
  void add_times(const Times& gradient, Span arguments) const;
  double fraction_of(const Times& times) const { return (times.tau - x_ * times.h) / h_; }

  /// The arguments of nodes_, and a gradient with respect to them.
  void load_node_arguments(int columns, Const arguments, Span to) const;
  void add_node_gradient(Const gradient, Span arguments) const;

  const lie::GroupList& space_;
  int dof_;
  MotionLayout motion_layout_;
  StateLayout state_layout_;
  dae::DenseOutput dense_;
  dae::State state_;
  double x_ = 0, h_ = 1;
  std::shared_ptr<KernelSum> nodes_;
  std::vector<double> node_numbers_;
  std::vector<double> changes_;  // of λ and s over the step
  std::vector<double> node_arguments_, node_gradient_, node_values_;
};

}  // namespace liegrad::sensitivity
