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

  /// Goes to a time in a step.
  void set_step(const dae::State& start, const dae::State& end, double h, double t) {
    set_step(start, end, h);
    go_to(t);
  }
  void set_step(const dae::State& start, const dae::State& end, double h);
  /// Precondition: the states of the step are still there.
  void go_to(double t);
  /// As DenseOutput::evaluate() gives it.
  const dae::State& state() const { return state_; }

  /// For each column of arguments, one of the motion, of which parameters and controls are left alone. Columns stand
  /// side by side.
  void tangent(int columns, std::span<const double> arguments, std::span<double> motion);
  /// The same at all times that were marked since set_step(), for fixed times of the samples: arguments end with those of
  /// t_start and t_end. Many are little more work than one.
  void mark();
  int num_marked() const { return num_marked_; }
  void find_marked_tangents(int columns, std::span<const double> arguments);
  /// Of the marked time that the derivative is at again.
  void marked_tangent(int number, int columns, std::span<const double> arguments,
                      std::span<double> motion) const;
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
  /// The coordinates of the result in node_numbers_, which only derivatives need.
  void find_reference();
  /// λ, s and the time of the motion.
  void add_rest(int columns, Const arguments, Span motion) const;
  void add_node_gradient(Const gradient, Span arguments) const;

  const lie::GroupList& space_;
  int dof_;
  MotionLayout motion_layout_;
  StateLayout state_layout_;
  dae::DenseOutput dense_;
  dae::State state_;
  const dae::State *start_ = nullptr, *end_ = nullptr;
  double x_ = 0, h_ = 1;
  bool has_reference_ = false;
  std::shared_ptr<KernelSum> nodes_;
  std::vector<double> node_numbers_;
  std::vector<double> changes_;  // of λ and s over the step
  std::vector<double> node_arguments_, node_gradient_, node_values_;
  int num_marked_ = 0;
  std::vector<double> marked_numbers_, marked_values_;  ///< of nodes_, time after time
};

}  // namespace liegrad::sensitivity
