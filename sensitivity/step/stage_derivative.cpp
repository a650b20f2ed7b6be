#include "liegrad/sensitivity/step/stage_derivative.hpp"

namespace liegrad::sensitivity {

StageDerivative::StageDerivative(StageModel& model, KernelSum& elements, const StagePlace& place)
    : StageMotion(model, place), elements_(elements), motion_point_(model.system) {}

void StageDerivative::find_row_tangent(Matrix& rows) const {
  const Eigen::Index columns = motion_columns_.cols();
  rows.setZero(model_.dof, columns);
  elements_.tangent(motion_point_.numbers(), static_cast<int>(columns), all(motion_columns_),
                    all(rows));
}

/// Of derivatives of gradients: what a change of the stage does to them. Then those of the end.
void StageDerivative::begin_gradients(const Columns& end, Order order) {
  const int dof = model_.dof;
  const Eigen::Index columns = end.cols();
  clear_gradients(columns, order);
  row_weights(order).setZero(dof, columns);
  if (order == Order::kFirst && !place_.is_end) return;
  added_.setZero(model_.motion.size, columns);
  if (order == Order::kSecond) {
    elements_.second(motion_point_.numbers(), all(weights_), all(motion_columns_), all(added_));
  }
  if (place_.is_end) {
    const MotionLayout& at = model_.motion;
    added_.middleRows(at.q, dof) += end.middleRows(model_.state.q, dof);
    added_.middleRows(at.v, dof) += end.middleRows(model_.state.v, dof);
    added_.middleRows(at.v_dot, dof) += end.middleRows(model_.state.v_dot, dof);
  }
  add_gradients(added_, order);
}

void StageDerivative::add_weights(const Eigen::Ref<const RowMajorMatrix>& of_rate, Order order) {
  const Matrix& weights = row_weights(order);
  added_.setZero(model_.motion.size, weights.cols());
  elements_.adjoint(motion_point_.numbers(), static_cast<int>(weights.cols()), all(weights),
                    all(added_));
  add_gradients(added_, of_rate, order);
}

}  // namespace liegrad::sensitivity
