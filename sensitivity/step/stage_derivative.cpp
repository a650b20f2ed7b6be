#include "liegrad/sensitivity/step/stage_derivative.hpp"

#include <algorithm>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/element_sum.hpp"
#include "liegrad/sensitivity/step/stage_functions.hpp"

namespace liegrad::sensitivity {

using dae::index;

StageModel::StageModel(const dae::Model& its_system)
    : system(its_system),
      dof(system.dof()),
      motion(system),
      state(system),
      outer(system),
      kinematics(stage_functions(system)),
      elements(element_sum(system, dae::ElementFunction::kStep,
                           {.position = false, .velocity = false})) {}

StageDerivative::StageDerivative(StageModel& model, const StagePlace& place)
    : model_(model),
      place_(place),
      motion_(model.system),
      controls_(model.system.controls().size()) {
  if (place.c == 0) controls_kind_ = Controls::kStart;
  if (place.c == 1) controls_kind_ = Controls::kEnd;
}

int StageDerivative::controls_offset() const {
  return controls_kind_ == Controls::kStart ? model_.outer.start_controls
                                            : model_.outer.end_controls;
}

void StageDerivative::set_step(const StepMade& step, const dae::ControlLaw& law) {
  h_ = step.h;
  t_ = place_.is_at_end_time ? step.end.t : step.start.t + place_.c * h_;
  if (controls_kind_ != Controls::kConstant) {
    const std::span<const double> from =
        controls_kind_ == Controls::kStart ? step.start_controls : step.end_controls;
    controls_.assign(from.begin(), from.end());
  } else if (law) {
    law(t_, controls_);
  }
}

void StageDerivative::go_to(dae::Assembly& assembly) const {
  assembly.set_time(t_);
  std::copy(controls_.begin(), controls_.end(), assembly.controls().begin());
}

/// Σ_j a_j (p_j, u_j); later rates, which are not known yet, have no weight.
template <class Sum>
void StageDerivative::combine(const Matrix& rates, Sum& sum) const {
  sum.setZero(2 * model_.dof, rates.cols());
  for (int j = 0; j < static_cast<int>(place_.weights.size()); ++j) {
    if (place_.weights(j) != 0) sum += place_.weights(j) * model_.rate(rates, j);
  }
}

void StageDerivative::set_rates(const Matrix& rates, const dae::State& start, dae::State& state) {
  combine(rates, slope_);
  point_ = h_ * slope_;
  point_.tail(model_.dof) += vector_of(start.v);
  state.t = t_;
  model_.system.configuration_space().plus<double>(start.q, theta(), state.q);
  std::copy_n(point_.data() + model_.dof, model_.dof, state.v.begin());
}

void StageDerivative::find_tangents(const Matrix& rates, const Columns& start,
                                    const Columns& outer) {
  const int dof = model_.dof;
  const Eigen::Index columns = start.cols();
  h_columns_ = outer.row(model_.outer.h);
  combine(rates, slope_columns_);
  arguments_.setZero(3 * dof, columns);
  arguments_.topRows(dof) = start.middleRows(model_.state.q, dof);
  arguments_.bottomRows(dof) = start.middleRows(model_.state.v, dof);
  auto point = arguments_.bottomRows(2 * dof);
  point += h_ * slope_columns_;
  point += slope_.lazyProduct(h_columns_);
  values_.setZero(2 * dof, columns);
  model_.kinematics.tangent(all(point_), static_cast<int>(columns), all(arguments_), all(values_));

  const MotionLayout& at = model_.motion;
  motion_columns_.setZero(at.size, columns);
  motion_columns_.middleRows(at.q, dof) = values_.topRows(dof);
  motion_columns_.middleRows(at.v, dof) = arguments_.bottomRows(dof);
  const int parameters = at.controls - at.parameters, controls = at.time - at.controls;
  motion_columns_.middleRows(at.parameters, parameters) =
      outer.middleRows(model_.outer.parameters, parameters);
  if (controls_kind_ != Controls::kConstant) {
    motion_columns_.middleRows(at.controls, controls) =
        outer.middleRows(controls_offset(), controls);
  }
  if (place_.is_at_end_time) {
    motion_columns_.row(at.time) = outer.row(model_.outer.end_time);
  } else {
    motion_columns_.row(at.time) = outer.row(model_.outer.start_time) + place_.c * h_columns_;
  }
}

void StageDerivative::find_row_tangent(Matrix& rows) const {
  const Eigen::Index columns = motion_columns_.cols();
  rows.setZero(model_.dof, columns);
  model_.elements.tangent(motion_.numbers(), static_cast<int>(columns), all(motion_columns_),
                          all(rows));
}

/// Of derivatives of gradients: what a change of the stage does to them. Then those of the end.
void StageDerivative::begin_gradients(const Columns& end, Order order) {
  const int dof = model_.dof;
  const Eigen::Index columns = end.cols();
  Gradients& own = gradients_of(order);
  own.values.setZero(2 * dof, columns);
  own.rows.setZero(dof, columns);
  own.arguments.setZero(3 * dof, columns);
  own.motion.setZero(model_.motion.size, columns);
  if (order == Order::kSecond) {
    model_.elements.second(motion_.numbers(), all(gradients_.rows), all(motion_columns_),
                           all(own.motion));
    model_.kinematics.second(all(point_), all(gradients_.values), all(arguments_),
                             all(own.arguments));
  } else if (!place_.is_end) {
    return;
  }
  if (place_.is_end) {
    const MotionLayout& at = model_.motion;
    own.motion.middleRows(at.q, dof) += end.middleRows(model_.state.q, dof);
    own.motion.middleRows(at.v, dof) += end.middleRows(model_.state.v, dof);
    own.motion.middleRows(at.v_dot, dof) +=
        end.middleRows(model_.state.v_dot, dof) + end.middleRows(model_.state.a, dof);
  }
  pull_back(own.motion, own.values, own.arguments);
}

/// Adds to the gradient with respect to (δ_n, θ, v) what those with respect to the motion and, in values, to θ'
/// mean for it; values get that with respect to δ.
void StageDerivative::pull_back(const Matrix& motion, Matrix& values, Matrix& arguments) {
  values.topRows(model_.dof) = motion.middleRows(model_.motion.q, model_.dof);
  arguments.bottomRows(model_.dof) += motion.middleRows(model_.motion.v, model_.dof);
  model_.kinematics.adjoint(all(point_), static_cast<int>(values.cols()), all(values),
                            all(arguments));
}

void StageDerivative::add_weights(const Eigen::Ref<const Matrix>& of_rate, Order order) {
  Gradients& own = gradients_of(order);
  const Eigen::Index columns = own.rows.cols();
  added_motion_.setZero(model_.motion.size, columns);
  model_.elements.adjoint(motion_.numbers(), static_cast<int>(columns), all(own.rows),
                          all(added_motion_));
  added_values_.resize(2 * model_.dof, columns);
  added_values_.bottomRows(model_.dof) = of_rate;
  pull_back(added_motion_, added_values_, own.arguments);
  own.motion += added_motion_;
  own.values += added_values_;
}

void StageDerivative::spread(Matrix& rates, Order order) {
  const auto of_point = [this](Gradients& of) { return of.arguments.bottomRows(2 * model_.dof); };
  for (int j = 0; j < static_cast<int>(place_.weights.size()); ++j) {
    const double weight = place_.weights(j);
    if (weight == 0) continue;
    auto to = model_.rate(rates, j);
    to += h_ * weight * of_point(gradients_of(order));
    if (order == Order::kSecond) to += h_columns_(0) * weight * of_point(gradients_);
  }
}

void StageDerivative::distribute(ColumnsOut start, ColumnsOut outer, Order order) {
  const int dof = model_.dof;
  const MotionLayout& at = model_.motion;
  const int parameters = at.controls - at.parameters, controls = at.time - at.controls;
  Gradients& own = gradients_of(order);
  start.middleRows(model_.state.q, dof) += own.arguments.topRows(dof);
  start.middleRows(model_.state.v, dof) += own.arguments.bottomRows(dof);
  outer.middleRows(model_.outer.parameters, parameters) +=
      own.motion.middleRows(at.parameters, parameters);
  if (controls_kind_ != Controls::kConstant) {
    outer.middleRows(controls_offset(), controls) += own.motion.middleRows(at.controls, controls);
  }
  auto h = outer.row(model_.outer.h);
  if (place_.is_at_end_time) {
    outer.row(model_.outer.end_time) += own.motion.row(at.time);
  } else {
    outer.row(model_.outer.start_time) += own.motion.row(at.time);
    h += place_.c * own.motion.row(at.time);
  }
  h += slope_.transpose().lazyProduct(own.arguments.bottomRows(2 * dof));
  if (order == Order::kFirst) return;
  h += slope_columns_.transpose().lazyProduct(gradients_.arguments.bottomRows(2 * dof));
}

}  // namespace liegrad::sensitivity
