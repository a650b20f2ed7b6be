#include "liegrad/dae/alpha/generalized_alpha.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "liegrad/dae/alpha/alpha_kinematics.hpp"
#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "liegrad/dae/alpha/updated_lagrangian.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/turn.hpp"

namespace liegrad::dae {
namespace {

/// With redundant constraints a solution of least squares drops what the matrix cannot reach. The matrix of
/// another configuration cannot reach all of the residual, and iterations with it would end elsewhere.
NewtonOptions newton_options(const AlphaOptions& options) {
  NewtonOptions newton = options.newton;
  if (options.consistency.allow_redundant) newton.kind = NewtonKind::kFull;
  return newton;
}

/// Full Newton's method keeps nothing in its assembly from one step to the next; in index 3 (19) has the same kernels.
Consistency make_consistency(const Model& system, const AlphaOptions& options, Assembly& assembly) {
  const bool shares = options.formulation == Formulation::kIndex3 &&
                      options.variant == AlphaVariant::kLieGroup &&
                      newton_options(options).kind == NewtonKind::kFull;
  if (shares) return {assembly, options.consistency};
  return {system, options.consistency, options.solver};
}

double largest_part(std::span<const double> values, std::span<const double> of) {
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) largest = std::max(largest, std::abs(values[i]) / of[i]);
  }
  return largest;
}

/// Whether one of the velocities moves a coordinate in a step by more than rounding of its size.
bool is_more_than_rounding(double h, std::span<const double> v, std::span<const double> sizes) {
  constexpr double kManyRoundings = 1e3 * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (h * std::abs(v[i]) > kManyRoundings * sizes[i]) return true;
  }
  return false;
}

/// Corrections of least norm do not add up to multipliers of least norm, as what is redundant changes with
/// the configuration. (0, hλ) solves A x = A (0, hλ), as does any other λ with the same forces; the shortest
/// is found.
void shorten_multipliers(Assembly& assembly, double h) {
  const std::span<double> lambda = assembly.multipliers();
  std::vector<double> right(index(assembly.size()), 0.0);
  for (const auto& [row, column] : assembly.pattern()) {
    const int i = column - assembly.multiplier_offset();
    if (i < 0 || i >= std::ssize(lambda)) continue;
    right[index(row)] += assembly.entry(row, column) * h * lambda[index(i)];
  }
  if (!assembly.matrix().factorize()) return;
  assembly.matrix().solve(right);
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    lambda[i] = right[index(assembly.multiplier_offset()) + i] / h;
  }
}

/// Errors below this part of the tolerance need no second look.
constexpr double kNearTolerance = 0.1;

}  // namespace

std::unique_ptr<Kinematics> make_kinematics(const Model& system, const AlphaOptions& options) {
  const lie::GroupList& space = system.configuration_space();
  if (options.variant == AlphaVariant::kLieGroup) {
    return std::make_unique<AlphaKinematics>(space, options.method,
                                             options.formulation == Formulation::kStabilized);
  }
  return make_updated_lagrangian(space, options.method.parameters,
                                 options.variant == AlphaVariant::kUpdatedLagrangianCrv);
}

GeneralizedAlpha::GeneralizedAlpha(const Model& system, const AlphaOptions& options)
    : options_(options),
      assembly_(
          system, options.formulation, options.variant != AlphaVariant::kLieGroup,
          options.consistency.allow_redundant ? LinearSolverKind::kMinimumNorm : options.solver),
      consistency_(make_consistency(system, options, assembly_)),
      assembly_kind_(assembly_.matrix().kind()),
      kinematics_(make_kinematics(system, options)),
      newton_(assembly_, *kinematics_, newton_options(options)),
      accelerations_(static_cast<std::size_t>(system.dof())),
      stabilizers_(options.formulation == Formulation::kStabilized
                       ? static_cast<std::size_t>(system.num_multipliers())
                       : 0) {
  guess_.assign(static_cast<std::size_t>(system.dof()), 0.0);
  if (options.formulation == Formulation::kStabilized) {
    guessed_eta_.assign(static_cast<std::size_t>(system.num_multipliers()), 0.0);
  }
}

void GeneralizedAlpha::set_parameters(std::span<const double> parameters) {
  assembly_.set_parameters(parameters);
  consistency_.set_parameters(parameters);
}

void GeneralizedAlpha::start(const State& initial, double h) {
  begin_alpha(initial, !guessed_eta_.empty(), current);
  newton_.reset();
  std::copy(assembly_.controls().begin(), assembly_.controls().end(),
            consistency_.controls().begin());
  set_starting_values(options_.start, options_.method, options_.variant, options_.formulation, h,
                      consistency_, current);
  begin(h);
}

void GeneralizedAlpha::restart(const MethodState& state, double h) {
  current = state;
  begin(h);
}

void GeneralizedAlpha::begin(double h) {
  std::ranges::fill(alpha_memory(current).increment, 0.0);
  upcoming = current;
  scaled_for_ = h;
  newton_.forget_matrix();
  forget_history();
}

void GeneralizedAlpha::forget_history() {
  accelerations_.reset(current.v_dot);
  if (!guessed_eta_.empty()) stabilizers_.reset(alpha_memory(current).eta);
}

void rescale_for_step(MethodState& state, double ratio, Formulation formulation,
                      Consistency& consistency) {
  const std::span<double> a = alpha_memory(state).a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = state.v_dot[i] + ratio * (a[i] - state.v_dot[i]);
  }
  if (formulation != Formulation::kIndex3 || state.lambda.empty()) return;
  const std::vector<double>& normal =
      consistency.normal_velocity(state, consistency.velocity_residual(state));
  for (std::size_t i = 0; i < state.v.size(); ++i) {
    state.v[i] += (ratio * ratio - 1) * normal[i];
  }
}

void GeneralizedAlpha::change_step(double h) {
  if (h == scaled_for_) return;
  set_time(current.t);  // a rejected step has left it elsewhere
  std::copy(assembly_.controls().begin(), assembly_.controls().end(),
            consistency_.controls().begin());
  rescale_for_step(current, h / scaled_for_, options_.formulation, consistency_);
  scaled_for_ = h;
  forget_history();
}

void GeneralizedAlpha::guess(FirstGuess kind, double h) {
  switch (kind) {
    case FirstGuess::kExtrapolated:
      // η stands in the directions of the constraints, which turn with bodies.
      stabilizers_.predict(guessed_eta_);
      kinematics_->guess_stabilizer(guessed_eta_);
      accelerations_.predict(guess_);
      kinematics_->guess_acceleration(guess_);
      break;
    case FirstGuess::kConstantA: {
      const std::span<const double> a = alpha_memory(current).a;
      for (std::size_t i = 0; i < guess_.size(); ++i) {
        guess_[i] = current.v[i] + 0.5 * h * a[i];
      }
      kinematics_->guess_increment(guess_);
      break;
    }
    case FirstGuess::kZeroMultiplier:
      std::fill(guess_.begin(), guess_.end(), 0.0);
      kinematics_->guess_acceleration(guess_);
      break;
  }
  const lie::GroupList& space = assembly_.system().configuration_space();
  if (node_beyond(kLargestGuessedTurn, space, kinematics_->increment(), h)) {
    std::fill(guess_.begin(), guess_.end(), 0.0);
    kinematics_->guess_increment(guess_);
  }
  const std::span<double> lambda = assembly_.multipliers();
  if (kind == FirstGuess::kZeroMultiplier) {
    std::fill(lambda.begin(), lambda.end(), 0.0);
  } else {
    std::copy(current.lambda.begin(), current.lambda.end(), lambda.begin());
  }
  std::copy(current.s.begin(), current.s.end(), assembly_.algebraic().begin());
}

void GeneralizedAlpha::solve(FirstGuess kind, double h) {
  kinematics_->begin(current, h, assembly_);
  guess(kind, h);
  const NewtonReport& newton = newton_.solve(current, h);
  last_report.success = newton.converged();
  last_report.failure = newton.failure;
  last_report.newton_iterations += newton.iterations;
  last_report.matrices += newton.matrices;
  last_report.factorizations += newton.factorizations;
  last_report.residuals += newton.residuals;
  if (!last_report.success) last_report.message = newton.message;
}

const StepReport& GeneralizedAlpha::step(double h, double t_end) {
  last_report.newton_iterations = last_report.matrices = last_report.factorizations = 0;
  last_report.residuals = 0;
  try {
    change_step(h);
  } catch (const Error& error) {
    last_report.success = false;
    last_report.failure = NewtonFailure::kSingularMatrix;
    last_report.message = error.what();
    return last_report;
  }
  set_time(t_end);
  solve(options_.guess, h);
  // An extrapolation may lead astray, and a kept matrix may be too old: once more without either.
  if (!last_report.success &&
      (options_.guess == FirstGuess::kExtrapolated || options_.newton.kind != NewtonKind::kFull)) {
    newton_.forget_matrix();
    forget_history();
    solve(options_.guess == FirstGuess::kExtrapolated ? FirstGuess::kConstantA : options_.guess, h);
  }
  if (!last_report.success) return last_report;
  if (assembly_kind_ == LinearSolverKind::kMinimumNorm) shorten_multipliers(assembly_, h);
  last_report.position_residual = max_of(newton_.position_residual());
  last_report.velocity_residual = max_of(newton_.velocity_residual());
  last_report.velocity_violation =
      largest_part(newton_.velocity_residual(), newton_.scales().velocity());
  upcoming.t = t_end;
  upcoming.step = h;
  kinematics_->finish(upcoming);
  last_report.is_moving = is_more_than_rounding(h, upcoming.v, newton_.scales().sizes());
  if (options_.variant == AlphaVariant::kUpdatedLagrangianCrv) refuse_half_turns(h);
  std::copy(assembly_.multipliers().begin(), assembly_.multipliers().end(),
            upcoming.lambda.begin());
  std::copy(assembly_.algebraic().begin(), assembly_.algebraic().end(), upcoming.s.begin());
  return last_report;
}

/// Conformal rotation vectors are not linear in a turn about one axis, and their equations have other solutions
/// where velocities reach half a turn in a step.
void GeneralizedAlpha::refuse_half_turns(double h) {
  const Model& system = assembly_.system();
  const auto node = node_beyond(std::numbers::pi, system.configuration_space(), upcoming.v, h);
  if (!node) return;
  last_report.success = false;
  last_report.failure = NewtonFailure::kDiverged;
  last_report.message = half_turn_message(system, *node);
}

Consistency* GeneralizedAlpha::consistency_of_velocities() {
  const bool leaves_them = options_.formulation == Formulation::kIndex3 && !current.lambda.empty();
  return leaves_them ? &consistency_ : nullptr;
}

void GeneralizedAlpha::accept() {
  std::swap(current, upcoming);
  accelerations_.add(current.v_dot);
  if (!guessed_eta_.empty()) stabilizers_.add(alpha_memory(current).eta);
}

/// Error per unit step: all terms are O(h²), like the error at the end of the run.
double GeneralizedAlpha::error(const ErrorNorm& norm) {
  const double h = upcoming.step;
  none_.assign(current.v.size(), 0.0);
  const double of_position = position_error(norm, h);
  const double of_velocity = velocity_error(norm, h);
  const double of_multipliers = norm.counts_multipliers() ? multiplier_error(norm, h) : 0;
  // In this order NaN is kept.
  return std::max(of_multipliers, std::max(of_velocity, of_position));
}

/// Index 3 has velocities from positions over h, and rounding of these with them. In steps as short as this that is the
/// tolerance.
double GeneralizedAlpha::shortest_step(const ErrorNorm& norm) {
  if (!consistency_of_velocities()) return 0;
  none_.assign(current.v.size(), 0.0);
  return norm.size_of_rounding(none_, newton_.scales().sizes());
}

/// Rounding of positions is ε S/h² in accelerations of index 3, of which this estimate makes T |C_q| ε S/h. It is across the
/// constraints, where positions have no error: they satisfy them.
double GeneralizedAlpha::position_error(const ErrorNorm& norm, double h) {
  estimate_position_error(h);
  const double accumulated = norm.accumulated_over_local(h);
  const double error = accumulated * norm.size(position_error_, none_);
  if (!(error > kNearTolerance) || !consistency_of_velocities()) return error;
  const double of_rounding = accumulated * std::abs(options_.method.parameters.c_q()) *
                             norm.size_of_rounding(newton_.scales().sizes(), none_);
  if (!(of_rounding > kNearTolerance)) return error;
  remove_normal_part(position_error_);
  return accumulated * norm.size(position_error_, none_);
}

/// h³(C_q v̈ + c v̂v̇) [HolzingerArnoldGerstmayr2025, Eq. (40)], with v̈ as a difference quotient. Of updated
/// Lagrangian methods h³C_q(v̈ + ½v̂v̇), and ⅛|Ω|²Ω with conformal rotation vectors.
void GeneralizedAlpha::estimate_position_error(double h) {
  const lie::GroupList& space = assembly_.system().configuration_space();
  const AlphaParameters& p = options_.method.parameters;
  const bool updated = options_.variant != AlphaVariant::kLieGroup;
  const double commutator =
      updated ? 0.5 * p.c_q() : p.commutator_coefficient(options_.method.sigma);
  position_error_.resize(current.v.size());
  space.apply_ad<double>(upcoming.v, upcoming.v_dot, position_error_);
  for (std::size_t i = 0; i < position_error_.size(); ++i) {
    position_error_[i] = h * h * h * commutator * position_error_[i] +
                         h * h * p.c_q() * (upcoming.v_dot[i] - current.v_dot[i]);
  }
  if (options_.variant != AlphaVariant::kUpdatedLagrangianCrv) return;
  for (int node = 0; node < space.size(); ++node) {
    using lie::GroupKind;
    const GroupKind kind = space.group(node).kind;
    if (kind != GroupKind::kSO3 && kind != GroupKind::kSO3xR3 && kind != GroupKind::kSE3) continue;
    const std::size_t first = index(space.dof_offset(node));
    const Eigen::Map<const Eigen::Vector3d> omega(upcoming.v.data() + first);
    Eigen::Map<Eigen::Vector3d>(position_error_.data() + first) +=
        h * h * h * p.c_q() / 8 * omega.squaredNorm() * omega;
  }
}

/// h³C_v v⃛, with v⃛ as a difference quotient. In the first step, where a_0 may be v̇_0 and costs h²v̈ once, the distance
/// from the trapezoidal rule.
double GeneralizedAlpha::velocity_error(const ErrorNorm& norm, double h) {
  if (current.step == 0) v_dot_history_.clear();
  const double spacing = norm.spacing_above_rounding(h);
  v_dot_history_.add(current.t, current.v_dot, spacing);
  if (v_dot_history_.second_derivative(upcoming.t, upcoming.v_dot, spacing, velocity_error_)) {
    const double factor = h * h * h * options_.method.parameters.c_v();
    for (double& entry : velocity_error_) entry *= factor;
    const double error = norm.accumulated_over_local(h) * norm.size(none_, velocity_error_);
    if (!(error > kNearTolerance) || !(spacing > h) || !consistency_of_velocities()) return error;
    remove_normal_part(velocity_error_);
    return norm.accumulated_over_local(h) * norm.size(none_, velocity_error_);
  }
  velocity_error_.resize(current.v.size());
  for (std::size_t i = 0; i < velocity_error_.size(); ++i) {
    velocity_error_[i] =
        upcoming.v[i] - current.v[i] - 0.5 * h * (upcoming.v_dot[i] + current.v_dot[i]);
  }
  return norm.size(none_, velocity_error_);
}

/// With index 3, rounding of Φ(q) = 0 is ε/h² in accelerations across the constraints. Such errors do not add up: the
/// next step answers them.
void GeneralizedAlpha::remove_normal_part(std::vector<double>& error) {
  std::ranges::copy(assembly_.controls(), consistency_.controls().begin());
  const std::vector<double>& normal = consistency_.normal_part(upcoming, error);
  for (std::size_t i = 0; i < error.size(); ++i) error[i] -= normal[i];
}

/// h²(|C_q| + |C_v|) λ̈: the error of accelerations, which does not add up.
double GeneralizedAlpha::multiplier_error(const ErrorNorm& norm, double h) {
  if (current.step == 0) lambda_history_.clear();
  const double spacing = norm.spacing_above_rounding(h);
  lambda_history_.add(current.t, current.lambda, spacing);
  if (!lambda_history_.second_derivative(upcoming.t, upcoming.lambda, spacing, multiplier_error_)) {
    return 0;
  }
  const AlphaParameters& p = options_.method.parameters;
  for (double& entry : multiplier_error_) entry *= h * h * (std::abs(p.c_q()) + std::abs(p.c_v()));
  return norm.multiplier_size(multiplier_error_);
}

}  // namespace liegrad::dae
