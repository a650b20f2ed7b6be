#include "liegrad/sensitivity/step/stage_motion.hpp"

#include <algorithm>

namespace liegrad::sensitivity {

StageModel::StageModel(const dae::Model& its_system)
    : system(its_system),
      dof(system.dof()),
      motion(system),
      state(system, dae::Method::kMuntheKaas),
      outer(system),
      kinematics(system) {}

std::vector<StagePlace> stage_places(const dae::ButcherTableau& tableau) {
  const bool is_explicit = tableau.is_explicit();
  Eigen::Index stages = tableau.b.size();
  // A last stage of an explicit tableau that is the end is evaluated as the end.
  if (is_explicit && tableau.first_same_as_last()) stages -= 1;
  std::vector<StagePlace> places;
  for (Eigen::Index i = is_explicit ? 1 : 0; i < stages; ++i) {
    places.push_back({.weights = tableau.a.row(i).head(stages).transpose(), .c = tableau.c(i)});
  }
  if (is_explicit || tableau.a.row(stages - 1) != tableau.b.transpose()) {
    places.push_back({.weights = tableau.b.head(stages), .is_at_end_time = true});
  }
  places.back().is_end = true;
  return places;
}

StageMotion::StageMotion(StageModel& model, const StagePlace& place)
    : model_(model), place_(place), controls_(model.system.controls().size()) {}

int StageMotion::controls_offset() const {
  return place_.c == 0 ? model_.outer.start_controls : model_.outer.end_controls;
}

void StageMotion::set_step(const StepMade& step, const dae::ControlLaw& law) {
  h_ = step.h;
  t_ = place_.is_at_end_time ? step.end.t : step.start.t + place_.c * h_;
  if (place_.c == 0 || place_.c == 1) {
    const std::span<const double> from = place_.c == 0 ? step.start_controls : step.end_controls;
    controls_.assign(from.begin(), from.end());
  } else if (law) {
    law(t_, controls_);
  }
}

void StageMotion::go_to(dae::Assembly& assembly) const {
  assembly.set_time(t_);
  std::copy(controls_.begin(), controls_.end(), assembly.controls().begin());
}

/// Σ_j a_j (p_j, u_j); later rates, which are not known yet, have no weight.
template <class Sum>
void StageMotion::combine(const Matrix& rates, Sum& sum) const {
  sum.setZero(2 * model_.dof, rates.cols());
  for (int j = 0; j < static_cast<int>(place_.weights.size()); ++j) {
    if (place_.weights(j) != 0) sum += place_.weights(j) * model_.rate(rates, j);
  }
}

void StageMotion::set_rates(const Matrix& rates, const dae::State& start, dae::State& state) {
  combine(rates, slope_);
  point_ = h_ * slope_;
  point_.tail(model_.dof) += vector_of(start.v);
  state.t = t_;
  model_.system.configuration_space().plus<double>(start.q, theta(), state.q);
  std::copy_n(point_.data() + model_.dof, model_.dof, state.v.begin());
}

void StageMotion::find_tangents(const Matrix& rates, const Columns& start, const Columns& outer) {
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
  motion_columns_.middleRows(at.controls, controls) = outer.middleRows(controls_offset(), controls);
  if (place_.is_at_end_time) {
    motion_columns_.row(at.time) = outer.row(model_.outer.end_time);
  } else {
    motion_columns_.row(at.time) = outer.row(model_.outer.start_time) + place_.c * h_columns_;
  }
}

void StageMotion::clear_gradients(Eigen::Index columns, Order order) {
  Gradients& own = gradients_of(order);
  own.values.setZero(2 * model_.dof, columns);
  own.arguments.setZero(3 * model_.dof, columns);
  own.motion.setZero(model_.motion.size, columns);
  if (order == Order::kFirst) return;
  model_.kinematics.second(all(point_), all(gradients_.values), all(arguments_),
                           all(own.arguments));
}

void StageMotion::add_gradients(const Matrix& motion, Order order) {
  added_values_.setZero(2 * model_.dof, motion.cols());
  pull_back(motion, order);
}

void StageMotion::add_gradients(const Matrix& motion,
                                const Eigen::Ref<const RowMajorMatrix>& of_rate, Order order) {
  added_values_.resize(2 * model_.dof, motion.cols());
  added_values_.bottomRows(model_.dof) = of_rate;
  pull_back(motion, order);
}

/// With gradients with respect to θ' in added_values_.
void StageMotion::pull_back(const Matrix& motion, Order order) {
  Gradients& own = gradients_of(order);
  added_values_.topRows(model_.dof) = motion.middleRows(model_.motion.q, model_.dof);
  own.arguments.bottomRows(model_.dof) += motion.middleRows(model_.motion.v, model_.dof);
  model_.kinematics.adjoint(all(point_), static_cast<int>(motion.cols()), all(added_values_),
                            all(own.arguments));
  own.motion += motion;
  own.values += added_values_;
}

void StageMotion::spread(Matrix& rates, Order order) {
  const auto of_point = [this](Gradients& of) { return of.arguments.bottomRows(2 * model_.dof); };
  for (int j = 0; j < static_cast<int>(place_.weights.size()); ++j) {
    const double weight = place_.weights(j);
    if (weight == 0) continue;
    auto to = model_.rate(rates, j);
    to += h_ * weight * of_point(gradients_of(order));
    if (order == Order::kSecond) to += h_columns_(0, 0) * weight * of_point(gradients_);
  }
}

void StageMotion::distribute(ColumnsOut start, ColumnsOut outer, Order order) {
  const int dof = model_.dof;
  const MotionLayout& at = model_.motion;
  const int parameters = at.controls - at.parameters, controls = at.time - at.controls;
  Gradients& own = gradients_of(order);
  start.middleRows(model_.state.q, dof) += own.arguments.topRows(dof);
  start.middleRows(model_.state.v, dof) += own.arguments.bottomRows(dof);
  outer.middleRows(model_.outer.parameters, parameters) +=
      own.motion.middleRows(at.parameters, parameters);
  outer.middleRows(controls_offset(), controls) += own.motion.middleRows(at.controls, controls);
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
