#include "liegrad/sensitivity/step/alpha_step_derivative.hpp"

#include <algorithm>

#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/entries.hpp"
#include "liegrad/sensitivity/step/node_sum.hpp"
#include "liegrad/sensitivity/step/stabilizer_products.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;

using Span = std::span<double>;
using Const = std::span<const double>;

void clear(std::vector<double>& list, int size) {
  list.resize(index(size));
  std::ranges::fill(list, 0.0);
}

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
      state_(system, dae::Method::kAlpha),
      outer_(system),
      step_(system.dof()),
      rows_(system, dae::constraint_rows(options.formulation)),
      dof_(system.dof()),
      assembly_(system, options.formulation, options.variant != dae::AlphaVariant::kLieGroup,
                options.consistency.allow_redundant ? dae::LinearSolverKind::kMinimumNorm
                                                    : options.solver),
      scaled_rows_(rows_, assembly_),
      outer_motion_(system),
      kinematics_(dae::make_kinematics(system, options)),
      elements_(element_sum(system, dae::ElementFunction::kStep,
                            dae::constraint_rows(options.formulation))),
      kinematic_(node_sum(system.configuration_space(),
                          alpha_step_map(options.variant, options.method.sigma))),
      end_(system),
      start_(system),
      step_point_(system.dof(), options.method) {
  if (options.variant == dae::AlphaVariant::kLieGroup) {
    corrections_.emplace(system, options.method.parameters);
  }
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
  scaled_rows_.set_step(h_);
  if (corrections_) corrections_->set_step(h_);
  const dae::MethodState* start = &step.start;
  const dae::AlphaMemory<const double> end = dae::alpha_memory(step.end);
  if (stabilized_) {  // Kinematics takes η from the start, as a guess.
    start_state_ = step.start;
    std::ranges::copy(end.eta, dae::alpha_memory(start_state_).eta.begin());
    start = &start_state_;
  }
  assembly_.set_time(step.end.t);
  std::copy(step.end_controls.begin(), step.end_controls.end(), assembly_.controls().begin());
  std::copy(step.end.lambda.begin(), step.end.lambda.end(), assembly_.multipliers().begin());
  std::copy(step.end.s.begin(), step.end.s.end(), assembly_.algebraic().begin());
  kinematics_->begin(*start, h_, assembly_);
  kinematics_->guess_increment(end.increment);
  kinematics_->evaluate(assembly_, true);
  factorize(step.end.t);
  set_end(step);
  if (stabilized_) {
    // The controls of a step are those at its end, also in B(q_n).
    start_.set(step.start, step.end_controls);
    std::ranges::copy(end.eta, start_.lambda().begin());
  }
  step_point_.set(step.start, end.increment, kinematics_->stabilizer_force(), h_);
}

void AlphaStepDerivative::factorize(double t_end) {
  if (assembly_.evaluate_and_factorize()) return;
  // It did so in place; with other pivots it needs the matrix again.
  assembly_.evaluate(true);
  if (assembly_.matrix().factorize()) return;
  const int unknown = std::max(assembly_.matrix().singular_unknown(), 0);
  throw no_derivative(t_end, "its matrix is singular at " + assembly_.unknown_name(unknown));
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

void AlphaStepDerivative::find_tangents(int columns, Const start, Const outer, Span end) {
  const Entries entries(columns);
  // Of long lists only what is not written below is cleared.
  const auto clear_part = [&entries](std::vector<double>& list, int first, int end_of_part) {
    std::ranges::fill(entries.of(list, first, end_of_part - first), 0.0);
  };
  step_columns_.resize(index(columns * step_.size));
  clear_part(step_columns_, 4 * dof_, step_.size);
  motion_columns_.resize(index(columns * motion_.size));
  clear_part(motion_columns_, motion_.lambda, motion_.parameters);
  clear(row_columns_, columns * rows_.size);
  std::ranges::fill(entries.of(end, 0, 4 * dof_), 0.0);
  entries.copy(start, 0, 4 * dof_, step_columns_, 0);
  entries.copy(outer, outer_.h, 1, step_columns_, step_.h);
  if (stabilized_) {
    clear(force_arguments_, columns * motion_.size);
    entries.copy(start, 0, dof_, force_arguments_, motion_.q);
    outer_motion_.put(columns, outer, outer_.end_controls, outer_.start_time, force_arguments_);
    add_forces(columns, force_arguments_, step_columns_);
  }

  // With the unknowns fixed.
  kinematic_->tangent(step_point_.numbers(), columns, step_columns_, end);
  entries.copy(end, 0, 3 * dof_, motion_columns_, motion_.q);
  outer_motion_.put(columns, outer, outer_.end_controls, outer_.end_time, motion_columns_);
  elements_.tangent(end_.numbers(), columns, motion_columns_, row_columns_);

  // Of the unknowns.
  const int multipliers = system_.num_multipliers();
  unknowns_.resize(index(columns * assembly_.size()));
  scaled_rows_.negative_to_assembly(columns, row_columns_, unknowns_);
  assembly_.matrix().solve(columns, unknowns_);
  moved_.assign(unknowns_.begin(), unknowns_.begin() + columns * dof_);
  if (stabilized_) {
    add_stabilizer(assembly_.stabilizer(), columns, -1,
                   entries.of(Const(unknowns_), assembly_.stabilizer_offset()), moved_);
  }
  entries.scale(unknowns_, assembly_.multiplier_offset(), 1 / h_, multipliers, end, state_.lambda);
  entries.scale(unknowns_, assembly_.algebraic_offset(), 1 / h_, system_.num_algebraic(), end,
                state_.s);
  if (corrections_) return corrections_->add(columns, assembly_.nodes(), moved_, unknowns_, end);
  find_increments(columns);
  kinematic_->tangent(step_point_.numbers(), columns, increments_, end);
}

/// The part of the unknowns in the arguments of a step, and of η in those of F, after find_tangents().
void AlphaStepDerivative::find_increments(int columns) {
  const Entries entries(columns);
  clear(increments_, columns * step_.size);
  entries.copy(moved_, 0, dof_, increments_, step_.delta_q);
  apply_increment_map(columns, entries.of(increments_, step_.delta_q), false);
  if (!stabilized_) return;
  clear(eta_arguments_, columns * motion_.size);
  entries.copy(unknowns_, assembly_.stabilizer_offset(), system_.num_multipliers(), eta_arguments_,
               motion_.lambda);
  add_forces(columns, eta_arguments_, increments_);
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

void AlphaStepDerivative::add_forces(int columns, Const arguments, std::vector<double>& steps) {
  clear(forces_of_columns_, columns * dof_);
  forces_->tangent(start_.numbers(), columns, arguments, forces_of_columns_);
  Entries(columns).add(forces_of_columns_, 0, dof_, steps, step_.force);
}

void AlphaStepDerivative::tangent(int columns, Const start, Const outer, Span end) {
  find_tangents(columns, start, outer, end);
}

/// Right-hand sides of unknowns_ for the gradients with respect to the increment, and to η by itself.
void AlphaStepDerivative::set_increment_gradient(int columns, Const step_gradient,
                                                 Const eta_gradient) {
  const Entries entries(columns);
  entries.copy(step_gradient, step_.delta_q, dof_, unknowns_, 0);
  apply_increment_map(columns, Span(unknowns_), true);
  if (!stabilized_) return;
  const int eta = assembly_.stabilizer_offset();
  entries.copy(eta_gradient, 0, system_.num_multipliers(), unknowns_, eta);
  add_transposed_stabilizer(assembly_.stabilizer(), columns, -1, unknowns_,
                            entries.of(unknowns_, eta));
}

/// The same for gradients with respect to the end, whose derivatives by the unknowns are known.
void AlphaStepDerivative::set_end_gradient(int columns, Const end) {
  const Entries entries(columns);
  moved_.resize(index(columns * dof_));
  corrections_->pull_back(columns, assembly_.nodes(), end, moved_, unknowns_);
  if (!stabilized_) return;
  const Span eta = entries.of(unknowns_, assembly_.stabilizer_offset(), system_.num_multipliers());
  std::ranges::fill(eta, 0.0);
  add_transposed_stabilizer(assembly_.stabilizer(), columns, -1, moved_, eta);
}

void AlphaStepDerivative::solve_for_weights(int columns, Const multiplier_gradient,
                                            Const algebraic_gradient, Span weights) {
  const Entries entries(columns);
  entries.scale(multiplier_gradient, 0, 1 / h_, system_.num_multipliers(), unknowns_,
                assembly_.multiplier_offset());
  entries.scale(algebraic_gradient, 0, 1 / h_, system_.num_algebraic(), unknowns_,
                assembly_.algebraic_offset());
  assembly_.matrix().solve_transposed(columns, unknowns_);
  scaled_rows_.negative_from_assembly(columns, unknowns_, weights);
}

void AlphaStepDerivative::find_gradients(int columns, Const end) {
  const Entries entries(columns);
  unknowns_.resize(index(columns * assembly_.size()));
  row_columns_.resize(index(columns * rows_.size));
  if (corrections_) {
    set_end_gradient(columns, end);
  } else {
    clear(step_gradients_, columns * step_.size);
    kinematic_->adjoint(step_point_.numbers(), columns, end, step_gradients_);
    if (stabilized_) find_force_gradients(columns);
    set_increment_gradient(columns, step_gradients_,
                           stabilized_ ? entries.of(force_gradients_, motion_.lambda) : Span());
  }
  solve_for_weights(columns, entries.of(end, state_.lambda), entries.of(end, state_.s),
                    row_columns_);
  clear(motion_gradients_, columns * motion_.size);
  elements_.adjoint(end_.numbers(), columns, row_columns_, motion_gradients_);
  // μ' = μ + ∂E/∂eᵀ w, the weights of K.
  end_weights_.resize(index(4 * columns * dof_));
  entries.copy(end, 0, 4 * dof_, end_weights_, 0);
  entries.add(motion_gradients_, motion_.q, 3 * dof_, end_weights_, state_.q);
  clear(step_gradients_, columns * step_.size);
  kinematic_->adjoint(step_point_.numbers(), columns, end_weights_, step_gradients_);
  if (stabilized_) find_force_gradients(columns);
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
  outer_motion_.add(columns, motion, outer_.end_controls, outer_.end_time, outer);
  if (!stabilized_) return;
  entries.add(force, 0, dof_, start, 0);
  outer_motion_.add(columns, force, outer_.end_controls, outer_.start_time, outer);
}

void AlphaStepDerivative::adjoint(int columns, Const end, Span start, Span outer) {
  find_gradients(columns, end);
  distribute(columns, step_gradients_, motion_gradients_, force_gradients_, start, outer);
}

void AlphaStepDerivative::second(Const start_dot, Const outer_dot, const Dual& end,
                                 const Dual& start, const Dual& outer) {
  // The direction in all arguments.
  const Entries entries(1);
  clear(end_direction_, state_.size);
  find_tangents(1, start_dot, outer_dot, end_direction_);
  if (corrections_) find_increments(1);
  add(increments_, step_.size, step_columns_);
  copy(end_direction_, 3 * dof_, Span(motion_columns_).subspan(index(motion_.q)));
  copy(Const(end_direction_).subspan(index(state_.lambda)), state_.size - state_.lambda,
       Span(motion_columns_).subspan(index(motion_.lambda)));
  if (stabilized_) add(eta_arguments_, motion_.size, force_arguments_);

  find_gradients(1, end.value);
  distribute(1, step_gradients_, motion_gradients_, force_gradients_, start.value, outer.value);

  // All derivatives as far as w stays. The weights of K, μ' = μ + ∂E/∂eᵀ w, change with it.
  clear(motion_dot_, motion_.size);
  elements_.second(end_.numbers(), row_columns_, motion_columns_, motion_dot_);
  clear(step_dot_, step_.size);
  kinematic_->second(step_point_.numbers(), end_weights_, step_columns_, step_dot_);
  end_weights_.assign(end.dot.begin(), end.dot.begin() + 4 * dof_);
  entries.add(motion_dot_, motion_.q, 3 * dof_, end_weights_, state_.q);
  kinematic_->adjoint(step_point_.numbers(), 1, end_weights_, step_dot_);
  if (stabilized_) {
    clear(force_second_, motion_.size);
    forces_->second(start_.numbers(), forces_of_columns_, force_arguments_, force_second_);
    find_force_dot();
  }

  // The derivative of w, and what follows from it.
  multiplier_dot_.assign(end.dot.begin() + state_.lambda, end.dot.begin() + state_.size);
  add(Const(motion_dot_).subspan(index(motion_.lambda)), state_.size - state_.lambda,
      multiplier_dot_);
  set_increment_gradient(1, step_dot_,
                         stabilized_ ? Const(force_dot_).subspan(index(motion_.lambda)) : Const());
  solve_for_weights(1, multiplier_dot_,
                    Const(multiplier_dot_).subspan(index(system_.num_multipliers())), row_columns_);
  clear(motion_gradients_, motion_.size);
  elements_.adjoint(end_.numbers(), 1, row_columns_, motion_gradients_);
  add(motion_gradients_, motion_.size, motion_dot_);
  clear(end_weights_, 4 * dof_);
  entries.add(motion_gradients_, motion_.q, 3 * dof_, end_weights_, state_.q);
  kinematic_->adjoint(step_point_.numbers(), 1, end_weights_, step_dot_);
  if (stabilized_) find_force_dot();
  distribute(1, step_dot_, motion_dot_, force_dot_, start.dot, outer.dot);
}

/// The second derivatives of f with what the gradient with respect to f changes by.
void AlphaStepDerivative::find_force_dot() {
  force_dot_ = force_second_;
  forces_->adjoint(start_.numbers(), 1, Const(step_dot_).subspan(index(step_.force)), force_dot_);
}

}  // namespace liegrad::sensitivity
