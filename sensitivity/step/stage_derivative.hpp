#pragma once

#include <span>

#include "liegrad/sensitivity/step/stage_motion.hpp"

namespace liegrad::sensitivity {

/// A stage of a Munthe-Kaas step of a system without constraints, see munthe_kaas_derivative(), with derivatives of
///
///     M u + g
///
/// at its motion and its own u. That this is zero is for the step to know.
class StageDerivative : public StageMotion {
 public:
  /// The sum of all elements is M u + g.
  StageDerivative(StageModel& model, KernelSum& elements, const StagePlace& place);

  void set_parameters(std::span<const double> parameters) {
    motion_point_.set_parameters(parameters);
  }
  /// Takes all of the state that set_rates() found.
  void set_state(const dae::State& state) { motion_point_.set(state, controls_); }

  void set_acceleration_tangent(const Eigen::Ref<const RowMajorMatrix>& u) {
    motion_columns_.middleRows(model_.motion.v_dot, model_.dof) = u;
  }
  /// That of M u + g.
  void find_row_tangent(Matrix& rows) const;

  // A step begins gradients, chooses the weights of M u + g, and adds what these mean.

  /// What they have apart from the weights of M u + g and of θ'.
  void begin_gradients(const Columns& end, Order order);
  /// With respect to u, without those.
  auto acceleration_gradient(Order order) {
    return motion_gradient(order).middleRows(model_.motion.v_dot, model_.dof);
  }
  /// The weights of M u + g, for the step to set.
  Matrix& row_weights(Order order) { return order == Order::kFirst ? weights_ : weight_dots_; }
  /// Adds what row_weights() and the weights of θ' mean.
  void add_weights(const Eigen::Ref<const RowMajorMatrix>& of_rate, Order order);

 private:
  KernelSum& elements_;
  MotionPoint motion_point_;
  Matrix weights_, weight_dots_, added_;
};

}  // namespace liegrad::sensitivity
