#include "liegrad/dae/integrate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "liegrad/dae/event_locator.hpp"
#include "liegrad/dae/munthe_kaas.hpp"
#include "liegrad/dae/step_controller.hpp"
#include "liegrad/dae/text.hpp"
#include "liegrad/dae/velocity_watch.hpp"

namespace liegrad::dae {
namespace {

/// More than any machine can use for the elements of one system.
constexpr int kMostThreads = 256;

Termination termination_of(NewtonFailure failure) {
  switch (failure) {
    case NewtonFailure::kSingularMatrix: return Termination::kSingularMatrix;
    case NewtonFailure::kNonFinite: return Termination::kNonFinite;
    default: return Termination::kNewtonDiverged;
  }
}

/// Index 2 lets Φ drift, and gradients of constraints that depend on each other where Φ = 0 do so nowhere else:
/// the mechanism would lock.
void refuse_redundancy_that_drifts(const AlphaOptions& alpha, const ConsistencyReport& report) {
  const std::vector<std::string>& redundant = report.redundant_constraints;
  if (alpha.formulation != Formulation::kIndex2 || redundant.empty()) return;
  throw InvalidArgument(
      "constraints that depend on others, here " + redundant.front() +
      (redundant.size() > 1 ? " and " + std::to_string(redundant.size() - 1) + " more" : "") +
      ", do so only where positions satisfy them, and positions drift in index 2; choose index 3 "
      "or the stabilized formulation");
}

/// One run: the parts that integrate() is made of share what stands here.
class Run {
 public:
  Run(const System& system, const IntegrateOptions& options)
      : system_(system),
        options_(options),
        stepper_(make_stepper(system, options)),
        dense_(system.configuration_space()),
        events_(system, options.events) {}

  Solution run() {
    const auto began = std::chrono::steady_clock::now();
    start();
    if (options_.adaptive) {
      run_adaptive();
    } else {
      run_fixed();
    }
    solution_.final = stepper_->state();
    if (stop_state_) solution_.final = *stop_state_;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
    summary().wall_seconds = taken.count();
    return std::move(solution_);
  }

 private:
  IntegrateSummary& summary() { return solution_.summary; }

  void start() {
    summary().warnings = options_.warnings();
    stepper_->set_control_law(options_.controls);
    stepper_->set_time(options_.t_start);
    ConsistencyOptions consistency = options_.alpha.consistency;
    Consistency initial(system_, consistency, options_.alpha.solver);
    const std::span<const double> controls = stepper_->assembly().controls();
    const State state = options_.initial
                            ? initial.initial_state(options_.t_start, controls, *options_.initial)
                            : initial.initial_state(options_.t_start, controls);
    summary().consistency = initial.report();
    refuse_redundancy_that_drifts(options_.alpha, initial.report());
    summary().solver = stepper_->solver();
    step_ = options_.adaptive ? first_step(state) : options_.step;
    stepper_->start(state, step_);
    if (Consistency* const of_velocities = stepper_->consistency_of_velocities()) {
      velocity_watch_.emplace(*of_velocities);
    }
    if (options_.on_start) options_.on_start(stepper_->state(), step_);
    next_sample_ = options_.t_start + options_.sample_interval;
    if (options_.keep_samples) solution_.samples.push_back(stepper_->state());
    events_.start(stepper_->state(), stepper_->assembly().controls());
  }

  double first_step(const State& state) const {
    const double interval = options_.t_end - options_.t_start;
    const AdaptiveOptions& adaptive = *options_.adaptive;
    if (adaptive.initial_step > 0) return std::min(adaptive.initial_step, interval);
    // A hundredth of the time in which accelerations change velocities by themselves.
    double v = 0, v_dot = 0;
    for (const double entry : state.v) v = std::max(v, std::abs(entry));
    for (const double entry : state.v_dot) v_dot = std::max(v_dot, std::abs(entry));
    const double guess = v_dot > 0 && v > 0 ? 0.01 * v / v_dot : 1e-4 * interval;
    return std::clamp(guess, 1e-8 * interval, 1e-2 * interval);
  }

  void run_fixed() {
    const double h = options_.step;
    const double interval = options_.t_end - options_.t_start;
    // Steps of equal length; a last shorter one when the interval is not a multiple.
    const long whole = static_cast<long>(std::floor(interval / h * (1 + 1e-12)));
    for (long n = 0; n < whole && !ended_; ++n) {
      const double t_end = options_.t_start + static_cast<double>(n + 1) * h;
      advance(h, t_end);
    }
    const double rest = options_.t_end - stepper_->state().t;
    if (!ended_ && rest > 1e-9 * h) advance(rest, options_.t_end);
    if (!first_failure_.empty()) summary().warnings.push_back(first_failure_);
  }

  /// One step; where it fails, two of half the length, and so on.
  void advance(double h, double t_end) {
    if (ended_) return;
    const StepReport& report = attempt(h, t_end);
    if (report.success) return complete(h);
    summary().failed_attempts += 1;
    if (report.failure == NewtonFailure::kNonFinite || h / 2 < least_step()) {
      return give_up(report, t_end);
    }
    if (first_failure_.empty()) {
      first_failure_ =
          "steps that failed were halved, first at t = " + number_text(stepper_->state().t) + ": " +
          report.message;
    }
    advance(h / 2, t_end - h / 2);
    advance(h / 2, t_end);
  }

  double least_step() const { return options_.step * options_.smallest_fraction; }

  void run_adaptive() {
    const AdaptiveOptions& adaptive = *options_.adaptive;
    const double interval = options_.t_end - options_.t_start;
    const double least = adaptive.smallest_step > 0 ? adaptive.smallest_step : 1e-12 * interval;
    const double most = adaptive.largest_step > 0 ? adaptive.largest_step : interval;
    StepController controller(stepper_->error_exponent());
    while (!ended_ && options_.t_end - stepper_->state().t > least) {
      double h = std::clamp(step_, least, most);
      const double left = options_.t_end - stepper_->state().t;
      // The last two steps share what is left, so that none is tiny.
      const bool last = h >= left * (1 - 1e-9);
      if (last) {
        h = left;
      } else if (h > 0.5 * left) {
        h = 0.5 * left;
      }
      const double t_end = last ? options_.t_end : stepper_->state().t + h;
      const StepReport& report = attempt(h, t_end);
      if (!report.success) {
        summary().failed_attempts += 1;
        if (report.failure == NewtonFailure::kNonFinite || h <= least) {
          give_up(report, t_end);
          break;
        }
        step_ = std::max(0.25 * h, least);
        controller.reset();
        continue;
      }
      const double error = stepper_->error(adaptive.tolerance);
      if (error > 1 && h > least) {
        summary().rejected_steps += 1;
        step_ = h * controller.after_rejection(error);
        continue;
      }
      step_ = h * controller.after_acceptance(error);
      complete(h);
    }
  }

  const StepReport& attempt(double h, double t_end) {
    const StepReport& report = stepper_->step(h, t_end);
    summary().newton_iterations += report.newton_iterations;
    summary().jacobian_evaluations += report.matrices;
    summary().factorizations += report.factorizations;
    summary().residual_evaluations += report.residuals;
    return report.success && velocity_watch_ ? watch_velocities(report) : report;
  }

  const StepReport& watch_velocities(const StepReport& report) {
    std::optional<std::string> complaint;
    try {
      complaint = velocity_watch_->complaint(*stepper_);
    } catch (const Error& error) {  // names what is singular
      complaint = error.what();
    }
    if (!complaint) return report;
    failed_ = report;
    failed_.success = false;
    failed_.failure = NewtonFailure::kDiverged;
    failed_.message = *complaint;
    return failed_;
  }

  void complete(double h) {
    IntegrateSummary& s = summary();
    s.steps += 1;
    s.max_position_residual = std::max(s.max_position_residual, last_report().position_residual);
    s.max_velocity_residual = std::max(s.max_velocity_residual, last_report().velocity_residual);
    s.smallest_step = s.steps == 1 ? h : std::min(s.smallest_step, h);
    s.largest_step = std::max(s.largest_step, h);
    const bool samples = options_.keep_samples && options_.sample_interval > 0;
    if (samples || !options_.events.empty()) dense_.set_step(stepper_->state(), stepper_->next());
    if (!options_.events.empty()) find_events();
    if (options_.keep_samples) take_samples();
    stepper_->accept();
    if (options_.on_step && !ended_ && !options_.on_step(stepper_->state())) {
      ended_ = true;
      s.termination = Termination::kStoppedByCallback;
    }
  }

  const StepReport& last_report() const { return stepper_->report(); }

  void find_events() {
    const auto stop =
        events_.find(dense_, stepper_->next(), stepper_->assembly().controls(), solution_.events);
    if (!stop) return;
    ended_ = true;
    stop_state_ = *stop;
    summary().termination = Termination::kStoppedByEvent;
  }

  void take_samples() {
    if (options_.sample_interval <= 0) {
      solution_.samples.push_back(stop_state_ ? *stop_state_ : stepper_->next());
      return;
    }
    const double t = stop_state_ ? stop_state_->t : stepper_->next().t;
    const double rounding = 1e-9 * options_.sample_interval;
    while (next_sample_ <= t + rounding && next_sample_ <= options_.t_end + rounding) {
      if (std::abs(next_sample_ - stepper_->next().t) <= rounding) {
        solution_.samples.push_back(stepper_->next());
      } else {
        solution_.samples.emplace_back();
        dense_.evaluate(next_sample_, solution_.samples.back());
      }
      num_samples_ += 1;
      next_sample_ =
          options_.t_start + static_cast<double>(num_samples_ + 1) * options_.sample_interval;
    }
  }

  void give_up(const StepReport& report, double t_end) {
    ended_ = true;
    IntegrateSummary& s = summary();
    s.termination = termination_of(report.failure);
    s.message = "the step from t = " + number_text(stepper_->state().t) + " to " +
                number_text(t_end) + " failed: " + report.message;
    if (report.failure != NewtonFailure::kNonFinite) {
      s.message +=
          "; smaller steps down to " + number_text(t_end - stepper_->state().t) + " were tried";
    }
  }

  const System& system_;
  const IntegrateOptions& options_;
  std::unique_ptr<Stepper> stepper_;
  std::optional<VelocityWatch> velocity_watch_;
  StepReport failed_;  ///< of a step that velocity_watch_ refused
  DenseOutput dense_;
  EventLocator events_;
  Solution solution_;
  double step_ = 0;
  double next_sample_ = 0;
  long num_samples_ = 0;
  bool ended_ = false;
  std::optional<State> stop_state_;
  std::string first_failure_;
};

}  // namespace

std::vector<std::string> IntegrateOptions::problems(const System& system) const {
  std::vector<std::string> list;
  const auto require = [&list](bool holds, const std::string& sentence) {
    if (!holds) list.push_back(sentence);
  };
  require(std::isfinite(t_start) && std::isfinite(t_end) && t_end > t_start,
          "the end time t_end = " + number_text(t_end) + " must be after the start " +
              number_text(t_start));
  if (!adaptive) {
    require(std::isfinite(step) && step > 0, "the step " + number_text(step) + " must be positive");
  } else {
    require(adaptive->tolerance.relative > 0 && adaptive->tolerance.absolute > 0,
            "the tolerances of adaptive steps must be positive; they are rtol = " +
                number_text(adaptive->tolerance.relative) +
                " and atol = " + number_text(adaptive->tolerance.absolute));
  }
  if (initial) {
    const std::size_t coeffs = static_cast<std::size_t>(system.configuration_space().num_coeffs());
    const std::size_t dof = static_cast<std::size_t>(system.dof());
    require(initial->q.size() == coeffs && initial->v.size() == dof,
            "the initial values have " + std::to_string(initial->q.size()) + " and " +
                std::to_string(initial->v.size()) + " numbers; '" + system.name() + "' needs " +
                std::to_string(coeffs) + " coefficients and " + std::to_string(dof) +
                " velocities");
  }
  require(threads >= 1 && threads <= kMostThreads, "threads = " + std::to_string(threads) +
                                                       " must be from 1 to " +
                                                       std::to_string(kMostThreads));
  require(std::isfinite(sample_interval) && sample_interval >= 0,
          "the time between samples must not be negative or infinite; it is " +
              number_text(sample_interval));
  if (method == Method::kAlpha) {
    for (const std::string& problem : alpha.method.parameters.problems()) list.push_back(problem);
    require(std::isfinite(alpha.method.sigma), "sigma must be a finite number");
    const bool updated = alpha.variant != AlphaVariant::kLieGroup;
    require(!updated || alpha.formulation == Formulation::kIndex3,
            "updated Lagrangian methods exist for index 3 only; choose that formulation");
    require(!updated || alpha.method.sigma == 0,
            "sigma = " + number_text(alpha.method.sigma) +
                " has no meaning for updated Lagrangian methods; leave it at 0");
  } else {
    for (const std::string& problem : tableau.problems()) list.push_back(problem);
    const int algebraic = system.num_multipliers() + system.num_algebraic();
    require(algebraic == 0,
            "Munthe-Kaas methods are for systems without constraints and algebraic states, and '" +
                system.name() + "' has " + std::to_string(algebraic) +
                "; use a generalized-alpha method");
    require(!adaptive || tableau.b_embedded.has_value(),
            "adaptive steps need an embedded method, which '" + tableau.name + "' has not");
  }
  return list;
}

std::vector<std::string> IntegrateOptions::warnings() const {
  if (method != Method::kAlpha) return {};
  std::vector<std::string> list = alpha.method.parameters.warnings();
  if (alpha.consistency.allow_redundant && alpha.newton.kind != NewtonKind::kFull) {
    list.push_back(
        "redundant constraints need a new matrix in every iteration; Newton's method is full");
  }
  return list;
}

std::unique_ptr<Stepper> make_stepper(const System& system, const IntegrateOptions& options) {
  std::unique_ptr<Stepper> stepper;
  if (options.method == Method::kMuntheKaas) {
    stepper = make_munthe_kaas(system, options.tableau, options.alpha.newton);
  } else {
    stepper = std::make_unique<GeneralizedAlpha>(system, options.alpha);
  }
  stepper->assembly().set_threads(options.threads);
  return stepper;
}

Solution integrate(const System& system, const IntegrateOptions& options) {
  const std::vector<std::string> problems = options.problems(system);
  if (!problems.empty()) {
    std::string all;
    for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
    throw InvalidArgument(all);
  }
  return Run(system, options).run();
}

}  // namespace liegrad::dae
