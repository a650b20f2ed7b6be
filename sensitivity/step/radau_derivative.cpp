#include "liegrad/sensitivity/step/radau_derivative.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "liegrad/sensitivity/step/acceleration_derivative.hpp"
#include "liegrad/sensitivity/step/radau_stages.hpp"

namespace liegrad::sensitivity {
namespace {

using Span = std::span<double>;
using Const = std::span<const double>;
using Vector = std::vector<double>;

/// The end of a step is its last stage, with v̇, λ and s of (19) there: one implicit function after the other.
class RadauDerivative final : public StepDerivative {
 public:
  RadauDerivative(const dae::Model& system, const dae::IntegrateOptions& options);

  void set_run(Const parameters, const dae::ControlLaw& controls) override;
  void set_step(const StepMade& step) override;
  void tangent(int columns, Const start, Const outer, Span end) override;
  void adjoint(int columns, Const end, Span start, Span outer) override;
  void second(Const start_dot, Const outer_dot, const Dual& end, const Dual& start,
              const Dual& outer) override;

 private:
  void go_to_end();
  bool end_counts(Const end, int columns) const;
  /// The motion at the end: gradients with respect to q and v (and v̇), from those of a state.
  void gradient_of_end(int columns, Const end, Vector& motion) const;
  /// Tangents of v̇, λ and s at the end, with those of q, v and the rest, in end_columns_.
  void find_end_tangents(int columns, Const outer);
  /// What is left of these gradients for the last stage: those with respect to v̇ only where (19) did not take them.
  Const gradient_of_last_stage(int columns, Vector& motion) const;

  int dof_, multipliers_, algebraic_;
  MotionLayout motion_;
  StateLayout state_;
  OuterLayout outer_;
  OuterMotion outer_motion_;
  RadauStages stages_;
  std::optional<AccelerationDerivative> accelerations_;  ///< of v̇, λ and s at the end
  const dae::State* end_ = nullptr;
  Const end_controls_;
  bool is_at_end_ = false;
  Vector end_columns_, end_gradients_, end_dot_;  ///< of columns side by side
};

RadauDerivative::RadauDerivative(const dae::Model& system, const dae::IntegrateOptions& options)
    : dof_(system.dof()),
      multipliers_(system.num_multipliers()),
      algebraic_(system.num_algebraic()),
      motion_(system),
      state_(system, dae::Method::kRadau),
      outer_(system),
      outer_motion_(system),
      stages_(system, options) {
  if (multipliers_ + algebraic_ > 0) accelerations_.emplace(system, options.alpha.solver);
}

void RadauDerivative::set_run(Const parameters, const dae::ControlLaw& controls) {
  stages_.set_run(parameters, controls);
  if (!accelerations_) return;
  accelerations_->set_parameters(parameters);
  stages_.set_weights(accelerations_->assembly());
}

void RadauDerivative::set_step(const StepMade& step) {
  end_ = &step.end;
  end_controls_ = step.end_controls;
  is_at_end_ = false;
  stages_.set_step(step);
}

void RadauDerivative::go_to_end() {
  if (std::exchange(is_at_end_, true)) return;
  accelerations_->set(*end_, end_controls_);
}

void RadauDerivative::find_end_tangents(int columns, Const outer) {
  const Entries entries(columns);
  go_to_end();
  entries.clear(end_columns_, motion_.size);
  entries.copy(stages_.last_stage(columns), 0, 2 * dof_, end_columns_, motion_.q);
  outer_motion_.put(columns, outer, outer_.end_controls, outer_.end_time, end_columns_);
  accelerations_->tangent(columns, end_columns_);
}

void RadauDerivative::tangent(int columns, Const start, Const outer, Span end) {
  const Entries entries(columns);
  stages_.tangent(columns, start, outer);
  std::fill_n(end.begin(), columns * state_.size, 0.0);
  entries.copy(stages_.last_stage(columns), 0, 3 * dof_, end, state_.q);
  if (accelerations_) {
    find_end_tangents(columns, outer);
    entries.copy(end_columns_, motion_.v_dot, dof_, end, state_.v_dot);
    entries.copy(end_columns_, motion_.lambda, multipliers_ + algebraic_, end, state_.lambda);
  }
}

/// Whether there are gradients with respect to more than q and v, which most steps have not.
bool RadauDerivative::end_counts(Const end, int columns) const {
  const Const rest = Entries(columns).of(end, state_.v_dot, state_.size - state_.v_dot);
  return std::ranges::any_of(rest, [](double x) { return x != 0; });
}

void RadauDerivative::gradient_of_end(int columns, Const end, Vector& motion) const {
  const Entries entries(columns);
  entries.clear(motion, motion_.size);
  entries.copy(end, state_.q, 3 * dof_, motion, motion_.q);
  entries.copy(end, state_.lambda, multipliers_ + algebraic_, motion, motion_.lambda);
}

Const RadauDerivative::gradient_of_last_stage(int columns, Vector& motion) const {
  const Entries entries(columns);
  if (accelerations_) std::ranges::fill(entries.of(motion, motion_.v_dot, dof_), 0.0);
  return entries.of(motion, motion_.q, 3 * dof_);
}

void RadauDerivative::adjoint(int columns, Const end, Span start, Span outer) {
  gradient_of_end(columns, end, end_gradients_);
  if (accelerations_ && end_counts(end, columns)) {
    go_to_end();
    accelerations_->adjoint(columns, end_gradients_);
    outer_motion_.add(columns, end_gradients_, outer_.end_controls, outer_.end_time, outer);
  }
  stages_.adjoint(columns, gradient_of_last_stage(columns, end_gradients_), start, outer);
}

void RadauDerivative::second(Const start_dot, Const outer_dot, const Dual& end, const Dual& start,
                             const Dual& outer) {
  stages_.tangent(1, start_dot, outer_dot);
  gradient_of_end(1, end.value, end_gradients_);
  gradient_of_end(1, end.dot, end_dot_);
  if (accelerations_) {
    find_end_tangents(1, outer_dot);
    accelerations_->second(end_columns_, end_gradients_, end_dot_);
    outer_motion_.add(1, end_gradients_, outer_.end_controls, outer_.end_time, outer.value);
    outer_motion_.add(1, end_dot_, outer_.end_controls, outer_.end_time, outer.dot);
  }
  stages_.second(gradient_of_last_stage(1, end_gradients_), gradient_of_last_stage(1, end_dot_),
                 start, outer);
}

}  // namespace

std::unique_ptr<StepDerivative> radau_derivative(const dae::Model& system,
                                                 const dae::IntegrateOptions& options) {
  if (options.alpha.consistency.allow_redundant) {
    throw InvalidArgument(
        "steps of Radau methods with redundant constraints have no derivatives here; use a "
        "generalized-alpha method");
  }
  if (system.num_multipliers() > 0 && options.radau.formulation != dae::Formulation::kStabilized) {
    throw InvalidArgument(
        "steps of Radau methods have derivatives in the stabilised formulation only; choose that");
  }
  return std::make_unique<RadauDerivative>(system, options);
}

}  // namespace liegrad::sensitivity
