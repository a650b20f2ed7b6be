#include "liegrad/sensitivity/step/radau_stages.hpp"

#include <algorithm>

#include "liegrad/sensitivity/step/node_sum.hpp"
#include "liegrad/sensitivity/step/stabilizer_products.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using Side = dae::RadauKinematics::Side;
using Span = std::span<double>;
using Const = std::span<const double>;

dae::Formulation formulation_of(const dae::Model& system) {
  return system.num_multipliers() > 0 ? dae::Formulation::kStabilized : dae::Formulation::kIndex3;
}

}  // namespace

RadauStages::RadauStages(const dae::Model& system, const dae::IntegrateOptions& options)
    : system_(system),
      stages_(options.radau.stages),
      dof_(system.dof()),
      multipliers_(system.num_multipliers()),
      algebraic_(system.num_algebraic()),
      coefficients_(stages_),
      assembly_(system, formulation_of(system), false, options.alpha.solver),
      equations_(assembly_, coefficients_, options.alpha.solver, [this](double t) { go_to(t); }),
      motion_(system),
      state_(system, dae::Method::kRadau),
      outer_(system),
      outer_motion_(system),
      step_(dof_, stages_),
      rows_(system, dae::constraint_rows(formulation_of(system))),
      scaled_rows_(rows_, assembly_),
      kinematic_(node_sum(system.configuration_space(),
                          stages_ == 2 ? NodeMap::kRadauStep2 : NodeMap::kRadauStep3)),
      elements_(element_sum(system, dae::ElementFunction::kStep,
                            dae::constraint_rows(formulation_of(system)))),
      points_(index(stages_), MotionPoint(system)),
      start_(system),
      step_numbers_(index(step_.size + stages_ * dof_), 0.0) {
  if (multipliers_ == 0) return;
  forces_ = element_sum(system, dae::ElementFunction::kConstraintForce);
  stabilizer_weights_.emplace(system);
}

void RadauStages::go_to(double t) {
  assembly_.set_time(t);
  if (*law_) (*law_)(t, assembly_.controls());
}

void RadauStages::set_run(Const parameters, const dae::ControlLaw& controls) {
  law_ = &controls;
  assembly_.set_parameters(parameters);
  start_.set_parameters(parameters);
  for (MotionPoint& point : points_) point.set_parameters(parameters);
}

void RadauStages::set_weights(dae::Assembly& assembly) {
  if (stabilizer_weights_) equations_.set_weights(stabilizer_weights_->find(assembly));
}

void RadauStages::set_stage(int i, double t) {
  const dae::RadauKinematics& motion = equations_.kinematics();
  MotionPoint& point = points_[index(i)];
  for (int node = 0; node < system_.configuration_space().size(); ++node) {
    motion.write_view(i, node, point.view(node));
  }
  std::ranges::copy(motion.v(i), point.v().begin());
  std::ranges::copy(motion.v_dot(i), point.v_dot().begin());
  std::ranges::copy(equations_.multipliers(i), point.lambda().begin());
  std::ranges::copy(equations_.algebraic(i), point.s().begin());
  go_to(t);
  std::ranges::copy(assembly_.controls(), point.controls().begin());
  point.set_time(t);
}

void RadauStages::set_step(const StepMade& step) {
  h_ = step.h;
  scaled_rows_.set_step(h_);
  equations_.begin(step.start, h_);
  equations_.set_unknowns(step.end.memory);
  if (!equations_.factorize_full()) {
    throw no_derivative(step.end.t, "its matrix is singular at " +
                                        assembly_.unknown_name(equations_.singular_unknown()));
  }
  for (int i = 0; i < stages_; ++i) set_stage(i, step.start.t + coefficients_.c(i) * h_);
  if (forces_) start_.set(step.start, step.start_controls);

  const auto put = [this](int first, Const values) {
    std::ranges::copy(values, step_numbers_.begin() + first);
  };
  const dae::RadauKinematics& motion = equations_.kinematics();
  put(dof_, step.start.v);
  put(step_.f, equations_.forces());
  step_numbers_[index(step_.h)] = h_;
  for (int i = 0; i < stages_; ++i) {
    put(step_.p + i * dof_, motion.rates(i));
    put(step_.size + i * dof_, motion.theta(i));
  }
}

std::span<const double> RadauStages::force_weights(int i, int columns, Const step) {
  const Entries entries(columns);
  entries.clear(force_values_, dof_);
  for (int k = 0; k < dof_; ++k) {
    entries.scale(step, step_.f + i * dof_ + k, equations_.weights()[index(k)], 1, force_values_,
                  k);
  }
  return force_values_;
}

/// The time of a stage is t_n + c_i h, and its controls move with those of the end, as in Munthe-Kaas steps.
void RadauStages::put_stage_outer(int i, int columns, Const outer, Span motion) const {
  outer_motion_.put(columns, outer, outer_.end_controls, outer_.start_time, motion);
  Entries(columns).add_multiple(coefficients_.c(i), outer, outer_.h, 1, motion, motion_.time);
}

void RadauStages::add_stage_outer(int i, int columns, Const motion, Span outer) const {
  outer_motion_.add(columns, motion, outer_.end_controls, outer_.start_time, outer);
  Entries(columns).add_multiple(coefficients_.c(i), motion, motion_.time, 1, outer, outer_.h);
}

/// Leaves tangents of the stages in stage_columns_, and those of all arguments in step_columns_ + increments_, in
/// motion_columns_ (without those of the unknowns), unknowns_ and force_columns_ (without η).
void RadauStages::tangent(int columns, Const start, Const outer) {
  const Entries entries(columns);
  entries.clear(step_columns_, step_.size);
  entries.copy(start, state_.q, 2 * dof_, step_columns_, step_.q);
  entries.copy(outer, outer_.h, 1, step_columns_, step_.h);
  if (forces_) {
    entries.clear(force_columns_, motion_.size);
    entries.copy(start, state_.q, dof_, force_columns_, motion_.q);
    outer_motion_.put(columns, outer, outer_.start_controls, outer_.start_time, force_columns_);
    for (int i = 0; i < stages_; ++i) {
      std::ranges::copy(equations_.stabilizers(i), start_.lambda().begin());
      entries.clear(force_values_, dof_);
      forces_->tangent(start_.numbers(), columns, force_columns_, force_values_);
      for (int k = 0; k < dof_; ++k) {
        entries.scale(force_values_, k, equations_.weights()[index(k)], 1, step_columns_,
                      step_.f + i * dof_ + k);
      }
    }
  }

  // With the unknowns fixed.
  entries.clear(stage_columns_, 3 * stages_ * dof_);
  kinematic_->tangent(step_numbers_, columns, step_columns_, stage_columns_);
  entries.clear(motion_columns_, stages_ * motion_.size);
  entries.clear(row_columns_, stages_ * rows_.size);
  entries.clear(unknowns_, stages_ * assembly_.size());
  for (int i = 0; i < stages_; ++i) {
    const Span motion = motion_of(i, columns, motion_columns_);
    const Span rows = rows_of(i, columns, row_columns_);
    entries.copy(stage_columns_, 3 * i * dof_, 3 * dof_, motion, motion_.q);
    put_stage_outer(i, columns, outer, motion);
    elements_.tangent(points_[index(i)].numbers(), columns, motion, rows);
    scaled_rows_.negative_to_assembly(columns, rows, entries.of(unknowns_, i * assembly_.size()));
  }

  // Of the unknowns.
  equations_.full_matrix().solve(columns, unknowns_);
  entries.clear(increments_, step_.size);
  for (int i = 0; i < stages_; ++i) {
    const Const own = entries.of(Const(unknowns_), i * assembly_.size(), assembly_.size());
    entries.copy(own, 0, dof_, increments_, step_.p + i * dof_);
    if (!forces_) continue;
    const Const eta = entries.of(own, assembly_.stabilizer_offset());
    const dae::Stabilizer& n = assembly_.stabilizer();
    add_stabilizer(n, columns, -1, eta, entries.of(increments_, step_.p + i * dof_));
    add_stabilizer(n, columns, 1, eta, entries.of(increments_, step_.f + i * dof_));
  }
  equations_.kinematics().multiply(Side::kPlain, columns,
                                   entries.of(increments_, step_.p, stages_ * dof_));
  kinematic_->tangent(step_numbers_, columns, increments_, stage_columns_);
}

/// The weights of E that make the gradient with respect to the unknowns vanish, in row_columns_. That with respect to λ
/// and s stands in `motion`, if it is not empty.
void RadauStages::solve_for_weights(int columns, Const step, Const eta, Const motion) {
  const Entries entries(columns);
  const int size = assembly_.size();
  entries.clear(rates_, stages_ * dof_);
  entries.copy(step, step_.p, stages_ * dof_, rates_, 0);
  equations_.kinematics().multiply(Side::kTransposed, columns, rates_);
  entries.clear(unknowns_, stages_ * size);
  for (int i = 0; i < stages_; ++i) {
    const Span own = entries.of(unknowns_, i * size, size);
    entries.copy(rates_, i * dof_, dof_, own, 0);
    if (!motion.empty()) {
      entries.scale(motion, i * motion_.size + motion_.lambda, 1 / h_, multipliers_ + algebraic_,
                    own, assembly_.multiplier_offset());
    }
    if (!forces_) continue;
    entries.copy(eta, i * multipliers_, multipliers_, own, assembly_.stabilizer_offset());
    add_transposed_stabilizer(assembly_.stabilizer(), columns, -1,
                              entries.of(Const(rates_), i * dof_),
                              entries.of(own, assembly_.stabilizer_offset()));
  }
  equations_.full_matrix().solve_transposed(columns, unknowns_);
  entries.clear(row_columns_, stages_ * rows_.size);
  for (int i = 0; i < stages_; ++i) {
    scaled_rows_.negative_from_assembly(columns, entries.of(Const(unknowns_), i * size),
                                        rows_of(i, columns, row_columns_));
  }
}

void RadauStages::pull_back(int columns, Vector& motions, Vector& step) {
  const Entries entries(columns);
  entries.clear(stage_columns_, 3 * stages_ * dof_);
  for (int i = 0; i < stages_; ++i) {
    entries.copy(motions, i * motion_.size + motion_.q, 3 * dof_, stage_columns_, 3 * i * dof_);
  }
  kinematic_->adjoint(step_numbers_, columns, stage_columns_, step);
}

void RadauStages::add_force_gradients(int columns, Const step, Vector& force) {
  for (int i = 0; i < stages_; ++i) {
    std::ranges::copy(equations_.stabilizers(i), start_.lambda().begin());
    forces_->adjoint(start_.numbers(), columns, force_weights(i, columns, step), force);
  }
}

void RadauStages::distribute(int columns, Const step, Vector& motions, Const force, Span start,
                             Span outer) const {
  const Entries entries(columns);
  entries.add(step, step_.q, 2 * dof_, start, state_.q);
  entries.add(step, step_.h, 1, outer, outer_.h);
  for (int i = 0; i < stages_; ++i) {
    add_stage_outer(i, columns, motion_of(i, columns, motions), outer);
  }
  if (!forces_) return;
  entries.add(force, motion_.q, dof_, start, state_.q);
  outer_motion_.add(columns, force, outer_.start_controls, outer_.start_time, outer);
}

/// Leaves gradients with respect to all arguments in step_gradients_, motion_gradients_ and force_gradients_, and the weights
/// of E in row_columns_; stage_gradients_ are those of K that belong to the last stage.
void RadauStages::find_gradients(int columns, Const last) {
  const Entries entries(columns);
  entries.clear(stage_gradients_, 3 * stages_ * dof_);
  entries.copy(last, 0, 3 * dof_, stage_gradients_, 3 * (stages_ - 1) * dof_);
  entries.clear(step_gradients_, step_.size);
  kinematic_->adjoint(step_numbers_, columns, stage_gradients_, step_gradients_);
  entries.clear(eta_gradients_, stages_ * multipliers_);
  for (int i = 0; forces_ && i < stages_; ++i) {
    add_transposed_stabilizer(assembly_.stabilizer(), columns, 1,
                              entries.of(Const(step_gradients_), step_.f + i * dof_),
                              entries.of(eta_gradients_, i * multipliers_));
  }
  solve_for_weights(columns, step_gradients_, eta_gradients_, {});
  entries.clear(motion_gradients_, stages_ * motion_.size);
  for (int i = 0; i < stages_; ++i) {
    elements_.adjoint(points_[index(i)].numbers(), columns, rows_of(i, columns, row_columns_),
                      motion_of(i, columns, motion_gradients_));
  }
  pull_back(columns, motion_gradients_, step_gradients_);
  if (!forces_) return;
  entries.clear(force_gradients_, motion_.size);
  add_force_gradients(columns, step_gradients_, force_gradients_);
}

void RadauStages::adjoint(int columns, Const last, Span start, Span outer) {
  find_gradients(columns, last);
  distribute(columns, step_gradients_, motion_gradients_, force_gradients_, start, outer);
}

}  // namespace liegrad::sensitivity
