#include "liegrad/sensitivity/step/radau_derivative.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "liegrad/dae/runge_kutta/radau_equations.hpp"
#include "liegrad/dae/runge_kutta/stabilizer_weights.hpp"
#include "liegrad/sensitivity/step/acceleration_derivative.hpp"
#include "liegrad/sensitivity/step/element_sum.hpp"
#include "liegrad/sensitivity/step/entries.hpp"
#include "liegrad/sensitivity/step/node_sum.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using Side = dae::RadauKinematics::Side;
using Span = std::span<double>;
using Const = std::span<const double>;
using Vector = std::vector<double>;

/// Arguments of K, the node function of a step: δ_n, v_n, p_1 …, f_1 …, h. Its values are (δ, v, v̇) by stage.
struct RadauArguments {
  RadauArguments(int dof, int stages)
      : p(2 * dof), f((2 + stages) * dof), h((2 + 2 * stages) * dof), size(h + 1) {}
  int q = 0, p, f, h, size;
};

/// With the relations K of the stages, the equations E of the elements and f_i = F(q_n, η_i) = W B(q_n)ᵀη_i, a step
/// solves
///
///     E(e_i, λ_i, s_i, outer) = 0,   (e_1, …) = K(q_n, v_n, p, f, h),   e_i = (q, v, v̇)_i
///
/// for p, λ, s and η of all stages. Its derivative by these is the matrix of Newton's iteration, in terms of
/// the corrections x_i = (w, hλ, hs, η)_i with dp = E(w - Nη), see RadauEquations.
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
  void go_to(double t);
  void set_stage(int i, double t);
  void go_to_end();

  // Numbers of one stage among those of all, of columns side by side.
  Span motion_of(int i, int columns, Vector& list) const {
    return Entries(columns).of(list, i * motion_.size, motion_.size);
  }
  Span rows_of(int i, int columns, Vector& list) const {
    return Entries(columns).of(list, i * rows_.size, rows_.size);
  }

  template <class F>
  void for_each_row(F&& f) const;
  /// to += factor · N from, or Nᵀ, of the stage i.
  void add_stabilizer(int columns, double factor, Const eta, Span to);
  void add_transposed_stabilizer(int columns, double factor, Const x, Span eta);
  /// The weights of B(q_n)ᵀη_i, from those of f_i.
  Const force_weights(int i, int columns, Const step);
  void put_outer(int columns, Const outer, int controls, int time, Span motion) const;
  void add_outer(int columns, Const motion, int controls, int time, Span outer) const;
  void put_stage_outer(int i, int columns, Const outer, Span motion) const;
  void add_stage_outer(int i, int columns, Const motion, Span outer) const;
  void find_tangents(int columns, Const start, Const outer);
  void solve_for_weights(int columns, Const step, Const eta, Const motion);
  /// Adds what gradients with respect to the stages' motions mean for the arguments of a step.
  void pull_back(int columns, Vector& motions, Vector& step);
  void add_force_gradients(int columns, Const step, Vector& force);
  void distribute(int columns, Const step, Vector& motions, Const force, Span start,
                  Span outer) const;
  bool end_counts(Const end, int columns) const;
  /// The motion at the end: gradients with respect to q and v (and v̇), from those of a state.
  void gradient_of_end(int columns, Const end, Vector& motion) const;
  void find_gradients(int columns);

  const dae::Model& system_;
  const dae::ControlLaw* law_ = nullptr;
  int stages_, dof_, multipliers_, algebraic_;
  dae::RadauCoefficients coefficients_;
  dae::Assembly assembly_;
  dae::RadauEquations equations_;
  MotionLayout motion_;
  StateLayout state_;
  OuterLayout outer_;
  RadauArguments step_;
  EquationRows rows_;
  std::shared_ptr<KernelSum> kinematic_;                 ///< K
  KernelSum elements_;                                   ///< E
  std::optional<KernelSum> forces_;                      ///< B(q)ᵀη
  std::optional<AccelerationDerivative> accelerations_;  ///< of v̇, λ and s at the end
  std::optional<dae::StabilizerWeights> stabilizer_weights_;
  std::vector<MotionPoint> points_;  ///< of stages
  MotionPoint start_;
  Vector step_numbers_;
  double h_ = 0;
  const dae::State* end_ = nullptr;
  Const end_controls_;
  bool is_at_end_ = false;

  // Of columns side by side.
  Vector step_columns_, increments_, stage_columns_, motion_columns_, force_columns_, force_values_,
      unknowns_, rates_, row_columns_, end_columns_, eta_gradients_;
  Vector stage_gradients_, step_gradients_, motion_gradients_, force_gradients_, end_gradients_;
  // Of second derivatives.
  Vector step_dot_, motion_dot_, force_dot_, force_second_, eta_dot_, end_dot_, stage_weights_,
      force_direction_;
};

dae::Formulation formulation_of(const dae::Model& system) {
  return system.num_multipliers() > 0 ? dae::Formulation::kStabilized : dae::Formulation::kIndex3;
}

RadauDerivative::RadauDerivative(const dae::Model& system, const dae::IntegrateOptions& options)
    : system_(system),
      stages_(options.radau.stages),
      dof_(system.dof()),
      multipliers_(system.num_multipliers()),
      algebraic_(system.num_algebraic()),
      coefficients_(stages_),
      assembly_(system, formulation_of(system), false, options.alpha.solver),
      equations_(assembly_, coefficients_, options.alpha.solver, [this](double t) { go_to(t); }),
      motion_(system),
      state_(system),
      outer_(system),
      step_(dof_, stages_),
      rows_(system, dae::constraint_rows(formulation_of(system))),
      kinematic_(node_sum(system.configuration_space(),
                          stages_ == 2 ? NodeMap::kRadauStep2 : NodeMap::kRadauStep3)),
      elements_(element_sum(system, dae::ElementFunction::kStep,
                            dae::constraint_rows(formulation_of(system)))),
      points_(index(stages_), MotionPoint(system)),
      start_(system),
      step_numbers_(index(step_.size + stages_ * dof_), 0.0) {
  if (multipliers_ > 0) {
    forces_ = element_sum(system, dae::ElementFunction::kConstraintForce);
    stabilizer_weights_.emplace(system);
  }
  if (multipliers_ + algebraic_ > 0) accelerations_.emplace(system, options.alpha.solver);
}

void RadauDerivative::go_to(double t) {
  assembly_.set_time(t);
  if (*law_) (*law_)(t, assembly_.controls());
}

void RadauDerivative::set_run(Const parameters, const dae::ControlLaw& controls) {
  law_ = &controls;
  assembly_.set_parameters(parameters);
  start_.set_parameters(parameters);
  for (MotionPoint& point : points_) point.set_parameters(parameters);
  if (!accelerations_) return;
  accelerations_->set_parameters(parameters);
  if (!stabilizer_weights_) return;
  equations_.set_weights(stabilizer_weights_->find(accelerations_->assembly()));
}

void RadauDerivative::set_stage(int i, double t) {
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

void RadauDerivative::set_step(const StepMade& step) {
  h_ = step.h;
  end_ = &step.end;
  end_controls_ = step.end_controls;
  is_at_end_ = false;
  equations_.begin(step.start, h_);
  equations_.set_unknowns(step.end.increment);
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

void RadauDerivative::go_to_end() {
  if (std::exchange(is_at_end_, true)) return;
  accelerations_->set(*end_, end_controls_);
}

/// f(row of E, row of Assembly, scale) for all rows.
template <class F>
void RadauDerivative::for_each_row(F&& f) const {
  const auto block = [&f](int first, int end, int to, double scale) {
    for (int i = first; i < end; ++i) f(i, to + i - first, scale);
  };
  block(rows_.motion, rows_.algebraic, 0, h_);
  block(rows_.algebraic, rows_.position, assembly_.algebraic_offset(), h_);
  block(rows_.position, rows_.velocity, assembly_.multiplier_offset(), 1 / h_);
  block(rows_.velocity, rows_.size, assembly_.stabilizer_offset(), 1.0);
}

void RadauDerivative::add_stabilizer(int columns, double factor, Const eta, Span to) {
  const Entries entries(columns);
  const dae::Stabilizer& n = assembly_.stabilizer();
  const double* number = n.numbers().data();
  n.for_each([&](int dof, int multiplier) {
    entries.add_multiple(factor * *number++, eta, multiplier, 1, to, dof);
  });
}

void RadauDerivative::add_transposed_stabilizer(int columns, double factor, Const x, Span eta) {
  const Entries entries(columns);
  const dae::Stabilizer& n = assembly_.stabilizer();
  const double* number = n.numbers().data();
  n.for_each([&](int dof, int multiplier) {
    entries.add_multiple(factor * *number++, x, dof, 1, eta, multiplier);
  });
}

Const RadauDerivative::force_weights(int i, int columns, Const step) {
  const Entries entries(columns);
  entries.clear(force_values_, dof_);
  for (int k = 0; k < dof_; ++k) {
    entries.scale(step, step_.f + i * dof_ + k, equations_.weights()[index(k)], 1, force_values_,
                  k);
  }
  return force_values_;
}

void RadauDerivative::put_outer(int columns, Const outer, int controls, int time,
                                Span motion) const {
  const Entries entries(columns);
  entries.copy(outer, outer_.parameters, motion_.controls - motion_.parameters, motion,
               motion_.parameters);
  if (controls >= 0) {
    entries.copy(outer, controls, motion_.time - motion_.controls, motion, motion_.controls);
  }
  entries.copy(outer, time, 1, motion, motion_.time);
}

void RadauDerivative::add_outer(int columns, Const motion, int controls, int time,
                                Span outer) const {
  const Entries entries(columns);
  entries.add(motion, motion_.parameters, motion_.controls - motion_.parameters, outer,
              outer_.parameters);
  if (controls >= 0) {
    entries.add(motion, motion_.controls, motion_.time - motion_.controls, outer, controls);
  }
  entries.add(motion, motion_.time, 1, outer, time);
}

/// The time of a stage is t_n + c_i h, and only the controls of the last one are variables.
void RadauDerivative::put_stage_outer(int i, int columns, Const outer, Span motion) const {
  put_outer(columns, outer, i + 1 == stages_ ? outer_.end_controls : -1, outer_.start_time, motion);
  Entries(columns).add_multiple(coefficients_.c(i), outer, outer_.h, 1, motion, motion_.time);
}

void RadauDerivative::add_stage_outer(int i, int columns, Const motion, Span outer) const {
  add_outer(columns, motion, i + 1 == stages_ ? outer_.end_controls : -1, outer_.start_time, outer);
  Entries(columns).add_multiple(coefficients_.c(i), motion, motion_.time, 1, outer, outer_.h);
}

/// Tangents of the stages in stage_columns_, and those of all arguments in step_columns_ + increments_, in
/// motion_columns_ (without those of the unknowns), unknowns_ and force_columns_ (without η).
void RadauDerivative::find_tangents(int columns, Const start, Const outer) {
  const Entries entries(columns);
  entries.clear(step_columns_, step_.size);
  entries.copy(start, state_.q, 2 * dof_, step_columns_, step_.q);
  entries.copy(outer, outer_.h, 1, step_columns_, step_.h);
  if (forces_) {
    entries.clear(force_columns_, motion_.size);
    entries.copy(start, state_.q, dof_, force_columns_, motion_.q);
    put_outer(columns, outer, outer_.start_controls, outer_.start_time, force_columns_);
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
    for_each_row([&](int row, int to, double scale) {
      entries.scale(rows, row, -scale, 1, unknowns_, i * assembly_.size() + to);
    });
  }

  // Of the unknowns.
  equations_.full_matrix().solve(columns, unknowns_);
  entries.clear(increments_, step_.size);
  for (int i = 0; i < stages_; ++i) {
    const Const own = entries.of(Const(unknowns_), i * assembly_.size(), assembly_.size());
    entries.copy(own, 0, dof_, increments_, step_.p + i * dof_);
    if (!forces_) continue;
    const Const eta = entries.of(own, assembly_.stabilizer_offset());
    add_stabilizer(columns, -1, eta, entries.of(increments_, step_.p + i * dof_));
    add_stabilizer(columns, 1, eta, entries.of(increments_, step_.f + i * dof_));
  }
  equations_.kinematics().multiply(Side::kPlain, columns,
                                   entries.of(increments_, step_.p, stages_ * dof_));
  kinematic_->tangent(step_numbers_, columns, increments_, stage_columns_);
}

void RadauDerivative::tangent(int columns, Const start, Const outer, Span end) {
  const Entries entries(columns);
  find_tangents(columns, start, outer);
  const int last = 3 * (stages_ - 1) * dof_;
  std::fill_n(end.begin(), columns * state_.size, 0.0);
  entries.copy(stage_columns_, last, 3 * dof_, end, state_.q);
  if (accelerations_) {
    go_to_end();
    entries.clear(end_columns_, motion_.size);
    entries.copy(stage_columns_, last, 2 * dof_, end_columns_, motion_.q);
    put_outer(columns, outer, outer_.end_controls, outer_.end_time, end_columns_);
    accelerations_->tangent(columns, end_columns_);
    entries.copy(end_columns_, motion_.v_dot, dof_, end, state_.v_dot);
    entries.copy(end_columns_, motion_.lambda, multipliers_ + algebraic_, end, state_.lambda);
  }
  entries.copy(end, state_.v_dot, dof_, end, state_.a);
}

/// The weights of E that make the gradient with respect to the unknowns vanish, in row_columns_. That with respect to λ
/// and s stands in `motion`, if it is not empty.
void RadauDerivative::solve_for_weights(int columns, Const step, Const eta, Const motion) {
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
    add_transposed_stabilizer(columns, -1, entries.of(Const(rates_), i * dof_),
                              entries.of(own, assembly_.stabilizer_offset()));
  }
  equations_.full_matrix().solve_transposed(columns, unknowns_);
  entries.clear(row_columns_, stages_ * rows_.size);
  for (int i = 0; i < stages_; ++i) {
    for_each_row([&](int row, int to, double scale) {
      entries.scale(unknowns_, i * size + to, -scale, 1, row_columns_, i * rows_.size + row);
    });
  }
}

void RadauDerivative::pull_back(int columns, Vector& motions, Vector& step) {
  const Entries entries(columns);
  entries.clear(stage_columns_, 3 * stages_ * dof_);
  for (int i = 0; i < stages_; ++i) {
    entries.copy(motions, i * motion_.size + motion_.q, 3 * dof_, stage_columns_, 3 * i * dof_);
  }
  kinematic_->adjoint(step_numbers_, columns, stage_columns_, step);
}

void RadauDerivative::add_force_gradients(int columns, Const step, Vector& force) {
  for (int i = 0; i < stages_; ++i) {
    std::ranges::copy(equations_.stabilizers(i), start_.lambda().begin());
    forces_->adjoint(start_.numbers(), columns, force_weights(i, columns, step), force);
  }
}

void RadauDerivative::distribute(int columns, Const step, Vector& motions, Const force, Span start,
                                 Span outer) const {
  const Entries entries(columns);
  entries.add(step, step_.q, 2 * dof_, start, state_.q);
  entries.add(step, step_.h, 1, outer, outer_.h);
  for (int i = 0; i < stages_; ++i) {
    add_stage_outer(i, columns, motion_of(i, columns, motions), outer);
  }
  if (!forces_) return;
  entries.add(force, motion_.q, dof_, start, state_.q);
  add_outer(columns, force, outer_.start_controls, outer_.start_time, outer);
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
  entries.add(end, state_.a, dof_, motion, motion_.v_dot);
  entries.copy(end, state_.lambda, multipliers_ + algebraic_, motion, motion_.lambda);
}

/// Those with respect to the stages stand in stage_gradients_, all others are found.
void RadauDerivative::find_gradients(int columns) {
  const Entries entries(columns);
  entries.clear(step_gradients_, step_.size);
  kinematic_->adjoint(step_numbers_, columns, stage_gradients_, step_gradients_);
  entries.clear(eta_gradients_, stages_ * multipliers_);
  for (int i = 0; forces_ && i < stages_; ++i) {
    add_transposed_stabilizer(columns, 1, entries.of(Const(step_gradients_), step_.f + i * dof_),
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

void RadauDerivative::adjoint(int columns, Const end, Span start, Span outer) {
  const Entries entries(columns);
  gradient_of_end(columns, end, end_gradients_);
  const bool has_end = accelerations_ && end_counts(end, columns);
  if (has_end) {
    go_to_end();
    accelerations_->adjoint(columns, end_gradients_);
    add_outer(columns, end_gradients_, outer_.end_controls, outer_.end_time, outer);
  }
  entries.clear(stage_gradients_, 3 * stages_ * dof_);
  entries.copy(end_gradients_, motion_.q, (accelerations_ ? 2 : 3) * dof_, stage_gradients_,
               3 * (stages_ - 1) * dof_);
  find_gradients(columns);
  distribute(columns, step_gradients_, motion_gradients_, force_gradients_, start, outer);
}

void RadauDerivative::second(Const start_dot, Const outer_dot, const Dual& end, const Dual& start,
                             const Dual& outer) {
  const Entries entries(1);
  const int last = 3 * (stages_ - 1) * dof_;
  // The direction in all arguments: of K, of E and of F.
  find_tangents(1, start_dot, outer_dot);
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

  // From the end to the last stage.
  gradient_of_end(1, end.value, end_gradients_);
  gradient_of_end(1, end.dot, end_dot_);
  if (accelerations_) {
    go_to_end();
    entries.clear(end_columns_, motion_.size);
    entries.copy(stage_columns_, last, 2 * dof_, end_columns_, motion_.q);
    put_outer(1, outer_dot, outer_.end_controls, outer_.end_time, end_columns_);
    accelerations_->tangent(1, end_columns_);
    accelerations_->second(end_columns_, end_gradients_, end_dot_);
    add_outer(1, end_gradients_, outer_.end_controls, outer_.end_time, outer.value);
    add_outer(1, end_dot_, outer_.end_controls, outer_.end_time, outer.dot);
  }
  const int counts = (accelerations_ ? 2 : 3) * dof_;
  entries.clear(stage_gradients_, 3 * stages_ * dof_);
  entries.copy(end_gradients_, motion_.q, counts, stage_gradients_, last);
  find_gradients(1);
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
  entries.copy(end_dot_, motion_.q, counts, stage_weights_, last);
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
    add_transposed_stabilizer(1, 1, entries.of(Const(step_dot_), step_.f + i * dof_), eta);
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
