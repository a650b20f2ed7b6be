#include "liegrad/dae/runge_kutta/radau.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "liegrad/dae/equations/place_state.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/turn.hpp"

namespace liegrad::dae {
namespace {

/// A residual that is no smaller than this part of the one before is rounding,
/// if it is below so many tolerances.
constexpr double kStagnation = 0.25, kLargestStagnation = 1e4;
/// Corrections below this part of velocities change no scale.
constexpr double kSmallCorrection = 1e-6;
/// Corrections that move positions by less than so many units in their last
/// place are rounding, however slow the motion is.
constexpr double kSmallMove = 1e3 * std::numeric_limits<double>::epsilon();
/// Of the gradient of a constraint; smaller entries may be rounding.
constexpr double kSmallGradient = 1e-3;
/// How fast what is known of rounding is forgotten, each time that scales are
/// taken anew, and how often that is.
constexpr double kForgetting = 0.9;
constexpr int kStepsWithScales = 16;
/// The simplified iteration is given up where it would take more iterations,
/// for so many steps.
constexpr int kMostSimplified = 14, kStepsWithFull = 16;
/// What the matrices of the simplified iteration cost, in iterations, and how
/// much the step may change while they are kept.
constexpr int kIterationsOfMatrices = 3;
constexpr double kLargestChange = 1.25;
/// Residuals that shrink by less are not expected to go on as they did.
constexpr double kSteadyRate = 0.3;
/// A residual of so many tolerances that the simplified iteration leaves is
/// small enough; or of more, as with a kept matrix of generalized-α, if it does
/// not shrink any more.
constexpr double kEnoughSimplified = 4, kNoiseOfSimplified = 64;
/// How much less than in the mean a correction of the simplified iteration may
/// do.
constexpr double kUnsteadiness = 10;
/// Extrapolation over more of the last step than this would amplify its errors.
constexpr double kLongestExtrapolation = 2;
/// Peaks of derivatives are forgotten at this part of the rate of change, by
/// less than a half in a quarter of a period.
constexpr double kForgettingRate = 0.4;
/// Of half a turn, beyond which steps are refused.
constexpr double kLongestTurn = 0.9;

/// The most that rounding of velocities counts in h v̇.
double largest_row_sum(const Eigen::MatrixXd& matrix) {
  return matrix.cwiseAbs().rowwise().sum().maxCoeff();
}

Formulation formulation_of(const Model& system, const RadauOptions& options) {
  return system.num_multipliers() > 0 ? options.formulation : Formulation::kIndex3;
}

/// Whether an element gives inertia to more than one body, as beams do. Error control with the simplified iteration was
/// seen to shrink their steps without end (docs/step-control.md).
bool has_flexible_bodies(const Model& system) {
  return std::ranges::any_of(system.kinds(), [](const auto& kind) {
    return kind->groups().size() > 1 && std::ranges::count(kind->has_inertia(), true) > 6;
  });
}

LinearSolverKind solver_of(const RadauOptions& options) {
  return options.allow_redundant ? LinearSolverKind::kMinimumNorm : options.solver;
}

}  // namespace

Radau::Radau(const Model& system, const RadauOptions& options)
    : options_(options),
      coefficients_(options.stages),
      is_flexible_(has_flexible_bodies(system)),
      dof_(system.dof()),
      assembly_(system, formulation_of(system, options), false, solver_of(options)),
      equations_(assembly_, coefficients_, solver_of(options), [this](double t) { set_time(t); }),
      scales_(assembly_),
      inverse_tolerance_(index(assembly_.size())),
      guess_(index(options.stages * dof_)),
      position_(index(system.num_multipliers())),
      velocity_(position_),
      theta_error_(index(dof_)),
      velocity_error_(index(dof_)),
      multiplier_error_(position_),
      multiplier_tolerance_(position_),
      largest_gradient_(position_),
      second_difference_(index(dof_)),
      third_difference_(index(dof_)),
      none_(index(dof_), 0.0) {
  if (system.num_multipliers() > 0 || system.num_algebraic() > 0) {
    accelerations_.emplace(system, options.allow_redundant, options.solver);
  }
  if (system.num_multipliers() > 0) weights_.emplace(system);
  if (options.newton == RadauNewton::kSimplified ||
      (options.newton == RadauNewton::kAutomatic && !is_flexible_)) {
    if (!options.allow_redundant) equations_.prepare_simplified();
  }
}

void Radau::set_parameters(std::span<const double> parameters) {
  equations_.set_parameters(parameters);
  if (accelerations_) accelerations_->set_parameters(parameters);
}

void Radau::start(const State& initial, double /*h*/) {
  current = initial;
  current.a = current.v_dot;
  current.increment.resize(options_.keep_stages ? index(equations_.num_unknowns()) : 0);
  upcoming = current;
  here_ = current;
  history_.reset(current);
  if (accelerations_) accelerations_->forget();
  matrix_step_ = 0;
  steps_to_scales_ = 0;
  scales_for_ = 0;
  full_steps_left_ = 0;
  rounding_ = 1;
  peaks_ = next_peaks_ = {};
  if (weights_) equations_.set_weights(weights_->find(accelerations_->assembly()));
}

void Radau::accept() {
  history_.add(upcoming);
  peaks_ = next_peaks_;
  std::swap(current, upcoming);
}

void Radau::update_scales(double h) {
  const bool is_similar = std::max(h, scales_for_) <= kLargestChange * std::min(h, scales_for_);
  if (steps_to_scales_-- > 0 && is_similar) return;
  steps_to_scales_ = kStepsWithScales;
  rounding_ = std::max(1.0, kForgetting * rounding_);
  set_time(current.t);
  measure_scales(current, h);
}

void Radau::measure_scales(const State& state, double h) {
  scales_for_ = h;
  place_state(state, assembly_);
  assembly_.coefficients() = {.c_a = largest_row_sum(coefficients_.inverse),
                              .c_v = h,
                              .motion_scale = h,
                              .position_scale = 1 / h};
  scales_.measure(state, h);
  scales_.set_inverse_tolerances(options_.relative_tolerance, h, inverse_tolerance_);
  widen_tolerances();
}

/// Multipliers are known to the rounding of the larger of the forces on both
/// sides of their constraints, and what that leaves in the equations on the
/// other side is no error of the iteration: at the free end of a long chain
/// that falls, multipliers are far below it. Precondition: the assembly holds
/// the matrix of the last measurement, with B.
void Radau::widen_tolerances() {
  std::ranges::fill(multiplier_tolerance_, 0.0);
  std::ranges::fill(largest_gradient_, 0.0);
  const auto for_each_gradient = [this](auto&& f) {
    const int first = assembly_.multiplier_offset();
    for (const auto& [row, column, place, is_position] : equations_.entries()) {
      if (!is_position) continue;
      f(index(row - first), index(column), std::abs(assembly_.matrix().values()[index(place)]));
    }
  };
  for_each_gradient([this](std::size_t k, std::size_t, double gradient) {
    largest_gradient_[k] = std::max(largest_gradient_[k], gradient);
  });
  for_each_gradient([this](std::size_t k, std::size_t i, double gradient) {
    if (!(gradient > kSmallGradient * largest_gradient_[k])) return;
    multiplier_tolerance_[k] =
        std::max(multiplier_tolerance_[k], 1 / (inverse_tolerance_[i] * gradient));
  });
  for_each_gradient([this](std::size_t k, std::size_t i, double gradient) {
    const double left = gradient * multiplier_tolerance_[k];
    inverse_tolerance_[i] = std::min(inverse_tolerance_[i], 1 / left);
  });
}

double Radau::backward_error() const {
  const std::span<const double> residual = equations_.residual();
  double largest = 0, sum = 0;
  for (std::size_t i = 0; i < residual.size(); i += inverse_tolerance_.size()) {
    for (std::size_t k = 0; k < inverse_tolerance_.size(); ++k) {
      const double magnitude = std::abs(residual[i + k]);
      sum += magnitude;
      largest = std::max(largest, magnitude * inverse_tolerance_[k]);
    }
  }
  return std::isfinite(sum) ? largest : sum;
}

/// By the polynomial through the ends of the last steps, or of constant
/// acceleration; constant velocities where those would turn a node too far, and
/// rest where these do.
void Radau::guess(Guess kind, double h) {
  const bool extrapolates =
      kind == Guess::kExtrapolated && h <= kLongestExtrapolation * history_.last_step();
  int ends = extrapolates ? history_.best() : 1;
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
    ends = 1;
    for (int i = 0; i < options_.stages; ++i) std::ranges::copy(current.v, part(i).begin());
    if (turns_too_far(std::numbers::pi)) std::ranges::fill(guess_, 0.0);
  }
  equations_.guess(guess_);
  for (int i = 0; i < options_.stages; ++i) {
    history_.multipliers(coefficients_.c(i) * h, ends, equations_.multipliers(i),
                         equations_.algebraic(i));
  }
}

bool Radau::prefers_full() {
  switch (options_.newton) {
    case RadauNewton::kFull: return true;
    case RadauNewton::kSimplified: return options_.allow_redundant;
    case RadauNewton::kAutomatic: break;
  }
  return options_.allow_redundant || is_flexible_ || full_steps_left_-- > 0;
}

bool Radau::keeps_matrices(double h) const {
  return matrix_step_ > 0 &&
         std::max(h, matrix_step_) <= kLargestChange * std::min(h, matrix_step_);
}

double Radau::iterations_left(double size, double rate) const {
  return rate < 1 ? std::log(size / rounding_) / -std::log(rate) : 1e9;
}

/// With a full matrix the ratio to the square of the residual before stays. With
/// matrices of one stage residuals of different equations shrink by turns, and
/// the mean rate counts.
bool Radau::expects_rounding(bool full, double size, double rate) const {
  // Over long steps of beams the ratio does not stay.
  if (!options_.leave_out_last || is_flexible_ || !(rate < kSteadyRate)) return false;
  return (full ? rate * rate : kUnsteadiness * rate) * size <= enough(full, 1, false) * rounding_;
}

double Radau::enough(bool full, int iterations, bool stagnates) const {
  if (!options_.leave_out_last || full || iterations == 0) return 1;
  return stagnates ? kNoiseOfSimplified : kEnoughSimplified;
}

/// New matrices are worth their cost when all iterations that they would have
/// saved since the last ones were made take longer.
void Radau::judge_matrices(int iterations, double rate, bool is_fresh) {
  if (is_fresh) {
    fresh_iterations_ = iterations;
    fresh_rate_ = rate;
    further_iterations_ = 0;
  } else {
    further_iterations_ += std::max(0, iterations - fresh_iterations_);
    if (further_iterations_ >= kIterationsOfMatrices) matrix_step_ = 0;
  }
}

bool Radau::factorize(bool full) {
  last_report.matrices += full ? options_.stages : 1;
  last_report.factorizations += full ? 1 : static_cast<int>(coefficients_.modes.size());
  if (full ? equations_.factorize_full() : equations_.factorize_simplified()) return true;
  return fail(NewtonFailure::kSingularMatrix,
              "the iteration matrix is singular at " +
                  assembly_.unknown_name(equations_.singular_unknown()));
}

/// Whether a residual that does not shrink any more is what rounding leaves.
/// Scales of the start of a step may be too small for it, as where a drive
/// begins to move what is at rest; then those of the stages tell, if
/// corrections are small beside them.
bool Radau::is_rounding(double h) {
  here_ = current;
  for (int i = 0; i < options_.stages; ++i) {
    for (std::size_t k = 0; k < here_.v.size(); ++k) {
      const double v = equations_.kinematics().v(i)[k], v_dot = equations_.kinematics().v_dot(i)[k];
      if (std::abs(v) > std::abs(here_.v[k])) here_.v[k] = v;
      if (std::abs(v_dot) > std::abs(here_.v_dot[k])) here_.v_dot[k] = v_dot;
    }
  }
  std::ranges::copy(equations_.multipliers(options_.stages - 1), here_.lambda.begin());
  measure_scales(here_, h);
  if (!correction_is_small()) {
    measure_scales(current, h);
    return false;
  }
  const double size = backward_error();
  if (!(size <= kLargestStagnation)) return false;
  rounding_ = std::max(rounding_, 2 * size);
  return true;
}

/// Beside the highest speeds, of angles and of translations: parts that hardly
/// move feel the rounding of others. Where a mechanism begins to move, all
/// speeds are below the rounding of positions over h, which stiff parts feel.
bool Radau::correction_is_small() {
  const lie::GroupList& space = assembly_.system().configuration_space();
  double correction[2] = {}, speed[2] = {}, size[2] = {};
  for (int node = 0; node < space.size(); ++node) {
    for (int k = 0; k < space.group(node).dof(); ++k) {
      const std::size_t at = index(space.dof_offset(node) + k);
      const std::size_t unit = k < num_angles(space.group(node).kind) ? 0 : 1;
      speed[unit] = std::max(speed[unit], scales_.speeds()[at]);
      size[unit] = std::max(size[unit], scales_.sizes()[at]);
      for (int i = 0; i < options_.stages; ++i) {
        correction[unit] = std::max(correction[unit], std::abs(equations_.correction(i)[at]));
      }
    }
  }
  const auto is_small = [&](int unit) {
    return correction[unit] <=
           std::max(kSmallCorrection * speed[unit], kSmallMove * size[unit] / scales_for_);
  };
  return is_small(0) && is_small(1);
}

bool Radau::solve(double h) {
  bool full = prefers_full(), is_fresh = false;
  bool has_matrix = !full && keeps_matrices(h) && equations_.keep_simplified();
  double previous = 0, first = 0;  // residuals, the first one with the matrix
  int with_matrix = 0;             // iterations with it
  for (int iteration = 0;; ++iteration) {
    equations_.evaluate();
    last_report.residuals += options_.stages;
    const double size = backward_error();
    if (!std::isfinite(size)) {
      if (iteration > 0) return fail(NewtonFailure::kDiverged, "Newton's iteration diverges");
      return fail(NewtonFailure::kNonFinite, "element '" + assembly_.nonfinite_element() +
                                                 "' returns a number that is not finite");
    }
    const double rate = with_matrix > 0 ? std::pow(size / first, 1.0 / with_matrix) : 1;
    const bool stagnates = with_matrix > 0 && size > kStagnation * previous;
    if (size <= enough(full, iteration, stagnates) * rounding_) {
      if (!full && iteration > 0) judge_matrices(iteration, rate, is_fresh);
      return true;
    }
    if (full && is_fresh && stagnates && is_rounding(h)) return true;
    if (iteration == options_.max_iterations) {
      return fail(NewtonFailure::kDiverged, "Newton's iteration does not converge in " +
                                                std::to_string(options_.max_iterations) +
                                                " iterations");
    }
    if (!full && with_matrix > 1) {
      const double left = iterations_left(size, rate);
      if (is_fresh && with_matrix + left > kMostSimplified) {
        full = true;
        // Where it is near to rounding a full matrix is needed once, to tell.
        if (size > kLargestStagnation) full_steps_left_ = kStepsWithFull;
        matrix_step_ = 0;
      } else if (!is_fresh && with_matrix + left > fresh_iterations_ + 2 * kIterationsOfMatrices) {
        has_matrix = false;
      }
    }
    if (full || !has_matrix) {
      if (!factorize(full)) return false;
      if (!full) matrix_step_ = h;
      is_fresh = has_matrix = true;
      with_matrix = 0;
      first = size;
    } else if (with_matrix == 0) {
      first = size;
    }
    equations_.correct();
    last_report.newton_iterations += 1;
    const bool is_last =
        expects_rounding(full, size, full ? size / previous : rate) && iteration > 0;
    with_matrix += 1;
    previous = size;
    if (const auto node = equations_.kinematics().node_turned_beyond(2 * std::numbers::pi)) {
      return fail(NewtonFailure::kDiverged, half_turn_message(assembly_.system(), *node));
    }
    if (is_last) {
      equations_.update();
      if (!full) judge_matrices(iteration + 1, rate, is_fresh);
      return true;
    }
  }
}

const StepReport& Radau::step(double h, double t_end) {
  last_report.success = true;
  last_report.failure = NewtonFailure::kNone;
  last_report.newton_iterations = last_report.matrices = last_report.factorizations =
      last_report.residuals = 0;
  update_scales(h);
  equations_.begin(current, h);
  guess(Guess::kExtrapolated, h);
  bool solved = solve(h);
  // An extrapolation may lead astray, and so may matrices of one stage for all:
  // once more without either.
  if (!solved && last_report.failure != NewtonFailure::kNonFinite && history_.size() > 1) {
    last_report.success = true;
    full_steps_left_ = kStepsWithFull;
    guess(Guess::kConstant, h);
    solved = solve(h);
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
    if (violates_velocities()) {
      accelerations_->remove_violation(velocity_, upcoming.v);
      accelerations_->assembly().constraint_values(position_, velocity_);
    }
    last_report.position_residual = max_of(position_);
    last_report.velocity_residual = max_of(velocity_);
  }
  std::ranges::copy(upcoming.v_dot, upcoming.a.begin());
  if (options_.keep_stages) equations_.write_unknowns(upcoming.increment);
  return true;
}

/// Whether what the simplified iteration leaves is more than rounding.
bool Radau::violates_velocities() const {
  if (!options_.leave_out_last || !constraint_rows(assembly_.formulation()).velocity) return false;
  const std::size_t first = index(assembly_.size()) - velocity_.size();
  for (std::size_t i = 0; i < velocity_.size(); ++i) {
    if (std::abs(velocity_[i]) * inverse_tolerance_[first + i] > 1) return true;
  }
  return false;
}

bool Radau::fail(NewtonFailure failure, const std::string& message) {
  last_report.success = false;
  last_report.failure = failure;
  last_report.message = message;
  steps_to_scales_ = 0;
  matrix_step_ = 0;
  return false;
}

double Radau::longest_step() const {
  return kLongestTurn * step_of_half_turn(assembly_.system().configuration_space(), current.v);
}

double Radau::error(const ErrorNorm& norm) {
  if (!equations_.estimate_error(theta_error_, velocity_error_)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double of_motion =
      accumulated_over_difference(norm) * norm.size(theta_error_, velocity_error_);
  if (!norm.counts_multipliers()) return of_motion;
  const double of_multipliers = local_over_difference(rate_ * upcoming.step);
  return std::max(of_multipliers * multiplier_error(norm), of_motion);
}

/// ω = |v⃛| / |v̈|, from the polynomial through v at the start and at the stages,
/// or with two stages also through v̇ at the start. Both derivatives vanish now
/// and then in a vibration, so that the peaks of late count.
double Radau::rate_of_change(const ErrorNorm& norm) {
  const double h = upcoming.step;
  const RadauKinematics& motion = equations_.kinematics();
  const bool has_three = options_.stages == 3;
  const double c = coefficients_.c(options_.stages - 2);
  const double d = has_three ? coefficients_.c(0) : 0;
  const std::span<const double> middle = motion.v(options_.stages - 2),
                                end = motion.v(options_.stages - 1);
  for (std::size_t k = 0; k < second_difference_.size(); ++k) {
    const double v = current.v[k];
    // Divided differences over 0, c, 1 and d, in units of h.
    const double to_middle = (middle[k] - v) / c, to_end = end[k] - v;
    const double to_other = has_three ? (motion.v(0)[k] - v) / d : h * current.v_dot[k];
    const double second = (to_end - to_middle) / (1 - c);
    const double other = (to_middle - to_other) / (c - d);
    second_difference_[k] = 2 * second;
    third_difference_[k] = 6 * (second - other) / (1 - d);
  }
  const double forgotten = std::exp(-kForgettingRate * peaks_.rate() * h);
  const double second = norm.size(none_, second_difference_) / (h * h);
  const double third = norm.size(none_, third_difference_) / (h * h * h);
  next_peaks_ = {std::max(second, forgotten * peaks_.second),
                 std::max(third, forgotten * peaks_.third)};
  return next_peaks_.rate();
}

/// Each order of h more is a factor x = ωh, with ω the rate of change of v or,
/// in the coordinates of a node that turns fast, that of its turning.
double Radau::local_over_difference(double x) const {
  const lie::GroupList& space = assembly_.system().configuration_space();
  const double turn = std::numbers::pi * upcoming.step / step_of_half_turn(space, upcoming.v);
  return std::min(1.0,
                  coefficients_.error_ratio * std::pow(std::max(x, turn), options_.stages - 1));
}

/// Local errors of a motion that the steps resolve add up. Those of a vibration
/// that is too fast for them are damped as the vibration is, by |R(iωh)| in a
/// step, so that they add up to 1 / (1 - |R|) of themselves. The motion below
/// the vibration has about the rate |v̇| / |v|.
double Radau::accumulated_over_difference(const ErrorNorm& norm) {
  const double h = upcoming.step, all = norm.accumulated_over_local(h);
  rate_ = rate_of_change(norm);
  const double lost = 1 - coefficients_.amplification(rate_ * h);
  if (!(lost * all > 1)) return local_over_difference(rate_ * h) * all;
  const double of_slow = norm.size(none_, upcoming.v_dot) * norm.tolerance().relative;
  return std::max(local_over_difference(rate_ * h) / lost,
                  local_over_difference(std::min(of_slow, rate_) * h) * all);
}

/// The difference to λ of the last stage, which is of order s.
double Radau::multiplier_error(const ErrorNorm& norm) {
  const std::span<const double> of_stage = equations_.multipliers(options_.stages - 1);
  for (std::size_t k = 0; k < multiplier_error_.size(); ++k) {
    multiplier_error_[k] = upcoming.lambda[k] - of_stage[k];
  }
  return norm.multiplier_size(multiplier_error_);
}

}  // namespace liegrad::dae
