#include <algorithm>

#include "liegrad/sensitivity/step/radau_stages.hpp"
#include "liegrad/sensitivity/step/stabilizer_products.hpp"

namespace liegrad::sensitivity {

using dae::index;

/// The direction in all arguments of K, of E and of F, from what tangent() left.
void RadauStages::complete_direction() {
  const Entries entries(1);
  entries.add(increments_, 0, step_.size, step_columns_, 0);
  for (int i = 0; i < stages_; ++i) {
    entries.copy(stage_columns_, 3 * i * dof_, 3 * dof_, motion_columns_, i * motion_.size);
    entries.scale(unknowns_, i * assembly_.size() + assembly_.multiplier_offset(), 1 / h_,
                  multipliers_ + algebraic_, motion_columns_, i * motion_.size + motion_.lambda);
  }
  eta_dot_.assign(index(stages_ * multipliers_), 0.0);
  for (int i = 0; forces_ && i < stages_; ++i) {
    entries.copy(unknowns_, i * assembly_.size() + assembly_.stabilizer_offset(), multipliers_,
                 eta_dot_, i * multipliers_);
  }
}

void RadauStages::second(Const last, Const last_dot, const Dual& start, const Dual& outer) {
  const Entries entries(1);
  complete_direction();
  find_gradients(1, last);
  distribute(1, step_gradients_, motion_gradients_, force_gradients_, start.value, outer.value);

  // All derivatives as far as the weights of E stay; those of K are μ + ∂E/∂eᵀ w.
  entries.clear(motion_dot_, stages_ * motion_.size);
  for (int i = 0; i < stages_; ++i) {
    elements_.second(points_[index(i)].numbers(), rows_of(i, 1, row_columns_),
                     motion_of(i, 1, motion_columns_), motion_of(i, 1, motion_dot_));
    entries.add(motion_gradients_, i * motion_.size + motion_.q, 3 * dof_, stage_gradients_,
                3 * i * dof_);
  }
  entries.clear(step_dot_, step_.size);
  kinematic_->second(step_numbers_, stage_gradients_, step_columns_, step_dot_);
  entries.clear(stage_weights_, 3 * stages_ * dof_);
  entries.copy(last_dot, 0, 3 * dof_, stage_weights_, 3 * (stages_ - 1) * dof_);
  kinematic_->adjoint(step_numbers_, 1, stage_weights_, step_dot_);
  pull_back(1, motion_dot_, step_dot_);
  entries.clear(force_dot_, motion_.size);
  for (int i = 0; forces_ && i < stages_; ++i) {
    std::ranges::copy(equations_.stabilizers(i), start_.lambda().begin());
    force_direction_ = force_columns_;
    entries.copy(eta_dot_, i * multipliers_, multipliers_, force_direction_, motion_.lambda);
    entries.clear(force_second_, motion_.size);
    forces_->second(start_.numbers(), force_weights(i, 1, step_gradients_), force_direction_,
                    force_second_);
    entries.add(force_second_, 0, motion_.size, force_dot_, 0);
    const Span eta = entries.of(eta_dot_, i * multipliers_, multipliers_);
    entries.copy(force_second_, motion_.lambda, multipliers_, eta, 0);
    add_transposed_stabilizer(assembly_.stabilizer(), 1, 1,
                              entries.of(Const(step_dot_), step_.f + i * dof_), eta);
  }

  // The derivative of the weights, and what follows from it.
  solve_for_weights(1, step_dot_, eta_dot_, motion_dot_);
  entries.clear(motion_gradients_, stages_ * motion_.size);
  for (int i = 0; i < stages_; ++i) {
    elements_.adjoint(points_[index(i)].numbers(), 1, rows_of(i, 1, row_columns_),
                      motion_of(i, 1, motion_gradients_));
  }
  pull_back(1, motion_gradients_, step_dot_);
  entries.add(motion_gradients_, 0, stages_ * motion_.size, motion_dot_, 0);
  if (forces_) add_force_gradients(1, step_dot_, force_dot_);
  distribute(1, step_dot_, motion_dot_, force_dot_, start.dot, outer.dot);
}

}  // namespace liegrad::sensitivity
