#include "liegrad/dae/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "liegrad/dae/numbers.hpp"

namespace liegrad::dae {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// Of Armijo's rule, and the least fraction of a correction that is tried.
constexpr double kSufficientDecrease = 1e-4;
constexpr double kLeastFraction = 1.0 / 64;
/// Corrections below this many tolerances are left to converge by themselves: the residual is near
/// rounding there and need not fall.
constexpr double kLineSearchFrom = 1e8;

/// A correction that is no smaller than this fraction of the one before, both with a matrix of their own, is
/// rounding, if it is below so many tolerances.
constexpr double kStagnation = 0.25, kLargestStagnation = 1e6;
/// How fast what is known of rounding is forgotten, each time that scales are taken anew.
constexpr double kForgetting = 0.9;
/// A correction that is expected to be below so many tolerances is left out.
constexpr double kLeftOut = 16;
/// Iterations after which constraints that do not reach rounding level are left as they are.
constexpr int kMostForRounding = 6;
/// Scales of velocities and positions are taken anew after so many steps.
constexpr int kStepsWithScales = 8;
/// For how many steps a new matrix is made at once after a kept one has failed.
constexpr int kStepsToNextTrial = 16;
/// For how many steps an observation of convergence is trusted before another iteration checks it.
constexpr int kLongestTrust = 50;
/// Constraints that are this much off, relative to positions or velocities, are at rounding level.
constexpr double kRounding = 32 * kEpsilon, kLargestRounding = 1e4 * kRounding;

double norm_of(std::span<const double> x) {
  double sum = 0;
  for (const double entry : x) sum += entry * entry;
  return std::sqrt(sum);
}

/// How many of the first velocities of a node are angular.
int angles_of(lie::GroupKind kind) {
  switch (kind) {
    case lie::GroupKind::kRn: return 0;
    case lie::GroupKind::kSO2:
    case lie::GroupKind::kSE2: return 1;
    default: return 3;
  }
}

/// Among the parameters.
double largest_length(const System& system) {
  double largest = 0;
  for (const ParameterSpec& parameter : system.parameters()) {
    if (parameter.unit == "m") largest = std::max(largest, std::abs(parameter.value));
  }
  return largest;
}

/// The velocity that a correction is largest in, in units of tolerances, or the first unknown in which it is not
/// finite.
int largest_of(std::span<const double> correction, std::span<const double> inverse_tolerance) {
  int place = 0;
  double largest = 0;
  for (std::size_t i = 0; i < correction.size(); ++i) {
    if (!std::isfinite(correction[i])) return static_cast<int>(i);
    if (i >= inverse_tolerance.size()) continue;
    const double size = std::abs(correction[i]) * inverse_tolerance[i];
    if (size <= largest) continue;
    largest = size;
    place = static_cast<int>(i);
  }
  return place;
}

}  // namespace

Newton::Newton(Assembly& assembly, Kinematics& kinematics, const NewtonOptions& options)
    : assembly_(assembly), kinematics_(kinematics), options_(options) {
  largest_length_ = largest_length(assembly.system());
  correction_.assign(index(assembly.size()), 0.0);
  position_.assign(index(assembly.system().num_multipliers()), 0.0);
  velocity_ = position_;
  inverse_tolerance_.assign(index(assembly.system().dof()), 0.0);
}

/// From the start of the step, as a wild guess must not widen the tolerance; from the guess only where
/// everything is at rest.
void Newton::set_scales(const State& start, double h, bool at_guess) {
  scaled_for_ = h;
  const lie::GroupList& space = assembly_.system().configuration_space();
  // A body at the origin has no coordinates to measure lengths by, but points that are held or pulled.
  double angle = 0, length = 0, position = largest_length_;
  for (int i = 0; i < space.size(); ++i) {
    const lie::NodeGroup& group = space.group(i);
    const int num_angles = angles_of(group.kind), dof = group.dof();
    const int num_coeffs = group.num_coeffs(), num_lengths = dof - num_angles;
    NodeStore& nodes = assembly_.nodes();
    const double* const v = at_guess ? nodes.v(i) : start.v.data() + space.dof_offset(i);
    const double* const v_dot =
        at_guess ? nodes.v_dot(i) : start.v_dot.data() + space.dof_offset(i);
    for (int k = 0; k < num_angles; ++k) {
      angle = std::max({angle, std::abs(v[k]), h * std::abs(v_dot[k])});
    }
    for (int k = num_angles; k < dof; ++k) {
      length = std::max({length, std::abs(v[k]), h * std::abs(v_dot[k])});
    }
    const double* const q = start.q.data() + space.coeff_offset(i);
    for (int k = num_coeffs - num_lengths; k < num_coeffs; ++k) {
      position = std::max(position, std::abs(q[k]));
    }
  }
  const double tolerance = options_.relative_tolerance;
  const double inverse_angle = 1 / (tolerance * angle + 4 * kEpsilon / h);
  const double inverse_length = 1 / std::max(tolerance * length + 4 * kEpsilon / h * position,
                                             std::numeric_limits<double>::min());
  for (int i = 0; i < space.size(); ++i) {
    double* const to = inverse_tolerance_.data() + space.dof_offset(i);
    const int num_angles = angles_of(space.group(i).kind);
    std::fill_n(to, num_angles, inverse_angle);
    std::fill_n(to + num_angles, space.group(i).dof() - num_angles, inverse_length);
  }
  rounding_ = std::max(1.0, kForgetting * rounding_);
  is_at_rest_ = angle == 0 && length == 0;
  position_scale_ = std::max(position, h * length);
  velocity_scale_ = std::max(angle * position, length);
}

double Newton::size_of(std::span<const double> w, double h) const {
  double largest = 0;
  for (std::size_t i = 0; i < inverse_tolerance_.size(); ++i) {
    largest = std::max(largest, std::abs(w[i]) * inverse_tolerance_[i]);
  }
  if (assembly_.system().num_algebraic() == 0) return largest;
  // Algebraic states may enter in any way, so that they are iterated as well; multipliers follow from
  // the velocities by a linear equation.
  double algebraic = 0, scale = std::numeric_limits<double>::min();
  const std::span<const double> s = assembly_.algebraic();
  for (std::size_t i = 0; i < s.size(); ++i) {
    algebraic = std::max(algebraic, std::abs(w[index(assembly_.algebraic_offset()) + i]) / h);
    scale = std::max(scale, std::abs(s[i]));
  }
  return std::max(largest, algebraic / (options_.relative_tolerance * scale));
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

/// Whether the correction after one of this size can be left out: how large it would be is known from
/// the last step that made it.
bool Newton::expects_convergence(double size) {
  if (size <= rounding_) return true;
  const int k = report_.iterations - 1;
  // How algebraic states converge may change from step to step; nothing is left out there.
  if (k >= kNumObserved || assembly_.system().num_algebraic() > 0 || !options_.leave_out_last) {
    return false;
  }
  Observed& observed = observed_[is_fresh_ ? 0 : 1][index(k)];
  const bool full = options_.kind == NewtonKind::kFull;
  const double next = full ? observed.next_over_square * size * size : observed.next_over * size;
  return observed.next_over >= 0 && observed.age++ < kLongestTrust && next <= kLeftOut * rounding_;
}

void Newton::observe(double size, double previous) {
  const int k = report_.iterations - 2;
  if (k < 0 || k >= kNumObserved || previous <= 0) return;
  observed_[is_fresh_ ? 0 : 1][index(k)] = {size / previous, size / (previous * previous), 0};
}

bool Newton::constraints_hold(double tolerance) {
  if (position_.empty()) return true;
  assembly_.constraint_values(position_, velocity_);
  // At rounding level a further correction would not change them.
  const ConstraintRows rows = constraint_rows(assembly_.formulation());
  return (!rows.position || max_of(position_) <= tolerance * position_scale_) &&
         (!rows.velocity || max_of(velocity_) <= tolerance * velocity_scale_);
}

const NewtonReport& Newton::fail(NewtonFailure failure, const std::string& message) {
  report_.failure = failure;
  report_.message = message;
  has_matrix_ = false;
  observed_ = {};
  return report_;
}

const NewtonReport& Newton::solve(const State& start, double h) {
  report_.failure = NewtonFailure::kNone;
  report_.iterations = report_.matrices = report_.factorizations = report_.residuals = 0;
  if (h != matrix_step_) has_matrix_ = false;
  if (h != scaled_for_ || is_at_rest_ || steps_with_scales_++ % kStepsWithScales == 0) {
    set_scales(start, h, false);
  }
  if (options_.kind == NewtonKind::kSimplified) {
    StepCoefficients& c = assembly_.coefficients();
    c.c_v = c.k_q = c.k_r = 0;
  }
  is_fresh_ = false;
  double previous = -1, residual_before = -1, fraction = 1;
  bool previous_had_matrix = false;
  // Where the matrix of the last step was no good, a new one is cheaper than finding out again.
  bool refresh = !has_matrix_ || steps_to_next_trial_-- > 0;
  while (true) {
    const bool with_matrix = refresh || options_.kind == NewtonKind::kFull;
    kinematics_.evaluate(assembly_, with_matrix);
    assembly_.evaluate(with_matrix);
    if (report_.iterations == 0 && is_at_rest_) {
      set_scales(start, h, true);
      is_at_rest_ = true;  // look again at the start of the next step
    }
    report_.residuals += 1;
    report_.matrices += with_matrix ? 1 : 0;
    const double norm = norm_of(assembly_.residual());
    if (!std::isfinite(norm)) {
      const std::string element = assembly_.nonfinite_element();
      return fail(NewtonFailure::kNonFinite,
                  "element '" + element + "' returns a number that is not finite");
    }
    if (options_.residual_tolerance && is_below_residual_tolerance(h)) break;

    // The last correction may have been too long: take back half of it, then half of the rest.
    const bool is_long = previous > kLineSearchFrom;
    if (options_.line_search && is_long && residual_before >= 0 &&
        norm > (1 - kSufficientDecrease * fraction) * residual_before &&
        fraction > kLeastFraction) {
      fraction /= 2;
      apply(h, -fraction);
      continue;
    }
    if (report_.iterations == options_.max_iterations) {
      return fail(NewtonFailure::kDiverged,
                  "Newton's iteration does not converge in " +
                      std::to_string(options_.max_iterations) +
                      " iterations; its last correction is largest in " +
                      assembly_.unknown_name(largest_of(correction_, inverse_tolerance_)));
    }

    if (with_matrix) {
      report_.factorizations += 1;
      if (!assembly_.matrix().factorize()) {
        return fail(NewtonFailure::kSingularMatrix,
                    "the iteration matrix is singular at " +
                        assembly_.unknown_name(assembly_.matrix().singular_unknown()));
      }
      has_matrix_ = true;
      is_fresh_ = true;
      matrix_step_ = h;
      refresh = false;
    }
    const std::span<const double> residual = assembly_.residual();
    for (std::size_t i = 0; i < correction_.size(); ++i) correction_[i] = -residual[i];
    assembly_.matrix().solve(correction_);
    const double size = size_of(correction_, h);
    if (!std::isfinite(size)) {
      return fail(NewtonFailure::kSingularMatrix,
                  "the iteration matrix is singular: there is no correction of " +
                      assembly_.unknown_name(largest_of(correction_, inverse_tolerance_)));
    }
    fraction = 1;
    residual_before = norm;
    apply(h, 1);
    report_.iterations += 1;

    observe(size, previous);
    // Rounding may be larger than the tolerances say: levers are short, or long chains add it up.
    const bool has_own_matrix = with_matrix && previous_had_matrix;
    if (has_own_matrix && size > kStagnation * previous && size <= kLargestStagnation) {
      rounding_ = std::max(rounding_, 2 * size);
    }
    previous_had_matrix = with_matrix;
    if (options_.kind != NewtonKind::kFull && previous > 0 && size > rounding_) {
      const double rate = size / previous;
      const double left = rate < 1 ? std::log(size / rounding_) / -std::log(rate) : 1e9;
      const bool slow = rate > options_.kept_contraction;
      if (!is_fresh_ && (slow || report_.iterations + left > options_.max_kept_iterations)) {
        steps_to_next_trial_ = kStepsToNextTrial;
        refresh = true;
      }
      refresh = refresh || slow;
    }
    const bool done = !options_.residual_tolerance && expects_convergence(size);
    previous = size;
    if (!done) continue;
    kinematics_.conclude(assembly_);
    // Where even small corrections do not bring the constraints to rounding level, rounding is larger
    // than was assumed.
    const bool is_stuck = size <= rounding_ && report_.iterations > kMostForRounding;
    if (constraints_hold(is_stuck ? kLargestRounding : kRounding)) return report_;
  }
  kinematics_.conclude(assembly_);
  constraints_hold(kRounding);  // for the record: the caller's own tolerance decided
  return report_;
}

}  // namespace liegrad::dae
