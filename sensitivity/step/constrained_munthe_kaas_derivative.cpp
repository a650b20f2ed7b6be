#include "liegrad/sensitivity/step/constrained_munthe_kaas_derivative.hpp"

#include <deque>
#include <functional>
#include <optional>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/acceleration_derivative.hpp"
#include "liegrad/sensitivity/step/columns.hpp"
#include "liegrad/sensitivity/step/projection_derivative.hpp"
#include "liegrad/sensitivity/step/stage_motion.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using Span = std::span<double>;
using Const = std::span<const double>;
using Order = StageMotion::Order;

class ConstrainedMuntheKaasDerivative final : public StepDerivative {
 public:
  ConstrainedMuntheKaasDerivative(const dae::Model& system, const dae::ButcherTableau& tableau);

  void set_run(Const parameters, const dae::ControlLaw& controls) override;
  void set_step(const StepMade& step) override;
  void tangent(int columns, Const start, Const outer, Span end) override;
  void adjoint(int columns, Const end, Span start, Span outer) override;
  void second(Const start_dot, Const outer_dot, const Dual& end, const Dual& start,
              const Dual& outer) override;

 private:
  /// Gradients, or their derivatives, of columns.
  struct Gradients {
    Matrix end, before;  ///< with respect to the motions at the end and before the projection
    Matrix stage;        ///< with respect to that of a stage
    Matrix rates;
  };

  /// Those with rates: the first one is the start.
  int num_rates() const { return static_cast<int>(stages_.size()); }
  int num_solved() const { return num_rates() - 1; }
  StageMotion& stage(int i) { return stages_[index(i)]; }
  AccelerationDerivative& accelerations(int i) { return accelerations_[index(i)]; }
  auto start_rate(Matrix& rates) const { return model_.rate(rates, 0); }
  auto rate(Matrix& rates, int i) const { return model_.rate(rates, i + 1); }

  void take_accelerations(const dae::State& from);
  void find_tangents(const Columns& start, const Columns& outer);
  /// Of the motion before the projection, with the v̇, λ and s of the start that it read.
  void complete_tangent_before(const Columns& start, Matrix& before) const;
  void begin_gradients(const Columns& end, Gradients& own) const;
  void begin_stage(int i, Gradients& own) const;
  /// What is left for the motions of the stages, when gradients with respect to v̇, λ and s are carried over.
  void pull_back_end(Gradients& own, Order order);
  void pull_back_stage(int i, Gradients& own, Order order);
  void distribute(const Gradients& own, ColumnsOut start, ColumnsOut outer, Order order);

  StageModel model_;
  int dof_, num_accelerations_;
  dae::ControlLaw law_;
  std::vector<StageMotion> stages_;  ///< the last is the motion before the projection
  std::deque<AccelerationDerivative>
      accelerations_;  ///< of the stages, the last at the end of the step
  std::optional<ProjectionDerivative> projection_;  ///< where there are constraints

  dae::State at_;
  Matrix rates_;
  Matrix rate_columns_, end_columns_;  // of directions
  Gradients gradients_, dots_;
};

ConstrainedMuntheKaasDerivative::ConstrainedMuntheKaasDerivative(const dae::Model& system,
                                                                 const dae::ButcherTableau& tableau)
    : model_(system),
      dof_(system.dof()),
      num_accelerations_(dof_ + system.num_multipliers() + system.num_algebraic()) {
  const AccelerationDerivative::Equations equations(system);
  for (const StagePlace& place : stage_places(tableau)) {
    stages_.emplace_back(model_, place);
    accelerations_.emplace_back(system, dae::LinearSolverKind::kAutomatic, equations);
  }
  if (system.num_multipliers() > 0) projection_.emplace(system, model_.kinematics);
  rates_.setZero(2 * dof_ * num_rates(), 1);
  at_.q.resize(index(system.configuration_space().num_coeffs()));
  at_.v.resize(index(dof_));
  set_run(system.parameter_values(), {});
}

void ConstrainedMuntheKaasDerivative::set_run(Const parameters, const dae::ControlLaw& controls) {
  law_ = controls ? dae::ControlLaw(std::cref(controls)) : dae::ControlLaw();
  for (AccelerationDerivative& one : accelerations_) one.set_parameters(parameters);
  if (projection_) projection_->set_parameters(parameters);
}

void ConstrainedMuntheKaasDerivative::take_accelerations(const dae::State& from) {
  at_.v_dot = from.v_dot;
  at_.lambda = from.lambda;
  at_.s = from.s;
}

void ConstrainedMuntheKaasDerivative::set_step(const StepMade& step) {
  start_rate(rates_) << vector_of(step.start.v), vector_of(step.start.v_dot);
  take_accelerations(step.start);
  for (StageMotion& stage : stages_) stage.set_step(step, law_);
  for (int i = 0; i < num_solved(); ++i) {
    stage(i).set_rates(rates_, step.start, at_);
    accelerations(i).solve(at_, stage(i).controls(), step.end.t);
    auto own = rate(rates_, i);
    model_.system.configuration_space().apply_tangent_operator_inverse<double>(
        stage(i).theta(), at_.v, {own.data(), index(dof_)});
    own.bottomRows(dof_) = vector_of(at_.v_dot);
  }
  stages_.back().set_rates(rates_, step.start, at_);
  take_accelerations(step.start);
  accelerations_.back().set(step.end, step.end_controls);
  if (!projection_) return;
  projection_->set(at_, step.end, step.end_controls, accelerations_.back().assembly());
}

void ConstrainedMuntheKaasDerivative::complete_tangent_before(const Columns& start,
                                                              Matrix& before) const {
  const int after_v_dot = num_accelerations_ - dof_;
  before.middleRows(model_.motion.v_dot, dof_) = start.middleRows(model_.state.v_dot, dof_);
  before.middleRows(model_.motion.lambda, after_v_dot) =
      start.middleRows(model_.state.lambda, after_v_dot);
}

void ConstrainedMuntheKaasDerivative::find_tangents(const Columns& start, const Columns& outer) {
  const int columns = static_cast<int>(start.cols());
  rate_columns_.setZero(2 * dof_ * num_rates(), columns);
  start_rate(rate_columns_) = start.middleRows(model_.state.v, 2 * dof_);  // v_n and v̇_n
  for (int i = 0; i < num_solved(); ++i) {
    stage(i).find_tangents(rate_columns_, start, outer);
    Matrix& motion = stage(i).motion_tangent();
    accelerations(i).tangent(columns, all(motion));
    auto own = rate(rate_columns_, i);
    own.topRows(dof_) = stage(i).rate_tangent();
    own.bottomRows(dof_) = motion.middleRows(model_.motion.v_dot, dof_);
  }
  stages_.back().find_tangents(rate_columns_, start, outer);
  Matrix& before = stages_.back().motion_tangent();
  if (projection_) {
    complete_tangent_before(start, before);
    end_columns_.resize(model_.motion.size, columns);
    projection_->tangent(columns, all(before), all(end_columns_));
  } else {
    end_columns_ = before;
  }
  accelerations_.back().tangent(columns, all(end_columns_));
}

void ConstrainedMuntheKaasDerivative::tangent(int columns, Const start, Const outer, Span end) {
  const StateLayout& state = model_.state;
  const MotionLayout& motion = model_.motion;
  find_tangents({start.data(), state.size, columns}, {outer.data(), model_.outer.size, columns});
  ColumnsOut to(end.data(), state.size, columns);
  to.middleRows(state.q, 3 * dof_) = end_columns_.middleRows(motion.q, 3 * dof_);
  to.bottomRows(state.size - state.lambda) =
      end_columns_.middleRows(motion.lambda, state.size - state.lambda);
}

void ConstrainedMuntheKaasDerivative::begin_gradients(const Columns& end, Gradients& own) const {
  const StateLayout& state = model_.state;
  const MotionLayout& motion = model_.motion;
  own.end.setZero(motion.size, end.cols());
  own.end.middleRows(motion.q, 3 * dof_) = end.middleRows(state.q, 3 * dof_);
  own.end.middleRows(motion.lambda, state.size - state.lambda) =
      end.bottomRows(state.size - state.lambda);
  own.before.setZero(motion.size, end.cols());
  own.rates.setZero(2 * dof_ * num_rates(), end.cols());
}

void ConstrainedMuntheKaasDerivative::begin_stage(int i, Gradients& own) const {
  own.stage.setZero(model_.motion.size, own.rates.cols());
  own.stage.middleRows(model_.motion.v_dot, dof_) = model_.rate(own.rates, i + 1).bottomRows(dof_);
}

void ConstrainedMuntheKaasDerivative::pull_back_end(Gradients& own, Order order) {
  StageMotion& last = stages_.back();
  last.clear_gradients(own.before.cols(), order);
  last.add_gradients(own.before, order);
  last.spread(own.rates, order);
}

void ConstrainedMuntheKaasDerivative::pull_back_stage(int i, Gradients& own, Order order) {
  stage(i).clear_gradients(own.stage.cols(), order);
  stage(i).add_gradients(own.stage, rate(own.rates, i).topRows(dof_), order);
  stage(i).spread(own.rates, order);
}

void ConstrainedMuntheKaasDerivative::distribute(const Gradients& own, ColumnsOut start,
                                                 ColumnsOut outer, Order order) {
  for (StageMotion& stage : stages_) stage.distribute(start, outer, order);
  start.middleRows(model_.state.v, 2 * dof_) += model_.rate(own.rates, 0);
  if (!projection_) return;
  const int after_v_dot = num_accelerations_ - dof_;
  start.middleRows(model_.state.v_dot, dof_) += own.before.middleRows(model_.motion.v_dot, dof_);
  start.middleRows(model_.state.lambda, after_v_dot) +=
      own.before.middleRows(model_.motion.lambda, after_v_dot);
}

void ConstrainedMuntheKaasDerivative::adjoint(int columns, Const end, Span start, Span outer) {
  Gradients& own = gradients_;
  begin_gradients({end.data(), model_.state.size, columns}, own);
  accelerations_.back().adjoint(columns, all(own.end));
  if (projection_) {
    projection_->adjoint(columns, all(own.end), all(own.before));
  } else {
    own.before = own.end;
  }
  pull_back_end(own, Order::kFirst);
  for (int i = num_solved() - 1; i >= 0; --i) {
    begin_stage(i, own);
    accelerations(i).adjoint(columns, all(own.stage));
    pull_back_stage(i, own, Order::kFirst);
  }
  distribute(own, {start.data(), model_.state.size, columns},
             {outer.data(), model_.outer.size, columns}, Order::kFirst);
}

void ConstrainedMuntheKaasDerivative::second(Const start_dot, Const outer_dot, const Dual& end,
                                             const Dual& start, const Dual& outer) {
  const int state = model_.state.size, rest = model_.outer.size;
  find_tangents({start_dot.data(), state, 1}, {outer_dot.data(), rest, 1});
  begin_gradients({end.value.data(), state, 1}, gradients_);
  begin_gradients({end.dot.data(), state, 1}, dots_);
  accelerations_.back().second(all(end_columns_), all(gradients_.end), all(dots_.end));
  if (projection_) {
    projection_->second(all(stages_.back().motion_tangent()), all(end_columns_),
                        {all(gradients_.end), all(dots_.end)},
                        {all(gradients_.before), all(dots_.before)});
  } else {
    gradients_.before = gradients_.end;
    dots_.before = dots_.end;
  }
  pull_back_end(gradients_, Order::kFirst);
  pull_back_end(dots_, Order::kSecond);
  for (int i = num_solved() - 1; i >= 0; --i) {
    begin_stage(i, gradients_);
    begin_stage(i, dots_);
    accelerations(i).second(all(stage(i).motion_tangent()), all(gradients_.stage),
                            all(dots_.stage));
    pull_back_stage(i, gradients_, Order::kFirst);
    pull_back_stage(i, dots_, Order::kSecond);
  }
  distribute(gradients_, {start.value.data(), state, 1}, {outer.value.data(), rest, 1},
             Order::kFirst);
  distribute(dots_, {start.dot.data(), state, 1}, {outer.dot.data(), rest, 1}, Order::kSecond);
}

}  // namespace

std::unique_ptr<StepDerivative> constrained_munthe_kaas_derivative(
    const dae::Model& system, const dae::ButcherTableau& tableau) {
  return std::make_unique<ConstrainedMuntheKaasDerivative>(system, tableau);
}

}  // namespace liegrad::sensitivity
