#include "liegrad/sensitivity/step/alpha_step_derivative.hpp"

#include <algorithm>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;

/// The part of a column that begins at an offset.
std::span<double> part(std::vector<double>& columns, int size, int column, int first) {
  return std::span(columns).subspan(index(column * size + first));
}

void clear(std::vector<double>& list, int size) { list.assign(index(size), 0.0); }

void copy(std::span<const double> from, int count, std::span<double> to) {
  std::copy_n(from.begin(), count, to.begin());
}
void add(std::span<const double> from, int count, std::span<double> to) {
  for (std::size_t i = 0; i < index(count); ++i) to[i] += from[i];
}

}  // namespace

AlphaStepDerivative::AlphaStepDerivative(const dae::Model& system, const dae::AlphaOptions& options)
    : system_(system),
      stabilized_(options.formulation == dae::Formulation::kStabilized),
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
  unknowns_.resize(index(assembly_.size()));
  set_run(system.parameter_values(), {});
}

void AlphaStepDerivative::set_run(Const parameters, const dae::ControlLaw& /*controls*/) {
  assembly_.set_parameters(parameters);
  end_.set_parameters(parameters);
  start_.set_parameters(parameters);
}

void AlphaStepDerivative::set_step(const StepMade& step) {
  h_ = step.h;
  // Kinematics takes η from the start, as a guess.
  start_state_ = step.start;
  start_state_.eta = step.end.eta;
  assembly_.set_time(step.end.t);
  std::copy(step.end_controls.begin(), step.end_controls.end(), assembly_.controls().begin());
  std::copy(step.end.lambda.begin(), step.end.lambda.end(), assembly_.multipliers().begin());
  std::copy(step.end.s.begin(), step.end.s.end(), assembly_.algebraic().begin());
  kinematics_->begin(start_state_, h_, assembly_);
  kinematics_->guess_increment(step.end.increment);
  kinematics_->evaluate(assembly_, true);
  assembly_.evaluate(true);
  if (!assembly_.matrix().factorize()) {
    const int unknown = std::max(assembly_.matrix().singular_unknown(), 0);
    throw no_derivative(step.end.t, "its matrix is singular at " + assembly_.unknown_name(unknown));
  }
  end_.set(step.end, step.end_controls);
  if (stabilized_) {
    // The controls of a step are those at its end, also in B(q_n).
    start_.set(step.start, step.end_controls);
    std::copy(step.end.eta.begin(), step.end.eta.end(), start_.lambda().begin());
  }
  step_point_.set(step.start, step.end.increment, kinematics_->stabilizer_force(), h_);
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
  clear(step_columns_, columns * step_.size);
  clear(motion_columns_, columns * motion_.size);
  clear(row_columns_, columns * rows_.size);
  std::fill_n(end.begin(), columns * state_.size, 0.0);
  for (int c = 0; c < columns; ++c) {
    copy(start.subspan(index(c * state_.size)), 4 * dof_, part(step_columns_, step_.size, c, 0));
    part(step_columns_, step_.size, c, step_.h)[0] = outer[index(c * outer_.size + outer_.h)];
  }
  if (stabilized_) {
    clear(force_arguments_, columns * motion_.size);
    for (int c = 0; c < columns; ++c) {
      copy(start.subspan(index(c * state_.size)), dof_,
           part(force_arguments_, motion_.size, c, motion_.q));
      put_outer(outer.subspan(index(c * outer_.size)), outer_.end_controls, outer_.start_time,
                part(force_arguments_, motion_.size, c, 0));
    }
    add_forces(columns, force_arguments_, step_columns_);
  }

  // With the unknowns fixed.
  kinematic_.tangent(step_point_.numbers(), columns, step_columns_, end);
  for (int c = 0; c < columns; ++c) {
    copy(end.subspan(index(c * state_.size)), 3 * dof_,
         part(motion_columns_, motion_.size, c, motion_.q));
    put_outer(outer.subspan(index(c * outer_.size)), outer_.end_controls, outer_.end_time,
              part(motion_columns_, motion_.size, c, 0));
  }
  elements_.tangent(end_.numbers(), columns, motion_columns_, row_columns_);

  // Of the unknowns.
  clear(increments_, columns * step_.size);
  if (stabilized_) clear(eta_arguments_, columns * motion_.size);
  for (int c = 0; c < columns; ++c) {
    const Span rows = part(row_columns_, rows_.size, c, 0);
    for_each_row(
        [&](int row, int to, double scale) { unknowns_[index(to)] = -scale * rows[index(row)]; });
    assembly_.matrix().solve(unknowns_);
    const Span delta_q = part(increments_, step_.size, c, step_.delta_q);
    copy(unknowns_, dof_, delta_q);
    if (stabilized_) {
      const Const eta = Const(unknowns_).subspan(index(assembly_.stabilizer_offset()));
      assembly_.stabilizer().add_product(-1, eta, delta_q);
      copy(eta, system_.num_multipliers(), part(eta_arguments_, motion_.size, c, motion_.lambda));
    }
    kinematics_->apply_increment_map(delta_q.first(index(dof_)));
    const auto put_scaled = [&](int from, int count, int first) {
      for (std::size_t i = 0; i < index(count); ++i) {
        end[index(c * state_.size + first) + i] = unknowns_[index(from) + i] / h_;
      }
    };
    put_scaled(assembly_.multiplier_offset(), system_.num_multipliers(), state_.lambda);
    put_scaled(assembly_.algebraic_offset(), system_.num_algebraic(), state_.s);
  }
  if (stabilized_) add_forces(columns, eta_arguments_, increments_);
  kinematic_.tangent(step_point_.numbers(), columns, increments_, end);
}

void AlphaStepDerivative::put_outer(Const outer, int controls, int time, Span motion) const {
  copy(outer.subspan(index(outer_.parameters)), motion_.controls - motion_.parameters,
       motion.subspan(index(motion_.parameters)));
  copy(outer.subspan(index(controls)), motion_.time - motion_.controls,
       motion.subspan(index(motion_.controls)));
  motion[index(motion_.time)] = outer[index(time)];
}

void AlphaStepDerivative::add_forces(int columns, Const arguments, std::vector<double>& steps) {
  clear(forces_of_columns_, columns * dof_);
  forces_->tangent(start_.numbers(), columns, arguments, forces_of_columns_);
  for (int c = 0; c < columns; ++c) {
    add(part(forces_of_columns_, dof_, c, 0), dof_, part(steps, step_.size, c, step_.force));
  }
}

void AlphaStepDerivative::tangent(int columns, Const start, Const outer, Span end) {
  find_tangents(columns, start, outer, end);
}

void AlphaStepDerivative::solve_for_weights(Const step_gradient, Const multiplier_gradient,
                                            Const algebraic_gradient, Const eta_gradient,
                                            Span weights) {
  copy(step_gradient.subspan(index(step_.delta_q)), dof_, unknowns_);
  kinematics_->apply_increment_map_transposed(Span(unknowns_).first(index(dof_)));
  const auto put_scaled = [this](Const gradient, int count, int first) {
    for (std::size_t i = 0; i < index(count); ++i) unknowns_[index(first) + i] = gradient[i] / h_;
  };
  put_scaled(multiplier_gradient, system_.num_multipliers(), assembly_.multiplier_offset());
  put_scaled(algebraic_gradient, system_.num_algebraic(), assembly_.algebraic_offset());
  if (stabilized_) {
    const Span eta = Span(unknowns_).subspan(index(assembly_.stabilizer_offset()));
    copy(eta_gradient, system_.num_multipliers(), eta);
    assembly_.stabilizer().add_transposed_product(-1, unknowns_, eta);
  }
  assembly_.matrix().solve_transposed(unknowns_);
  for_each_row(
      [&](int row, int to, double scale) { weights[index(row)] = -scale * unknowns_[index(to)]; });
}

void AlphaStepDerivative::find_gradients(int columns, Const end) {
  clear(step_gradients_, columns * step_.size);
  clear(row_columns_, columns * rows_.size);
  clear(motion_gradients_, columns * motion_.size);
  kinematic_.adjoint(step_point_.numbers(), columns, end, step_gradients_);
  if (stabilized_) find_force_gradients(columns);
  for (int c = 0; c < columns; ++c) {
    const Const own = end.subspan(index(c * state_.size));
    solve_for_weights(
        part(step_gradients_, step_.size, c, 0), own.subspan(index(state_.lambda)),
        own.subspan(index(state_.s)),
        stabilized_ ? part(force_gradients_, motion_.size, c, motion_.lambda) : Span(),
        part(row_columns_, rows_.size, c, 0));
  }
  elements_.adjoint(end_.numbers(), columns, row_columns_, motion_gradients_);
  pull_back_motion(columns, motion_gradients_, step_gradients_);
  if (stabilized_) find_force_gradients(columns);
}

/// step_gradients += what gradients with respect to (q, v, v̇) at the end mean for the arguments of a step.
void AlphaStepDerivative::pull_back_motion(int columns, std::vector<double>& motion_gradients,
                                           std::vector<double>& step_gradients) {
  clear(end_columns_, columns * state_.size);
  for (int c = 0; c < columns; ++c) {
    copy(part(motion_gradients, motion_.size, c, motion_.q), 3 * dof_,
         part(end_columns_, state_.size, c, state_.q));
  }
  kinematic_.adjoint(step_point_.numbers(), columns, end_columns_, step_gradients);
}

void AlphaStepDerivative::find_force_gradients(int columns) {
  clear(force_gradients_, columns * motion_.size);
  clear(forces_of_columns_, columns * dof_);
  for (int c = 0; c < columns; ++c) {
    copy(part(step_gradients_, step_.size, c, step_.force), dof_,
         part(forces_of_columns_, dof_, c, 0));
  }
  forces_->adjoint(start_.numbers(), columns, forces_of_columns_, force_gradients_);
}

void AlphaStepDerivative::distribute(Const step, Const motion, Const force, Span start,
                                     Span outer) const {
  add(step, 4 * dof_, start);
  outer[index(outer_.h)] += step[index(step_.h)];
  const auto distribute_outer = [&](Const gradient, int controls, int time) {
    add(gradient.subspan(index(motion_.parameters)), motion_.controls - motion_.parameters,
        outer.subspan(index(outer_.parameters)));
    add(gradient.subspan(index(motion_.controls)), motion_.time - motion_.controls,
        outer.subspan(index(controls)));
    outer[index(time)] += gradient[index(motion_.time)];
  };
  distribute_outer(motion, outer_.end_controls, outer_.end_time);
  if (!stabilized_) return;
  add(force, dof_, start);
  distribute_outer(force, outer_.end_controls, outer_.start_time);
}

void AlphaStepDerivative::adjoint(int columns, Const end, Span start, Span outer) {
  find_gradients(columns, end);
  for (int c = 0; c < columns; ++c) {
    distribute(part(step_gradients_, step_.size, c, 0), part(motion_gradients_, motion_.size, c, 0),
               stabilized_ ? part(force_gradients_, motion_.size, c, 0) : Span(),
               start.subspan(index(c * state_.size)), outer.subspan(index(c * outer_.size)));
  }
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
  distribute(step_gradients_, motion_gradients_, force_gradients_, start.value, outer.value);

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
  solve_for_weights(
      step_dot_, multiplier_dot_, Const(multiplier_dot_).subspan(index(system_.num_multipliers())),
      stabilized_ ? Const(force_dot_).subspan(index(motion_.lambda)) : Const(), row_columns_);
  clear(motion_gradients_, motion_.size);
  elements_.adjoint(end_.numbers(), 1, row_columns_, motion_gradients_);
  add(motion_gradients_, motion_.size, motion_dot_);
  pull_back_motion(1, motion_gradients_, step_dot_);
  if (stabilized_) find_force_dot();
  distribute(step_dot_, motion_dot_, force_dot_, start.dot, outer.dot);
}

/// The second derivatives of f with what the gradient with respect to f changes by.
void AlphaStepDerivative::find_force_dot() {
  force_dot_ = force_second_;
  forces_->adjoint(start_.numbers(), 1, Const(step_dot_).subspan(index(step_.force)), force_dot_);
}

}  // namespace liegrad::sensitivity
