#include <cmath>
#include <string>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/dae/run/run_times.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::dae {
namespace {

/// Relative tolerances below this are met by rounding alone, or never.
constexpr double kLeastTolerance = 1e-13;

/// Collects a sentence for each condition that does not hold. Conditions are written so that NaN violates them.
class Problems {
 public:
  void require(bool holds, const std::string& sentence) {
    if (!holds) list_.push_back(sentence);
  }
  void positive(double value, const std::string& name) {
    limit(value, value > 0, name, "positive");
  }
  void not_negative(double value, const std::string& name) {
    limit(value, value >= 0, name, "positive or 0");
  }
  void add(const std::vector<std::string>& sentences) {
    list_.insert(list_.end(), sentences.begin(), sentences.end());
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  void limit(double value, bool holds, const std::string& name, const std::string& bound) {
    require(std::isfinite(value) && holds,
            name + " " + number_text(value) + " must be " +
                (std::isfinite(value) ? bound : std::string("finite")));
  }

  std::vector<std::string> list_;
};

void check_above_rounding(double value, const std::string& name, const RunTimes& times,
                          Problems& problems) {
  problems.require(!(value > 0) || value >= times.rounding(),
                   name + " " + number_text(value) + " is below the rounding of times, " +
                       number_text(times.rounding()) + " in this run; choose a longer one");
}

void check_adaptive(const AdaptiveOptions& adaptive, const RunTimes& times, Problems& problems) {
  const ErrorTolerance& tolerance = adaptive.tolerance;
  problems.require(std::isfinite(tolerance.relative) && tolerance.relative >= kLeastTolerance,
                   "the relative tolerance " + number_text(tolerance.relative) +
                       " must be finite and at least " + number_text(kLeastTolerance) +
                       ", where rounding begins");
  problems.not_negative(tolerance.absolute, "the absolute tolerance");
  problems.not_negative(adaptive.initial_step, "the first step");
  problems.not_negative(adaptive.smallest_step, "the smallest step");
  problems.not_negative(adaptive.largest_step, "the largest step");
  check_above_rounding(adaptive.initial_step, "the first step", times, problems);
  check_above_rounding(adaptive.smallest_step, "the smallest step", times, problems);
  check_above_rounding(adaptive.largest_step, "the largest step", times, problems);
  const bool has_both = adaptive.smallest_step > 0 && adaptive.largest_step > 0;
  problems.require(!has_both || adaptive.smallest_step <= adaptive.largest_step,
                   "the smallest step " + number_text(adaptive.smallest_step) +
                       " must not exceed the largest, " + number_text(adaptive.largest_step));
}

void check_newton(const NewtonOptions& newton, Problems& problems) {
  problems.require(newton.relative_tolerance > 0 && newton.relative_tolerance < 1,
                   "the relative tolerance of Newton's iteration " +
                       number_text(newton.relative_tolerance) + " must be between 0 and 1");
  if (newton.residual_tolerance) {
    problems.positive(*newton.residual_tolerance, "the residual tolerance of Newton's iteration");
  }
  problems.require(newton.max_iterations >= 1,
                   "Newton's iteration needs at least one iteration; max_iterations = " +
                       std::to_string(newton.max_iterations));
  problems.require(newton.kept_contraction > 0 && newton.kept_contraction < 1,
                   "kept_contraction = " + number_text(newton.kept_contraction) +
                       " of Newton's iteration must be between 0 and 1");
  problems.require(newton.max_kept_iterations >= 1,
                   "max_kept_iterations = " + std::to_string(newton.max_kept_iterations) +
                       " of Newton's iteration must be at least 1");
}

void check_event(const EventOptions& event, Problems& problems) {
  problems.require(std::isfinite(event.level), "the level of the event '" + event.output +
                                                   "' must be finite; it is " +
                                                   number_text(event.level));
  problems.positive(event.time_tolerance, "the time tolerance of the event '" + event.output + "'");
}

void check_alpha(const AlphaOptions& alpha, Problems& problems) {
  problems.add(alpha.method.parameters.problems());
  problems.require(std::isfinite(alpha.method.sigma), "sigma must be a finite number");
  const bool updated = alpha.variant != AlphaVariant::kLieGroup;
  problems.require(!updated || alpha.formulation == Formulation::kIndex3,
                   "updated Lagrangian methods exist for index 3 only; choose that formulation");
  problems.require(!updated || alpha.method.sigma == 0,
                   "sigma = " + number_text(alpha.method.sigma) +
                       " has no meaning for updated Lagrangian methods; leave it at 0");
}

void check_munthe_kaas(const IntegrateOptions& options, const Model& system, Problems& problems) {
  problems.add(options.tableau.problems());
  const int algebraic = system.num_multipliers() + system.num_algebraic();
  problems.require(algebraic == 0 || options.tableau.is_explicit(),
                   "implicit Munthe-Kaas methods such as '" + options.tableau.name +
                       "' are for systems without constraints and algebraic states, and '" +
                       system.name() + "' has " + std::to_string(algebraic) +
                       "; use a Radau or a generalized-alpha method");
  problems.require(!options.alpha.consistency.allow_redundant || algebraic == 0,
                   "Munthe-Kaas methods do not allow for redundant constraints; use a Radau or a "
                   "generalized-alpha method");
  problems.require(!options.adaptive || options.tableau.b_embedded.has_value(),
                   "adaptive steps need an embedded method, which '" + options.tableau.name +
                       "' has not; give a step, or choose another method");
}

void check_radau(const RadauOptions& radau, Problems& problems) {
  problems.require(
      radau.stages == 2 || radau.stages == 3,
      "Radau methods have 2 or 3 stages here; stages = " + std::to_string(radau.stages));
  problems.require(radau.relative_tolerance > 0 && radau.relative_tolerance < 1,
                   "the relative tolerance of the stages of a Radau method " +
                       number_text(radau.relative_tolerance) + " must be between 0 and 1");
  problems.require(radau.max_iterations >= 1,
                   "the stages of a Radau method need at least one iteration; max_iterations = " +
                       std::to_string(radau.max_iterations));
}

void check_initial(const InitialValues& initial, const Model& system, Problems& problems) {
  const std::size_t coeffs = static_cast<std::size_t>(system.configuration_space().num_coeffs());
  const std::size_t dof = static_cast<std::size_t>(system.dof());
  problems.require(initial.q.size() == coeffs && initial.v.size() == dof,
                   "the initial values have " + std::to_string(initial.q.size()) + " and " +
                       std::to_string(initial.v.size()) + " numbers; '" + system.name() +
                       "' needs " + std::to_string(coeffs) + " coefficients and " +
                       std::to_string(dof) + " velocities");
}

}  // namespace

std::vector<std::string> IntegrateOptions::problems(const Model& system) const {
  if (method == Method::kAutomatic || (!adaptive && step == 0)) return resolved().problems(system);
  Problems problems;
  const bool has_times = std::isfinite(t_end - t_start) && t_end > t_start;
  problems.require(has_times, "the end time t_end = " + number_text(t_end) +
                                  " must be after the start " + number_text(t_start));
  const RunTimes times = has_times ? RunTimes(t_start, t_end) : RunTimes(0, 1);
  problems.require(times.interval() > times.rounding(),
                   "the run from " + number_text(t_start) + " to " + number_text(t_end) +
                       " is shorter than the rounding of its times");
  if (adaptive) {
    check_adaptive(*adaptive, times, problems);
  } else {
    problems.positive(step, "the step");
    check_above_rounding(step, "the step", times, problems);
    problems.require(smallest_fraction > 0 && smallest_fraction <= 1,
                     "smallest_fraction = " + number_text(smallest_fraction) +
                         " of a step must be above 0 and at most 1");
  }
  if (initial) check_initial(*initial, system, problems);
  problems.require(std::isfinite(sample_interval) && sample_interval >= 0,
                   "the time between samples must not be negative or infinite; it is " +
                       number_text(sample_interval));
  check_above_rounding(sample_interval, "the time between samples", times, problems);
  check_newton(alpha.newton, problems);
  problems.positive(alpha.consistency.tolerance, "the tolerance of consistent initial values");
  for (const EventOptions& event : events) check_event(event, problems);
  if (method == Method::kAlpha) {
    check_alpha(alpha, problems);
  } else if (method == Method::kRadau) {
    check_radau(radau, problems);
  } else {
    check_munthe_kaas(*this, system, problems);
  }
  return problems.take();
}

}  // namespace liegrad::dae
