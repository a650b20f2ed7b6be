#include "liegrad/dae/runge_kutta/radau_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/turn.hpp"

namespace liegrad::dae {
namespace {

/// What the iteration may leave, added up over a run, as a part of the tolerance.
constexpr double kPartOfTolerance = 0.05;
/// Contraction that was seen in an earlier step is trusted to this power, [HairerWanner1996, Section IV.8].
constexpr double kTrustInRate = 0.8;
/// A residual that is no smaller than this part of the one before is rounding, if it is below so many tolerances.
constexpr double kStagnation = 0.25, kLargestStagnation = 1e4;
/// Where the simplified iteration would take longer than a full matrix, it is given up for a step, for two where that comes
/// again, and so on, up to so many steps: the poor guesses of the first steps of a run are no reason to go on so.
constexpr int kMostStepsWithFull = 16;
/// How much the step may change while matrices of the simplified iteration are kept.
constexpr double kLargestChange = 1.25;
/// What they cost in iterations, as measured: 3 for a body, 5 for a mechanism of 35 unknowns, 11 for a chain of 20 bodies,
/// and no more than that for longer ones, as both grow with the number of bodies.
constexpr int kLeastCost = 3;
int cost_of_simplified(int size) {
  return std::clamp(static_cast<int>(std::lround(0.75 * std::sqrt(size))), kLeastCost, 11);
}
/// The same of a full matrix, or less: an iteration that takes longer than this may not end.
constexpr int kCostOfFull = 14;
/// With a norm, a full matrix is kept within a step while corrections shrink by this factor.
constexpr double kGoodContraction = 0.1;
/// Residuals that shrink by less are not expected to go on as they did.
constexpr double kSteadyRate = 0.3;
/// A residual of so many tolerances that the simplified iteration leaves is small enough; or of more, as with a kept
/// matrix of generalized-α, if it does not shrink any more.
constexpr double kEnoughSimplified = 4, kNoiseOfSimplified = 64;
/// How much less than in the mean a correction of the simplified iteration may do.
constexpr double kUnsteadiness = 10;

}  // namespace

void RadauIteration::Sequence::add(double size) {
  if (count == 0) {
    first = size;
  } else {
    earlier_ratio = ratio;
    ratio = last > 0 ? size / last : 0;
  }
  last = size;
  count += 1;
}

double RadauIteration::Sequence::rate() const {
  return count > 1 && first > 0 ? std::pow(last / first, 1.0 / (count - 1)) : 1;
}

double RadauIteration::Sequence::late_rate() const {
  return count > 2 ? std::sqrt(ratio * earlier_ratio) : ratio;
}

RadauIteration::RadauIteration(Assembly& assembly, RadauEquations& equations,
                               const RadauCoefficients& coefficients, const RadauOptions& options)
    : assembly_(assembly),
      equations_(equations),
      options_(options),
      num_modes_(static_cast<int>(coefficients.modes.size())),
      cost_of_simplified_(cost_of_simplified(assembly.algebraic_offset())),
      tolerances_(assembly, equations, coefficients, options.relative_tolerance),
      theta_changes_(index(options.stages * assembly.system().dof())) {
  if (options.newton != RadauNewton::kFull && !options.allow_redundant) {
    equations_.prepare_simplified();
  }
}

void RadauIteration::reset(const State& initial) {
  here_ = initial;
  tolerances_.reset();
  matrix_step_ = 0;
  full_steps_left_ = 0;
  steps_with_full_ = 1;
  expected_rate_[0] = expected_rate_[1] = 1;
}

void RadauIteration::begin(const State& start, double h) {
  start_ = &start;
  h_ = h;
  tolerances_.update(start, h);
}

void RadauIteration::avoid_simplified() { full_steps_left_ = kMostStepsWithFull; }

void RadauIteration::forget() {
  tolerances_.renew();
  matrix_step_ = 0;
}

bool RadauIteration::fail(StepReport& report, NewtonFailure failure, const std::string& message) {
  report.success = false;
  report.failure = failure;
  report.message = message;
  forget();
  return false;
}

bool RadauIteration::prefers_full() {
  switch (options_.newton) {
    case RadauNewton::kFull: return true;
    case RadauNewton::kSimplified: return options_.allow_redundant;
    case RadauNewton::kAutomatic: break;
  }
  return options_.allow_redundant || full_steps_left_-- > 0;
}

bool RadauIteration::keeps_matrices() const {
  return matrix_step_ > 0 &&
         std::max(h_, matrix_step_) <= kLargestChange * std::min(h_, matrix_step_);
}

bool RadauIteration::factorize(bool full, StepReport& report) {
  report.matrices += full ? options_.stages : 1;
  report.factorizations += full ? 1 : num_modes_;
  if (full ? equations_.factorize_full() : equations_.factorize_simplified()) return true;
  return fail(report, NewtonFailure::kSingularMatrix,
              "the iteration matrix is singular at " +
                  assembly_.unknown_name(equations_.singular_unknown()));
}

double RadauIteration::size_of_correction() {
  double largest = 0;
  equations_.write_changes(theta_changes_);
  const std::size_t dof = theta_changes_.size() / index(options_.stages);
  for (int i = 0; i < options_.stages; ++i) {
    const double size = norm_->size(std::span(theta_changes_).subspan(index(i) * dof, dof),
                                    equations_.correction(i));
    if (!(size <= largest)) largest = size;  // also NaN
  }
  return norm_->accumulated_over_local(h_) * largest / kPartOfTolerance;
}

/// With the contraction Θ the corrections that would follow add up to Θ/(1 - Θ) of the last one. That of the first
/// correction is what earlier steps had, and no less than what the matrices of another step make of it.
bool RadauIteration::is_within_tolerance(bool full) {
  const double size = size_of_correction();
  corrections_.add(size);
  double& expected = expected_rate_[full ? 1 : 0];
  double rate;
  if (corrections_.count > 1) {
    rate = expected = std::max(corrections_.late_rate(), 1e-12);
  } else {
    rate = std::pow(expected, kTrustInRate);
    if (!full) rate = std::max(rate, std::abs(1 - h_ / matrix_step_));
  }
  return rate < 1 && rate / (1 - rate) * size <= 1;
}

/// Residuals of different equations shrink by turns with matrices of one stage, and the mean rate counts. With full
/// ones an evaluation is cheap beside the matrix.
bool RadauIteration::expects_rounding(double size) const {
  const double rate = residuals_.rate();
  if (!options_.leave_out_last || residuals_.count < 2 || !(rate < kSteadyRate)) return false;
  return kUnsteadiness * rate * size <= kEnoughSimplified * tolerances_.rounding();
}

double RadauIteration::enough(bool full, bool stagnates) const {
  if (!options_.leave_out_last || full) return 1;
  return stagnates ? kNoiseOfSimplified : kEnoughSimplified;
}

double RadauIteration::iterations_left() const {
  const Sequence& sequence = norm_ ? corrections_ : residuals_;
  const double rate = norm_ ? sequence.late_rate() : sequence.rate();
  const double left = norm_ ? sequence.last * rate : sequence.last / tolerances_.rounding();
  return rate < 1 ? std::log(std::max(left, 1.0)) / -std::log(rate) : 1e9;
}

/// Residuals that shrink slowly near to rounding are no sign of it: without a norm matrices are renewed earlier.
int RadauIteration::cost_of_matrices() const { return norm_ ? cost_of_simplified_ : kLeastCost; }

/// New matrices are worth their cost when all iterations that they would have saved since the last ones were made take
/// longer.
void RadauIteration::judge_matrices(int iterations, bool is_fresh) {
  steps_with_full_ = 1;
  if (is_fresh) {
    fresh_iterations_ = iterations;
    further_iterations_ = 0;
  } else {
    further_iterations_ += std::max(0, iterations - fresh_iterations_);
    if (further_iterations_ >= cost_of_matrices()) matrix_step_ = 0;
  }
}

/// Whether a residual that does not shrink any more is what rounding leaves. Scales of the start of a step may be too
/// small for it, as where a drive begins to move what is at rest; then those of the stages tell, if corrections are
/// small beside them.
bool RadauIteration::is_rounding() {
  here_ = *start_;
  const RadauKinematics& motion = equations_.kinematics();
  for (int i = 0; i < options_.stages; ++i) {
    for (std::size_t k = 0; k < here_.v.size(); ++k) {
      const double v = motion.v(i)[k], v_dot = motion.v_dot(i)[k];
      if (std::abs(v) > std::abs(here_.v[k])) here_.v[k] = v;
      if (std::abs(v_dot) > std::abs(here_.v_dot[k])) here_.v_dot[k] = v_dot;
    }
  }
  std::ranges::copy(equations_.multipliers(options_.stages - 1), here_.lambda.begin());
  tolerances_.measure(here_, h_);
  if (!tolerances_.correction_is_small()) {
    tolerances_.measure(*start_, h_);
    return false;
  }
  const double size = tolerances_.size(equations_.residual());
  if (!(size <= kLargestStagnation)) return false;
  tolerances_.raise_rounding(2 * size);
  return true;
}

bool RadauIteration::solve(StepReport& report) {
  bool full = prefers_full(), is_fresh = false;
  bool has_matrix = !full && keeps_matrices() && equations_.keep_simplified();
  residuals_.restart();
  corrections_.restart();
  for (int iteration = 0;; ++iteration) {
    equations_.evaluate();
    report.residuals += options_.stages;
    const double size = tolerances_.size(equations_.residual());
    if (!std::isfinite(size)) {
      if (iteration > 0)
        return fail(report, NewtonFailure::kDiverged, "Newton's iteration diverges");
      return fail(
          report, NewtonFailure::kNonFinite,
          "element '" + assembly_.nonfinite_element() + "' returns a number that is not finite");
    }
    residuals_.add(size);
    const bool stagnates = residuals_.count > 1 && residuals_.ratio > kStagnation;
    if (size <= (iteration > 0 ? enough(full, stagnates) : 1) * tolerances_.rounding()) {
      if (!full && iteration > 0) judge_matrices(iteration, is_fresh);
      return true;
    }
    if (full && is_fresh && stagnates && is_rounding()) return true;
    if (iteration == options_.max_iterations) {
      return fail(report, NewtonFailure::kDiverged,
                  "Newton's iteration does not converge in " +
                      std::to_string(options_.max_iterations) + " iterations");
    }
    const int done = residuals_.count - 1;  // iterations with this matrix
    // Different parts of corrections shrink by turns: the second may be as large as the first, while residuals fall.
    const bool shows_rate = done > 2 || (done == 2 && (!norm_ || residuals_.ratio >= 1));
    if (!full && shows_rate) {
      const double all = done + iterations_left();
      if (is_fresh && all > kCostOfFull) {
        full = true;
        // Where it is near to rounding a full matrix is needed once, to tell.
        if (size > kLargestStagnation) {
          full_steps_left_ = steps_with_full_;
          steps_with_full_ = std::min(2 * steps_with_full_, kMostStepsWithFull);
        }
        matrix_step_ = 0;
        has_matrix = false;
      } else if (!is_fresh && all > fresh_iterations_ + 2 * cost_of_matrices()) {
        has_matrix = false;
      }
    } else if (full) {
      // The second correction shows how good the matrix of the first one is.
      has_matrix = has_matrix && norm_ && (done < 2 || corrections_.late_rate() < kGoodContraction);
    }
    if (!has_matrix) {
      if (!factorize(full, report)) return false;
      if (!full) matrix_step_ = h_;
      is_fresh = has_matrix = true;
      residuals_.restart();
      corrections_.restart();
      residuals_.add(size);
    }
    equations_.correct();
    report.newton_iterations += 1;
    const bool is_last = norm_ ? is_within_tolerance(full) : !full && expects_rounding(size);
    if (const auto node = equations_.kinematics().node_turned_beyond(2 * std::numbers::pi)) {
      return fail(report, NewtonFailure::kDiverged, half_turn_message(assembly_.system(), *node));
    }
    if (is_last) {
      equations_.update();
      if (!full) judge_matrices(iteration + 1, is_fresh);
      return true;
    }
  }
}

}  // namespace liegrad::dae
