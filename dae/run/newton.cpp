#include "liegrad/dae/run/newton.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

/// Of Armijo's rule, and the least fraction of a correction that is tried.
constexpr double kSufficientDecrease = 1e-4;
constexpr double kLeastFraction = 1.0 / 64;
/// Residuals below this many tolerances are left to converge by themselves: near rounding they need not fall.
constexpr double kLineSearchFrom = 1e8;

/// A residual that is no smaller than this part of the one before, after a correction with a matrix of its own, is
/// rounding, if it is below so many tolerances.
constexpr double kStagnation = 0.25, kLargestStagnation = 1e4;
/// Corrections below this part of velocities change no scale.
constexpr double kSmallCorrection = 1e-6;
/// How fast what is known of rounding is forgotten, each time that scales are taken anew.
constexpr double kForgetting = 0.9;
/// A residual that is expected to be below so many tolerances is not evaluated: after a correction with a matrix of its
/// own, whose residual is mostly far smaller still, and after one with a kept matrix, whose residuals add up over steps.
constexpr double kNotEvaluated = 4096, kNotEvaluatedWithKept = 16;
/// At the end of a step constraints hold to so many tolerances: its rotations have been brought to unit length.
constexpr double kAtTheEnd = 4;
/// Scales are taken anew after at most so many steps.
constexpr int kStepsWithScales = 128;
/// A kept matrix is judged after so many corrections.
constexpr int kIterationsToJudge = 2;
/// Whether residuals of a simplified matrix are but rounding is asked after so many.
constexpr int kIterationsToJudgeSimplified = 8;
/// For how many steps a new matrix is made at once after a kept one has failed.
constexpr int kStepsToNextTrial = 16;
/// For how many steps an observation of convergence is trusted before another iteration checks it.
constexpr int kLongestTrust = 50;
/// Beyond it sizes are all the same; its square is a number.
constexpr double kLargestSize = 1e100;

}  // namespace

Newton::Newton(Assembly& assembly, Kinematics& kinematics, const NewtonOptions& options)
    : assembly_(assembly), kinematics_(kinematics), options_(options), scales_(assembly) {
  correction_.assign(index(assembly.size()), 0.0);
  position_.assign(index(assembly.system().num_multipliers()), 0.0);
  velocity_ = position_;
  inverse_tolerance_.assign(index(assembly.size()), 0.0);
}

void Newton::reset() {
  has_matrix_ = is_fresh_ = false;
  matrix_step_ = 0;
  steps_to_next_trial_ = 0;
  observed_ = {};
  tolerances_for_ = 0;
  steps_with_scales_ = steps_to_scales_ = 0;
  rounding_ = 1;
}

void Newton::update_scales(const State& start, double h) {
  if (steps_to_scales_-- <= 0) {
    measure_scales(start, h);
    steps_to_scales_ = std::min(steps_with_scales_, kStepsWithScales);
    steps_with_scales_ = std::min(2 * steps_with_scales_ + 1, kStepsWithScales);
    rounding_ = std::max(1.0, kForgetting * rounding_);
  } else if (h != tolerances_for_) {
    set_tolerances(h);
  }
}

/// At a given motion and not at the first guess, as a wild one must not widen the tolerances.
void Newton::measure_scales(const State& state, double h) {
  assembly_.set_configuration(state.q);
  assembly_.set_velocity(state.v);
  assembly_.set_acceleration(state.v_dot);
  assembly_.set_identity_maps();
  scales_.measure(state, h);
  set_tolerances(h);
}

void Newton::set_tolerances(double h) {
  tolerances_for_ = h;
  scales_.set_inverse_tolerances(options_.relative_tolerance, h, inverse_tolerance_);
}

double Newton::backward_error() const {
  const std::span<const double> residual = assembly_.residual();
  double largest = 0, sum = 0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    const double magnitude = std::abs(residual[i]);
    sum += magnitude;
    largest = std::max(largest, magnitude * inverse_tolerance_[i]);
  }
  return std::isfinite(sum) ? std::min(largest, kLargestSize) : sum;
}

bool Newton::is_below_residual_tolerance(double h) const {
  const std::span<const double> residual = assembly_.residual();
  const int first = assembly_.multiplier_offset();
  const int last = assembly_.algebraic_offset();
  for (int i = 0; i < assembly_.size(); ++i) {
    const bool constraint = i >= first && i < last;
    const double entry = std::abs(residual[index(i)]) * (constraint ? h : 1 / h);
    if (!(entry <= *options_.residual_tolerance)) return false;
  }
  return true;
}

/// Adds a fraction of the correction to unknowns and multipliers.
void Newton::apply(double h, double fraction) {
  const std::span<const double> all(correction_);
  const std::size_t stabilizers = index(assembly_.stabilizer_offset());
  kinematics_.correct(all.first(index(assembly_.multiplier_offset())), all.subspan(stabilizers),
                      fraction);
  const std::span<double> lambda = assembly_.multipliers();
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    lambda[i] += fraction * correction_[index(assembly_.multiplier_offset()) + i] / h;
  }
  const std::span<double> s = assembly_.algebraic();
  for (std::size_t i = 0; i < s.size(); ++i) {
    s[i] += fraction * correction_[index(assembly_.algebraic_offset()) + i] / h;
  }
}

/// Whether the residual after one of this size need not be evaluated: how large it would be is known from the last step
/// that did.
bool Newton::expects_rounding(double size) {
  const int k = report_.iterations - 1;
  // How algebraic states converge may change from step to step; nothing is left out there.
  if (k >= kNumObserved || assembly_.system().num_algebraic() > 0 || !options_.leave_out_last ||
      options_.residual_tolerance) {
    return false;
  }
  Observed& observed = observed_[is_fresh_ ? 0 : 1][index(k)];
  const bool full = options_.kind == NewtonKind::kFull;
  const double next = full ? observed.next_over_square * size * size : observed.next_over * size;
  const double enough = full ? kNotEvaluated : kNotEvaluatedWithKept;
  return observed.next_over >= 0 && observed.age++ < kLongestTrust && next <= enough * rounding_;
}

void Newton::observe(double size, double previous) {
  const int k = report_.iterations - 1;
  if (k < 0 || k >= kNumObserved || previous <= 0) return;
  observed_[is_fresh_ ? 0 : 1][index(k)] = {size / previous, size / (previous * previous), 0};
}

/// The size of a residual that does not shrink any more. Scales of the start of a step may be too small for it, as where
/// a drive begins to move what is at rest; then those here tell, if corrections are small beside them. What is left
/// then is rounding inside of elements.
double Newton::rounding_at(const State& start, double h, double size) {
  here_ = start;
  const lie::GroupList& space = assembly_.system().configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    for (int k = 0; k < space.group(i).dof(); ++k) {
      const std::size_t place = index(space.dof_offset(i) + k);
      const double v = assembly_.nodes().v(i)[k], v_dot = assembly_.nodes().v_dot(i)[k];
      if (std::abs(v) > std::abs(start.v[place])) here_.v[place] = v;
      if (std::abs(v_dot) > std::abs(start.v_dot[place])) here_.v_dot[place] = v_dot;
    }
  }
  measure_scales(here_, h);
  bool is_near = true;
  for (std::size_t i = 0; i < here_.v.size(); ++i) {
    is_near = is_near && std::abs(correction_[i]) <= kSmallCorrection * scales_.speeds()[i];
  }
  if (!is_near) measure_scales(start, h);
  kinematics_.evaluate(assembly_, true);
  assembly_.evaluate(true);
  is_factorized_ = false;
  const double now = backward_error();
  if (is_near && now <= kLargestStagnation) rounding_ = std::max(rounding_, 2 * now);
  return std::isfinite(now) ? now : size;
}

/// The first correction may leave much where equations depend on each other in one direction only; the second shows.
bool Newton::is_worn(double size, double previous) const {
  if (!is_fresh_ && report_.iterations < kIterationsToJudge) return false;
  const double rate = size / previous;
  const double left = rate < 1 ? std::log(size / rounding_) / -std::log(rate) : 1e9;
  return rate > options_.kept_contraction ||
         (!is_fresh_ && report_.iterations + left > options_.max_kept_iterations);
}

/// Whether what the last correction left will need another one, as far as the last step that looked can tell.
bool Newton::expects_correction(double previous) const {
  const int k = report_.iterations - 1;
  if (k < 0 || k >= kNumObserved) return true;
  const Observed& observed = observed_[is_fresh_ ? 0 : 1][index(k)];
  return observed.next_over < 0 ||
         observed.next_over * previous > kNotEvaluatedWithKept * rounding_;
}

/// A large matrix that will be factorised is so while it is filled.
void Newton::evaluate(bool with_matrix, double previous) {
  kinematics_.evaluate(assembly_, with_matrix);
  is_factorized_ = false;
  const bool factorizes = with_matrix && options_.kind == NewtonKind::kFull &&
                          assembly_.matrix().kind() == LinearSolverKind::kSparse &&
                          expects_correction(previous);
  if (factorizes) {
    report_.factorizations += 1;
    is_factorized_ = assembly_.evaluate_and_factorize();
  }
  if (!is_factorized_) assembly_.evaluate(with_matrix);
}

bool Newton::factorize(double h) {
  // What is not kept may stand where the matrix stood.
  LinearSolver& matrix = assembly_.matrix();
  if (!is_factorized_) {
    report_.factorizations += 1;
    if (options_.kind != NewtonKind::kFull) {
      if (!matrix.factorize()) return false;
    } else if (!matrix.factorize_in_place(assembly_.residual())) {
      assembly_.evaluate(true);
      if (!matrix.factorize()) return false;
    }
  }
  has_matrix_ = true;
  is_fresh_ = true;
  matrix_step_ = h;
  return true;
}

/// Returns the sum of its numbers, which is finite if they are.
double Newton::solve_for_correction() {
  if (!assembly_.matrix().solve_filled(correction_)) {
    std::ranges::copy(assembly_.residual(), correction_.begin());
    assembly_.matrix().solve(correction_);
  }
  double sum = 0;
  for (double& entry : correction_) sum += entry = -entry;
  return sum;
}

bool Newton::conclude() {
  kinematics_.conclude(assembly_);
  if (position_.empty()) return true;
  assembly_.constraint_values(position_, velocity_);
  const ConstraintRows rows = constraint_rows(assembly_.formulation());
  const double tolerance = kAtTheEnd * rounding_ * options_.relative_tolerance;
  for (std::size_t i = 0; i < position_.size(); ++i) {
    if (rows.position && !(std::abs(position_[i]) <= tolerance * scales_.position()[i]))
      return false;
    if (rows.velocity && !(std::abs(velocity_[i]) <= tolerance * scales_.velocity()[i]))
      return false;
  }
  return true;
}

int Newton::largest_correction() const {
  int place = 0;
  double largest = 0;
  for (std::size_t i = 0; i < correction_.size(); ++i) {
    if (!std::isfinite(correction_[i])) return static_cast<int>(i);
    if (i >= scales_.speeds().size() || !(scales_.speeds()[i] > 0)) continue;
    const double size = std::abs(correction_[i]) / scales_.speeds()[i];
    if (size <= largest) continue;
    largest = size;
    place = static_cast<int>(i);
  }
  return place;
}

const NewtonReport& Newton::fail(NewtonFailure failure, const std::string& message) {
  report_.failure = failure;
  report_.message = message;
  has_matrix_ = false;
  observed_ = {};
  steps_to_scales_ = 0;
  return report_;
}

const NewtonReport& Newton::fail_to_converge() {
  return fail(NewtonFailure::kDiverged, "Newton's iteration does not converge in " +
                                            std::to_string(options_.max_iterations) +
                                            " iterations; its last correction is largest in " +
                                            assembly_.unknown_name(largest_correction()));
}

const NewtonReport& Newton::solve(const State& start, double h) {
  report_.failure = NewtonFailure::kNone;
  report_.iterations = report_.matrices = report_.factorizations = report_.residuals = 0;
  if (h != matrix_step_) has_matrix_ = false;
  update_scales(start, h);
  if (!options_.leave_out_last)
    rounding_ = 1;  // what other steps could not do better is no reason not to try
  const StepCoefficients complete = assembly_.coefficients();
  if (options_.kind == NewtonKind::kSimplified) {
    StepCoefficients& c = assembly_.coefficients();
    c.c_v = c.k_q = c.k_r = 0;
  }
  is_fresh_ = false;
  double previous = -1, fraction = 1;
  bool previous_had_matrix = false;
  // Where the matrix of the last step was no good, a new one is cheaper than finding out again.
  bool refresh = !has_matrix_ || steps_to_next_trial_-- > 0;
  while (true) {
    const bool with_matrix = refresh || options_.kind == NewtonKind::kFull;
    evaluate(with_matrix, previous);
    report_.residuals += 1;
    report_.matrices += with_matrix ? 1 : 0;
    double size = backward_error();
    if (!std::isfinite(size)) {
      const std::string element = assembly_.nonfinite_element();
      return fail(NewtonFailure::kNonFinite,
                  "element '" + element + "' returns a number that is not finite");
    }
    // The last correction may have been too long: take back half of it, then half of the rest.
    if (options_.line_search && previous > kLineSearchFrom && fraction > kLeastFraction &&
        size > (1 - kSufficientDecrease * fraction) * previous) {
      fraction /= 2;
      apply(h, -fraction);
      continue;
    }
    observe(size, previous);
    // A matrix that is kept after it was made is exact for the last correction too; a simplified one is not, and residuals
    // may shrink slowly with it. It is judged when that has taken long.
    const bool judges = with_matrix || options_.kind == NewtonKind::kModified ||
                        report_.iterations >= kIterationsToJudgeSimplified;
    if (judges && previous_had_matrix && size > rounding_ && size > kStagnation * previous) {
      size = rounding_at(start, h, size);
      // Rounding of Φ is corrected again and again, and of a simplified matrix D, K and Z are missing each time.
      if (with_matrix) assembly_.coefficients() = complete;
    }
    // What would have been left out had it been expected is left out now.
    const double enough =
        report_.iterations > 0 && options_.leave_out_last ? kNotEvaluatedWithKept : 1;
    const bool is_solved =
        options_.residual_tolerance ? is_below_residual_tolerance(h) : size <= enough * rounding_;
    if (is_solved) break;
    if (report_.iterations == options_.max_iterations) return fail_to_converge();

    refresh = false;
    if (options_.kind != NewtonKind::kFull && previous > 0 && is_worn(size, previous)) {
      if (!is_fresh_) steps_to_next_trial_ = kStepsToNextTrial;
      refresh = true;
    }
    if (with_matrix && !factorize(h)) {
      return fail(NewtonFailure::kSingularMatrix,
                  "the iteration matrix is singular at " +
                      assembly_.unknown_name(assembly_.matrix().singular_unknown()));
    }
    const double sum = solve_for_correction();
    if (!std::isfinite(sum)) {
      return fail(NewtonFailure::kSingularMatrix,
                  "the iteration matrix is singular: there is no correction of " +
                      assembly_.unknown_name(largest_correction()));
    }
    fraction = 1;
    apply(h, 1);
    report_.iterations += 1;
    previous_had_matrix = with_matrix;
    previous = size;
    if (expects_rounding(size) && conclude()) return report_;
  }
  conclude();
  return report_;
}

}  // namespace liegrad::dae
