#include "liegrad/dae/runge_kutta/radau.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/turn.hpp"

namespace liegrad::dae {
namespace {

/// Extrapolation over more of the last step than this would amplify its errors.
constexpr double kLongestExtrapolation = 2;

Formulation formulation_of(const Model& system, const RadauOptions& options) {
  return system.num_multipliers() > 0 ? options.formulation : Formulation::kIndex3;
}

LinearSolverKind solver_of(const RadauOptions& options) {
  return options.allow_redundant ? LinearSolverKind::kMinimumNorm : options.solver;
}

}  // namespace

Radau::Radau(const Model& system, const RadauOptions& options)
    : options_(options),
      coefficients_(options.stages),
      dof_(system.dof()),
      assembly_(system, formulation_of(system, options), false, solver_of(options)),
      equations_(assembly_, coefficients_, solver_of(options), [this](double t) { set_time(t); }),
      iteration_(assembly_, equations_, coefficients_, options),
      error_(equations_, coefficients_, system.configuration_space(), system.num_multipliers()),
      guess_(index(options.stages * dof_)),
      position_(index(system.num_multipliers())),
      velocity_(position_) {
  if (system.num_multipliers() > 0 || system.num_algebraic() > 0) {
    accelerations_.emplace(system, options.allow_redundant, options.solver);
  }
  if (system.num_multipliers() > 0) weights_.emplace(system);
}

void Radau::set_parameters(std::span<const double> parameters) {
  equations_.set_parameters(parameters);
  if (accelerations_) accelerations_->set_parameters(parameters);
}

void Radau::start(const State& initial, double /*h*/) {
  current.begin(initial);
  current.memory.resize(options_.keep_stages ? index(equations_.num_unknowns()) : 0);
  upcoming = current;
  history_.reset(current);
  if (accelerations_) accelerations_->forget();
  iteration_.reset(current);
  error_.reset();
  if (weights_) equations_.set_weights(weights_->find(accelerations_->assembly()));
}

void Radau::accept() {
  history_.add(upcoming);
  error_.accept();
  std::swap(current, upcoming);
}

/// By the polynomial through the ends of the last steps, or of constant acceleration; constant velocities where those
/// would turn a node too far, and rest where these do.
void Radau::guess(Guess kind, double h) {
  const bool extrapolates =
      kind == Guess::kExtrapolated && h <= kLongestExtrapolation * history_.last_step();
  const int ends = extrapolates ? history_.best() : 1;
  int ends_of_multipliers = extrapolates ? history_.best_of_multipliers() : 1;
  const auto part = [this](int stage) {
    return std::span(guess_).subspan(index(stage * dof_), index(dof_));
  };
  for (int i = 0; i < options_.stages; ++i) {
    history_.velocity(coefficients_.c(i) * h, ends, part(i));
  }
  const lie::GroupList& space = assembly_.system().configuration_space();
  const auto turns_too_far = [&](double angle) {
    for (int i = 0; i < options_.stages; ++i) {
      if (node_beyond(angle, space, part(i), coefficients_.c(i) * h)) return true;
    }
    return false;
  };
  if (turns_too_far(kLargestGuessedTurn)) {
    ends_of_multipliers = 1;
    for (int i = 0; i < options_.stages; ++i) std::ranges::copy(current.v, part(i).begin());
    if (turns_too_far(std::numbers::pi)) std::ranges::fill(guess_, 0.0);
  }
  equations_.guess(guess_);
  for (int i = 0; i < options_.stages; ++i) {
    history_.multipliers(coefficients_.c(i) * h, ends_of_multipliers, equations_.multipliers(i),
                         equations_.algebraic(i));
  }
}

const StepReport& Radau::step(double h, double t_end) {
  last_report.success = true;
  last_report.failure = NewtonFailure::kNone;
  last_report.newton_iterations = last_report.matrices = last_report.factorizations =
      last_report.residuals = 0;
  iteration_.begin(current, h);
  equations_.begin(current, h);
  guess(Guess::kExtrapolated, h);
  bool solved = iteration_.solve(last_report);
  // An extrapolation may lead astray, and so may matrices of one stage for all: once more without either.
  if (!solved && last_report.failure != NewtonFailure::kNonFinite && history_.size() > 1) {
    last_report.success = true;
    last_report.failure = NewtonFailure::kNone;
    iteration_.avoid_simplified();
    guess(Guess::kConstant, h);
    solved = iteration_.solve(last_report);
  }
  if (!solved) return last_report;
  if (const auto node = equations_.kinematics().node_turned_beyond(std::numbers::pi)) {
    fail(NewtonFailure::kDiverged, half_turn_message(assembly_.system(), *node));
  } else {
    finish(h, t_end);
  }
  return last_report;
}

bool Radau::finish(double h, double t_end) {
  const RadauKinematics& motion = equations_.kinematics();
  const int last = options_.stages - 1;
  upcoming.t = t_end;
  upcoming.step = h;
  assembly_.system().configuration_space().plus<double>(current.q, motion.theta(last), upcoming.q);
  std::ranges::copy(motion.v(last), upcoming.v.begin());
  std::ranges::copy(motion.v_dot(last), upcoming.v_dot.begin());
  if (accelerations_) {
    std::ranges::copy(equations_.multipliers(last), upcoming.lambda.begin());
    std::ranges::copy(equations_.algebraic(last), upcoming.s.begin());
    set_time(t_end);
    std::ranges::copy(assembly_.controls(), accelerations_->assembly().controls().begin());
    if (!accelerations_->solve(upcoming)) {
      return fail(accelerations_->failure(), accelerations_->message());
    }
    last_report.factorizations += accelerations_->factorizations();
    last_report.matrices += accelerations_->factorizations();
    accelerations_->assembly().constraint_values(position_, velocity_);
    if (options_.leave_out_last) remove_violations(h);
    last_report.position_residual = max_of(position_);
    last_report.velocity_residual = max_of(velocity_);
  }
  if (options_.keep_stages) equations_.write_unknowns(upcoming.memory);
  return true;
}

/// By the least change in the metric of M, with the matrix of (19), which is there: it is a part of what the iteration
/// may leave of q and v, and what it leaves of constraints is the square of that.
void Radau::remove_violations(double h) {
  const ConstraintRows rows = constraint_rows(assembly_.formulation());
  const StageTolerances& tolerances = iteration_.tolerances();
  const auto violates = [&](std::span<const double> values, int first, double factor) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (tolerances.is_above(first + static_cast<int>(i), factor * values[i])) return true;
    }
    return false;
  };
  Assembly& at_end = accelerations_->assembly();
  if (rows.position && violates(position_, assembly_.multiplier_offset(), 1 / h)) {
    accelerations_->remove_position_violation(position_, upcoming.q);
    at_end.constraint_values(position_, velocity_);
  }
  const int first_velocity = assembly_.size() - static_cast<int>(velocity_.size());
  if (rows.velocity && violates(velocity_, first_velocity, 1)) {
    accelerations_->remove_violation(velocity_, upcoming.v);
    at_end.constraint_values(position_, velocity_);
  }
}

bool Radau::fail(NewtonFailure failure, const std::string& message) {
  last_report.success = false;
  last_report.failure = failure;
  last_report.message = message;
  iteration_.forget();
  return false;
}

std::string Radau::remark() const {
  const std::optional<double> rate = error_.hidden_rate();
  if (!rate) return {};
  std::ostringstream text;
  text.precision(2);
  text << "a vibration of about " << *rate
       << " rad/s, which positions do not show within the tolerance, is damped and not resolved: "
          "of velocities only those of the slower motion have the tolerance; a smaller one "
          "resolves it";
  return text.str();
}

double Radau::longest_step() const {
  return kLongestTurn * step_of_half_turn(assembly_.system().configuration_space(), current.v);
}

}  // namespace liegrad::dae
