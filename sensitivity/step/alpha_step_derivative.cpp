#include "liegrad/sensitivity/step/alpha_step_derivative.hpp"

#include <algorithm>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/entries.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;

using Span = std::span<double>;
using Const = std::span<const double>;

void clear(std::vector<double>& list, int size) { list.assign(index(size), 0.0); }

void copy(Const from, int count, Span to) { std::copy_n(from.begin(), count, to.begin()); }
void add(Const from, int count, Span to) {
  for (std::size_t i = 0; i < index(count); ++i) to[i] += from[i];
}

}  // namespace

AlphaStepDerivative::AlphaStepDerivative(const dae::Model& system, const dae::AlphaOptions& options)
    : system_(system),
      stabilized_(options.formulation == dae::Formulation::kStabilized),
      has_identity_map_(options.variant == dae::AlphaVariant::kLieGroup &&
                        options.method.sigma == 0),
      motion_(system),
      state_(system),
      outer_(system),
      step_(system.dof()),
      rows_(system, dae::constraint_rows(options.formulation)),
      dof_(system.dof()),
      assembly_(system, options.formulation, options.variant != dae::AlphaVariant::kLieGroup,
                options.consistency.allow_redundant ? dae::LinearSolverKind::kMinimumNorm
                                                    : options.solver),
      kinematics_(dae::make_kinematics(system, options)),
      elements_(element_sum(system, dae::ElementFunction::kStep,
                            dae::constraint_rows(options.formulation))),
      kinematic_(step_functions(system, options.variant, options.method.sigma)),
      end_(system),
      start_(system),
      step_point_(system.dof(), options.method) {
  if (stabilized_) forces_.emplace(element_sum(system, dae::ElementFunction::kConstraintForce));
  set_run(system.parameter_values(), {});
}

void AlphaStepDerivative::set_run(Const parameters, const dae::ControlLaw& /*controls*/) {
  assembly_.set_parameters(parameters);
  end_.set_parameters(parameters);
  start_.set_parameters(parameters);
}

void AlphaStepDerivative::set_step(const StepMade& step) {
  h_ = step.h;
  const dae::State* start = &step.start;
  if (stabilized_) {  // Kinematics takes η from the start, as a guess.
    start_state_ = step.start;
    start_state_.eta = step.end.eta;
    start = &start_state_;
  }
  assembly_.set_time(step.end.t);
  std::copy(step.end_controls.begin(), step.end_controls.end(), assembly_.controls().begin());
  std::copy(step.end.lambda.begin(), step.end.lambda.end(), assembly_.multipliers().begin());
  std::copy(step.end.s.begin(), step.end.s.end(), assembly_.algebraic().begin());
  kinematics_->begin(*start, h_, assembly_);
  kinematics_->guess_increment(step.end.increment);
  kinematics_->evaluate(assembly_, true);
  assembly_.evaluate(true);
  if (!assembly_.matrix().factorize()) {
    const int unknown = std::max(assembly_.matrix().singular_unknown(), 0);
    throw no_derivative(step.end.t, "its matrix is singular at " + assembly_.unknown_name(unknown));
  }
  set_end(step);
  if (stabilized_) {
    // The controls of a step are those at its end, also in B(q_n).
    start_.set(step.start, step.end_controls);
    std::copy(step.end.eta.begin(), step.end.eta.end(), start_.lambda().begin());
  }
  step_point_.set(step.start, step.end.increment, kinematics_->stabilizer_force(), h_);
}

/// The assembly has the views of the end already.
void AlphaStepDerivative::set_end(const StepMade& step) {
  for (int i = 0; i < system_.configuration_space().size(); ++i) {
    const Span view = end_.view(i);
    std::copy_n(assembly_.nodes().view(i), view.size(), view.begin());
  }
  std::ranges::copy(step.end.v, end_.v().begin());
  std::ranges::copy(step.end.v_dot, end_.v_dot().begin());
  std::ranges::copy(step.end.lambda, end_.lambda().begin());
  std::ranges::copy(step.end.s, end_.s().begin());
  std::ranges::copy(step.end_controls, end_.controls().begin());
  end_.set_time(step.end.t);
}

/// The rows of Assembly, and how it scales them.
template <class F>
void AlphaStepDerivative::for_each_row(F&& f) const {
  const auto block = [&f](int first, int end, int to, double scale) {
    for (int i = first; i < end; ++i) f(i, to + i - first, scale);
  };
  block(rows_.motion, rows_.algebraic, 0, h_);
  block(rows_.algebraic, rows_.position, assembly_.algebraic_offset(), h_);
  block(rows_.position, rows_.velocity, assembly_.multiplier_offset(), 1 / h_);
  block(rows_.velocity, rows_.size,
        stabilized_ ? assembly_.stabilizer_offset() : assembly_.multiplier_offset(), 1.0);
}

void AlphaStepDerivative::find_tangents(int columns, Const start, Const outer, Span end) {
  const Entries entries(columns);
  clear(step_columns_, columns * step_.size);
  clear(motion_columns_, columns * motion_.size);
  clear(row_columns_, columns * rows_.size);
  std::fill_n(end.begin(), columns * state_.size, 0.0);
  entries.copy(start, 0, 4 * dof_, step_columns_, 0);
  entries.copy(outer, outer_.h, 1, step_columns_, step_.h);
  if (stabilized_) {
    clear(force_arguments_, columns * motion_.size);
    entries.copy(start, 0, dof_, force_arguments_, motion_.q);
    put_outer(columns, outer, outer_.end_controls, outer_.start_time, force_arguments_);
    add_forces(columns, force_arguments_, step_columns_);
  }

  // With the unknowns fixed.
  kinematic_.tangent(step_point_.numbers(), columns, step_columns_, end);
  entries.copy(end, 0, 3 * dof_, motion_columns_, motion_.q);
  put_outer(columns, outer, outer_.end_controls, outer_.end_time, motion_columns_);
  elements_.tangent(end_.numbers(), columns, motion_columns_, row_columns_);

  // Of the unknowns.
  const int multipliers = system_.num_multipliers();
  unknowns_.resize(index(columns * assembly_.size()));
  for_each_row([&](int row, int to, double scale) {
    entries.scale(row_columns_, row, -scale, 1, unknowns_, to);
  });
  assembly_.matrix().solve(columns, unknowns_);
  clear(increments_, columns * step_.size);
  entries.copy(unknowns_, 0, dof_, increments_, step_.delta_q);
  if (stabilized_) {
    clear(eta_arguments_, columns * motion_.size);
    entries.copy(unknowns_, assembly_.stabilizer_offset(), multipliers, eta_arguments_,
                 motion_.lambda);
    for_each_stabilizer([&](int coordinate, int multiplier, double number) {
      const Const eta = entries.of(Const(unknowns_), assembly_.stabilizer_offset() + multiplier);
      const Span to = entries.of(increments_, step_.delta_q + coordinate);
      for (std::size_t c = 0; c < index(columns); ++c) to[c] -= number * eta[c];
    });
  }
  apply_increment_map(columns, entries.of(increments_, step_.delta_q), false);
  entries.scale(unknowns_, assembly_.multiplier_offset(), 1 / h_, multipliers, end, state_.lambda);
  entries.scale(unknowns_, assembly_.algebraic_offset(), 1 / h_, system_.num_algebraic(), end,
                state_.s);
  if (stabilized_) add_forces(columns, eta_arguments_, increments_);
  kinematic_.tangent(step_point_.numbers(), columns, increments_, end);
}

/// f(coordinate, multiplier, number) for all numbers of N.
template <class F>
void AlphaStepDerivative::for_each_stabilizer(F&& f) {
  const dae::Stabilizer& n = assembly_.stabilizer();
  const double* number = n.numbers().data();
  n.for_each([&](int coordinate, int multiplier) { f(coordinate, multiplier, *number++); });
}

/// A of Kinematics, or its transpose, in place.
void AlphaStepDerivative::apply_increment_map(int columns, Span x, bool transposed) {
  if (has_identity_map_) return;
  column_.resize(index(dof_));
  for (std::size_t c = 0; c < index(columns); ++c) {
    for (std::size_t i = 0; i < column_.size(); ++i) column_[i] = x[i * index(columns) + c];
    if (transposed) {
      kinematics_->apply_increment_map_transposed(column_);
    } else {
      kinematics_->apply_increment_map(column_);
    }
    for (std::size_t i = 0; i < column_.size(); ++i) x[i * index(columns) + c] = column_[i];
  }
}

void AlphaStepDerivative::put_outer(int columns, Const outer, int controls, int time,
                                    Span motion) const {
  const Entries entries(columns);
  entries.copy(outer, outer_.parameters, motion_.controls - motion_.parameters, motion,
               motion_.parameters);
  entries.copy(outer, controls, motion_.time - motion_.controls, motion, motion_.controls);
  entries.copy(outer, time, 1, motion, motion_.time);
}

void AlphaStepDerivative::add_forces(int columns, Const arguments, std::vector<double>& steps) {
  clear(forces_of_columns_, columns * dof_);
  forces_->tangent(start_.numbers(), columns, arguments, forces_of_columns_);
  Entries(columns).add(forces_of_columns_, 0, dof_, steps, step_.force);
}

void AlphaStepDerivative::tangent(int columns, Const start, Const outer, Span end) {
  find_tangents(columns, start, outer, end);
}

void AlphaStepDerivative::solve_for_weights(int columns, Const step_gradient,
                                            Const multiplier_gradient, Const algebraic_gradient,
                                            Const eta_gradient, Span weights) {
  const Entries entries(columns);
  const int multipliers = system_.num_multipliers();
  unknowns_.resize(index(columns * assembly_.size()));
  entries.copy(step_gradient, step_.delta_q, dof_, unknowns_, 0);
  apply_increment_map(columns, Span(unknowns_), true);
  entries.scale(multiplier_gradient, 0, 1 / h_, multipliers, unknowns_,
                assembly_.multiplier_offset());
  entries.scale(algebraic_gradient, 0, 1 / h_, system_.num_algebraic(), unknowns_,
                assembly_.algebraic_offset());
  if (stabilized_) {
    entries.copy(eta_gradient, 0, multipliers, unknowns_, assembly_.stabilizer_offset());
    for_each_stabilizer([&](int coordinate, int multiplier, double number) {
      const Const x = entries.of(Const(unknowns_), coordinate);
      const Span eta = entries.of(unknowns_, assembly_.stabilizer_offset() + multiplier);
      for (std::size_t c = 0; c < index(columns); ++c) eta[c] -= number * x[c];
    });
  }
  assembly_.matrix().solve_transposed(columns, unknowns_);
  for_each_row([&](int row, int to, double scale) {
    entries.scale(unknowns_, to, -scale, 1, weights, row);
  });
}

void AlphaStepDerivative::find_gradients(int columns, Const end) {
  const Entries entries(columns);
  clear(step_gradients_, columns * step_.size);
  clear(row_columns_, columns * rows_.size);
  clear(motion_gradients_, columns * motion_.size);
  kinematic_.adjoint(step_point_.numbers(), columns, end, step_gradients_);
  if (stabilized_) find_force_gradients(columns);
  solve_for_weights(
      columns, step_gradients_, entries.of(end, state_.lambda), entries.of(end, state_.s),
      stabilized_ ? entries.of(force_gradients_, motion_.lambda) : Span(), row_columns_);
  elements_.adjoint(end_.numbers(), columns, row_columns_, motion_gradients_);
  pull_back_motion(columns, motion_gradients_, step_gradients_);
  if (stabilized_) find_force_gradients(columns);
}

/// step_gradients += what gradients with respect to (q, v, v̇) at the end mean for the arguments of a step.
void AlphaStepDerivative::pull_back_motion(int columns, std::vector<double>& motion_gradients,
                                           std::vector<double>& step_gradients) {
  clear(end_columns_, columns * state_.size);
  Entries(columns).copy(motion_gradients, motion_.q, 3 * dof_, end_columns_, state_.q);
  kinematic_.adjoint(step_point_.numbers(), columns, end_columns_, step_gradients);
}

void AlphaStepDerivative::find_force_gradients(int columns) {
  clear(force_gradients_, columns * motion_.size);
  forces_of_columns_.resize(index(columns * dof_));
  Entries(columns).copy(step_gradients_, step_.force, dof_, forces_of_columns_, 0);
  forces_->adjoint(start_.numbers(), columns, forces_of_columns_, force_gradients_);
}

void AlphaStepDerivative::distribute(int columns, Const step, Const motion, Const force, Span start,
                                     Span outer) const {
  const Entries entries(columns);
  entries.add(step, 0, 4 * dof_, start, 0);
  entries.add(step, step_.h, 1, outer, outer_.h);
  const auto distribute_outer = [&](Const gradient, int controls, int time) {
    entries.add(gradient, motion_.parameters, motion_.controls - motion_.parameters, outer,
                outer_.parameters);
    entries.add(gradient, motion_.controls, motion_.time - motion_.controls, outer, controls);
    entries.add(gradient, motion_.time, 1, outer, time);
  };
  distribute_outer(motion, outer_.end_controls, outer_.end_time);
  if (!stabilized_) return;
  entries.add(force, 0, dof_, start, 0);
  distribute_outer(force, outer_.end_controls, outer_.start_time);
}

void AlphaStepDerivative::adjoint(int columns, Const end, Span start, Span outer) {
  find_gradients(columns, end);
  distribute(columns, step_gradients_, motion_gradients_, force_gradients_, start, outer);
}

void AlphaStepDerivative::second(Const start_dot, Const outer_dot, const Dual& end,
                                 const Dual& start, const Dual& outer) {
  // The direction in all arguments.
  clear(end_direction_, state_.size);
  find_tangents(1, start_dot, outer_dot, end_direction_);
  add(increments_, step_.size, step_columns_);
  copy(end_direction_, 3 * dof_, Span(motion_columns_).subspan(index(motion_.q)));
  copy(Const(end_direction_).subspan(index(state_.lambda)), state_.size - state_.lambda,
       Span(motion_columns_).subspan(index(motion_.lambda)));
  if (stabilized_) add(eta_arguments_, motion_.size, force_arguments_);

  find_gradients(1, end.value);
  distribute(1, step_gradients_, motion_gradients_, force_gradients_, start.value, outer.value);

  // μ' = μ + ∂E/∂eᵀ w, the weights of K; and all derivatives as far as w stays.
  end_weights_.assign(end.value.begin(), end.value.end());
  add(Const(motion_gradients_).subspan(index(motion_.q)), 3 * dof_, end_weights_);
  clear(motion_dot_, motion_.size);
  elements_.second(end_.numbers(), row_columns_, motion_columns_, motion_dot_);
  clear(step_dot_, step_.size);
  kinematic_.second(step_point_.numbers(), end_weights_, step_columns_, step_dot_);
  kinematic_.adjoint(step_point_.numbers(), 1, end.dot, step_dot_);
  pull_back_motion(1, motion_dot_, step_dot_);
  if (stabilized_) {
    clear(force_second_, motion_.size);
    forces_->second(start_.numbers(), forces_of_columns_, force_arguments_, force_second_);
    find_force_dot();
  }

  // The derivative of w, and what follows from it.
  multiplier_dot_.assign(end.dot.begin() + state_.lambda, end.dot.begin() + state_.size);
  add(Const(motion_dot_).subspan(index(motion_.lambda)), state_.size - state_.lambda,
      multiplier_dot_);
  solve_for_weights(1, step_dot_, multiplier_dot_,
                    Const(multiplier_dot_).subspan(index(system_.num_multipliers())),
                    stabilized_ ? Const(force_dot_).subspan(index(motion_.lambda)) : Const(),
                    row_columns_);
  clear(motion_gradients_, motion_.size);
  elements_.adjoint(end_.numbers(), 1, row_columns_, motion_gradients_);
  add(motion_gradients_, motion_.size, motion_dot_);
  pull_back_motion(1, motion_gradients_, step_dot_);
  if (stabilized_) find_force_dot();
  distribute(1, step_dot_, motion_dot_, force_dot_, start.dot, outer.dot);
}

/// The second derivatives of f with what the gradient with respect to f changes by.
void AlphaStepDerivative::find_force_dot() {
  force_dot_ = force_second_;
  forces_->adjoint(start_.numbers(), 1, Const(step_dot_).subspan(index(step_.force)), force_dot_);
}

}  // namespace liegrad::sensitivity
