#include "liegrad/dae/generalized_alpha.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/alpha_kinematics.hpp"
#include "liegrad/dae/updated_lagrangian.hpp"

namespace liegrad::dae {
namespace {

double max_of(std::span<const double> x) {
  double largest = 0;
  for (const double entry : x) largest = std::max(largest, std::abs(entry));
  return largest;
}

std::unique_ptr<Kinematics> make_kinematics(const System& system, const AlphaOptions& options) {
  const lie::GroupList& space = system.configuration_space();
  if (options.variant == AlphaVariant::kLieGroup) {
    return std::make_unique<AlphaKinematics>(space, options.method,
                                             options.formulation == Formulation::kStabilized);
  }
  return make_updated_lagrangian(space, options.method.parameters,
                                 options.variant == AlphaVariant::kUpdatedLagrangianCrv);
}

}  // namespace

GeneralizedAlpha::GeneralizedAlpha(const System& system, const AlphaOptions& options)
    : options_(options),
      consistency_(system, options.consistency, options.solver),
      assembly_(
          system, options.formulation, options.variant != AlphaVariant::kLieGroup,
          options.consistency.allow_redundant ? LinearSolverKind::kMinimumNorm : options.solver),
      assembly_kind_(assembly_.matrix().kind()),
      kinematics_(make_kinematics(system, options)),
      newton_(assembly_, *kinematics_, options.newton),
      accelerations_(static_cast<std::size_t>(system.dof())) {
  guess_.assign(static_cast<std::size_t>(system.dof()), 0.0);
}

void GeneralizedAlpha::start(const State& initial, double h) {
  state_ = initial;
  std::copy(assembly_.controls().begin(), assembly_.controls().end(),
            consistency_.controls().begin());
  set_starting_values(options_.start, options_.method, options_.formulation, h, consistency_,
                      state_);
  restart(State(state_), h);
}

void GeneralizedAlpha::restart(const State& state, double h) {
  state_ = state;
  if (options_.formulation == Formulation::kStabilized) {
    state_.eta.resize(state_.lambda.size(), 0.0);
  }
  next_ = state_;
  scaled_for_ = h;
  newton_.forget_matrix();
  accelerations_.reset(state_.v_dot);
}

void GeneralizedAlpha::change_step(double h) {
  if (h == scaled_for_) return;
  const double ratio = h / scaled_for_;
  for (std::size_t i = 0; i < state_.a.size(); ++i) {
    state_.a[i] = state_.v_dot[i] + ratio * (state_.a[i] - state_.v_dot[i]);
  }
  if (options_.formulation == Formulation::kIndex3 && !state_.lambda.empty()) {
    std::copy(assembly_.controls().begin(), assembly_.controls().end(),
              consistency_.controls().begin());
    const std::vector<double> normal =
        consistency_.normal_velocity(state_, consistency_.velocity_residual(state_));
    for (std::size_t i = 0; i < state_.v.size(); ++i) {
      state_.v[i] += (ratio * ratio - 1) * normal[i];
    }
  }
  scaled_for_ = h;
  accelerations_.reset(state_.v_dot);
}

void GeneralizedAlpha::guess(double h) {
  switch (options_.guess) {
    case FirstGuess::kExtrapolated:
      accelerations_.predict(guess_);
      kinematics_->guess_acceleration(guess_);
      break;
    case FirstGuess::kConstantA:
      for (std::size_t i = 0; i < guess_.size(); ++i) {
        guess_[i] = state_.v[i] + 0.5 * h * state_.a[i];
      }
      kinematics_->guess_increment(guess_);
      break;
    case FirstGuess::kZeroMultiplier:
      std::fill(guess_.begin(), guess_.end(), 0.0);
      kinematics_->guess_acceleration(guess_);
      break;
  }
  const std::span<double> lambda = assembly_.multipliers();
  if (options_.guess == FirstGuess::kZeroMultiplier) {
    std::fill(lambda.begin(), lambda.end(), 0.0);
  } else {
    std::copy(state_.lambda.begin(), state_.lambda.end(), lambda.begin());
  }
  std::copy(state_.s.begin(), state_.s.end(), assembly_.algebraic().begin());
}

const StepReport& GeneralizedAlpha::step(double h, double t_end) {
  try {
    change_step(h);
  } catch (const Error& error) {
    report_.success = false;
    report_.failure = NewtonFailure::kSingularMatrix;
    report_.message = error.what();
    return report_;
  }
  kinematics_->begin(state_, h, assembly_);
  assembly_.set_time(t_end);
  guess(h);
  const NewtonReport& newton = newton_.solve(h);
  report_.success = newton.converged();
  report_.failure = newton.failure;
  report_.newton_iterations = newton.iterations;
  report_.matrices = newton.matrices;
  report_.factorizations = newton.factorizations;
  report_.residuals = newton.residuals;
  if (!report_.success) {
    report_.message = newton.message;
    return report_;
  }
  report_.position_residual = max_of(newton_.position_residual());
  report_.velocity_residual = max_of(newton_.velocity_residual());
  next_.t = t_end;
  kinematics_->finish(next_);
  std::copy(assembly_.multipliers().begin(), assembly_.multipliers().end(), next_.lambda.begin());
  std::copy(assembly_.algebraic().begin(), assembly_.algebraic().end(), next_.s.begin());
  return report_;
}

void GeneralizedAlpha::accept() {
  std::swap(state_, next_);
  accelerations_.add(state_.v_dot);
}

double GeneralizedAlpha::error(const ErrorTolerance& tolerance) const {
  const double h = next_.t - state_.t;
  const double c_q = options_.method.parameters.c_q();
  double sum = 0;
  for (std::size_t i = 0; i < state_.v.size(); ++i) {
    const double change = next_.v_dot[i] - state_.v_dot[i];
    const double position = c_q * h * h * change;
    const double velocity = next_.v[i] - state_.v[i] - 0.5 * h * (next_.v_dot[i] + state_.v_dot[i]);
    const double v = std::max(std::abs(state_.v[i]), std::abs(next_.v[i]));
    const double weight = tolerance.absolute + tolerance.relative * v;
    const double relative = std::max(std::abs(position) / (tolerance.absolute + tolerance.relative),
                                     std::abs(velocity) / weight);
    sum += relative * relative;
  }
  return std::sqrt(sum / std::max<double>(1.0, static_cast<double>(state_.v.size())));
}

}  // namespace liegrad::dae
