#include "liegrad/dae/simulator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>

#include "liegrad/dae/run/event_locator.hpp"
#include "liegrad/dae/run/first_step.hpp"
#include "liegrad/dae/run/run_times.hpp"
#include "liegrad/dae/run/step_controller.hpp"
#include "liegrad/dae/run/trust_watch.hpp"
#include "liegrad/dae/run/velocity_watch.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::dae {
namespace {

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

void check_options(const IntegrateOptions& options, const Model& model) {
  const std::vector<std::string> problems = options.problems(model);
  if (problems.empty()) return;
  std::string all;
  for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
  throw InvalidArgument(all);
}

}  // namespace

/// What a run needs, made once. The options are those of the next run: values take the place of theirs.
class Simulator::Workspace {
 public:
  Workspace(const Model& model, const IntegrateOptions& options)
      : model_(model.shared()),
        options_(options.resolved()),
        given_(options_),
        reason_for_method_(options.method == Method::kAutomatic ? kReasonForDefault : ""),
        method_name_(options_.method_name()),
        settings_(options_.method_settings()),
        formulation_(model.num_multipliers() > 0 ? options_.formulation_name() : ""),
        warnings_(options.warnings()),
        times_(options.t_start, options.t_end),
        stepper_(make_stepper(model, options_)),
        initial_(find_consistency(model, options.alpha)),
        default_parameters_(model.parameter_values()),
        dense_(model.configuration_space()),
        events_(model, options_.events),
        trust_(model, options_) {}

  const Model& model() const { return *model_; }

  Solution& run(const RunValues& values) {
    const auto began = std::chrono::steady_clock::now();
    model_->check_current("this simulator was");
    take(values);
    start(values);
    if (!values.steps.empty()) {
      run_given(values.steps);
    } else if (options_.adaptive) {
      run_adaptive();
    } else {
      run_fixed();
    }
    if (!ended_) summary().termination = Termination::kReachedEnd;
    if (std::string remark = stepper_->remark(); !remark.empty()) {
      summary().warnings.push_back(std::move(remark));
    }
    judge();
    solution_.samples.resize(num_samples_kept_);
    solution_.final = stepper_->state();
    if (stop_state_) solution_.final = *stop_state_;
    summary().t = solution_.final.t;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
    summary().wall_seconds = taken.count();
    return solution_;
  }

 private:
  /// That of the method, or one of its own.
  Consistency& find_consistency(const Model& model, const AlphaOptions& options) {
    if (Consistency* const of_stepper = stepper_->own_consistency()) return *of_stepper;
    return own_initial_.emplace(model, options.consistency, options.solver);
  }

  IntegrateSummary& summary() { return solution_.summary; }

  void take(const RunValues& values) {
    check_values(values);
    const double t_start = values.t_start.value_or(given_.t_start);
    const double t_end = values.t_end.value_or(given_.t_end);
    if (t_start != options_.t_start || t_end != options_.t_end) {
      options_.t_start = t_start;
      options_.t_end = t_end;
      check_options(options_, *model_);
      times_ = RunTimes(t_start, t_end);
    }
    if (options_.adaptive) {
      options_.adaptive->tolerance = values.tolerance.value_or(given_.adaptive->tolerance);
      if (values.tolerance) check_options(options_, *model_);
    }
    parameters_ = values.parameters.empty() ? default_parameters_ : values.parameters;
    stepper_->set_parameters(parameters_);
    initial_.set_parameters(parameters_);
    events_.set_parameters(parameters_);
    trust_.set_parameters(parameters_);
    const ControlLaw& law = values.controls ? values.controls : given_.controls;
    stepper_->set_control_law(law ? ControlLaw(std::ref(law)) : ControlLaw());
  }

  void check_values(const RunValues& values) const {
    const std::size_t given = values.parameters.size(), wanted = model_->parameters().size();
    if (given > 0 && given != wanted) {
      throw InvalidArgument("a run of '" + model_->name() + "' was given " + std::to_string(given) +
                            " values of parameters; there are " + std::to_string(wanted));
    }
    for (std::size_t i = 0; i < given; ++i) {
      if (std::isfinite(values.parameters[i])) continue;
      throw InvalidArgument("the value of parameter '" + model_->parameters()[i].name +
                            "' is not finite; give it a number");
    }
    check_steps(values);
  }

  void check_steps(const RunValues& values) const {
    if (values.steps.empty()) return;
    const double wanted =
        values.t_end.value_or(given_.t_end) - values.t_start.value_or(given_.t_start);
    double sum = 0;
    for (const double h : values.steps) {
      if (!(h > 0) || !std::isfinite(h)) {
        throw InvalidArgument("a run was given a step of length " + number_text(h) +
                              "; steps must be positive");
      }
      sum += h;
    }
    // Each carries the rounding of the times between which it lies.
    constexpr double kTolerance = 1e-9;
    if (std::abs(sum - wanted) <= kTolerance * wanted) return;
    throw InvalidArgument("a run was given steps that last " + number_text(sum) +
                          " in all; from its start to its end it takes " + number_text(wanted));
  }

  void start(const RunValues& values) {
    reset();
    std::ranges::fill(stepper_->assembly().controls(), 0.0);
    stepper_->set_time(options_.t_start);
    const std::span<const double> controls = stepper_->assembly().controls();
    const auto& initial = values.initial ? values.initial : given_.initial;
    if (initial) {
      initial_.set_initial_state(options_.t_start, controls, *initial, consistent_);
    } else {
      initial_.set_initial_state(options_.t_start, controls, consistent_);
    }
    summary().consistency = initial_.report();
    refuse_redundancy_that_drifts(options_.alpha, initial_.report());
    if (options_.on_consistent) options_.on_consistent(consistent_);
    step_ = options_.step;
    if (options_.adaptive) prepare_error_norm();
    if (!values.steps.empty()) {
      step_ = values.steps.front();
    } else if (options_.adaptive) {
      choose_first_step();
    }
    stepper_->set_error_norm(norm_ ? &*norm_ : nullptr);
    stepper_->start(consistent_, step_);
    if (Consistency* const of_velocities = stepper_->consistency_of_velocities()) {
      if (!velocity_watch_) velocity_watch_.emplace(*of_velocities);
      velocity_watch_->start();
    }
    trust_.start(stepper_->state(), initial_.assembly());
    if (options_.on_start) options_.on_start(stepper_->state(), step_);
    next_sample_ = options_.t_start + options_.sample_interval;
    if (options_.keep_samples) next_sample_state() = stepper_->state();
    events_.start(stepper_->state(), stepper_->assembly().controls(), times_.rounding());
  }

  /// Forgets the run before, but not its memory.
  void reset() {
    IntegrateSummary& s = summary();
    s.termination = Termination::kNotRun;
    s.method = method_name_;
    s.reason_for_method = reason_for_method_;
    s.settings = settings_;
    s.formulation = formulation_;
    s.t_end = options_.t_end;
    s.step = options_.adaptive ? 0 : options_.step;
    s.tolerance.reset();
    if (options_.adaptive) s.tolerance = options_.adaptive->tolerance;
    s.t = options_.t_start;
    s.message.clear();
    s.warnings = warnings_;
    s.steps = s.rejected_steps = s.failed_attempts = 0;
    s.newton_iterations = s.jacobian_evaluations = s.factorizations = s.residual_evaluations = 0;
    s.max_position_residual = s.max_velocity_residual = 0;
    s.smallest_step = s.largest_step = 0;
    s.solver = stepper_->solver();
    s.trusted = false;
    s.reason_for_doubt.clear();
    solution_.parameters = parameters_;
    solution_.events.clear();
    num_samples_kept_ = 0;
    num_samples_ = 0;
    ended_ = false;
    stop_state_.reset();
    first_failure_.clear();
  }

  /// The sample to be written next: one of the run before, if there is one left.
  State& next_sample_state() {
    std::vector<State>& samples = solution_.samples;
    if (num_samples_kept_ == samples.size()) samples.emplace_back();
    return samples[num_samples_kept_++];
  }

  void prepare_error_norm() {
    const AdaptiveOptions& adaptive = *options_.adaptive;
    if (norm_) {
      norm_->start(initial_.assembly(), consistent_, adaptive.tolerance, times_.interval());
    } else {
      norm_.emplace(initial_.assembly(), consistent_, adaptive.tolerance, times_.interval());
    }
  }

  void choose_first_step() {
    const AdaptiveOptions& adaptive = *options_.adaptive;
    step_ = adaptive.initial_step > 0
                ? std::min(adaptive.initial_step, times_.interval())
                : first_step(initial_, consistent_, *norm_, stepper_->error_exponent());
  }

  void run_fixed() {
    const double h = options_.step;
    const FixedSteps steps = times_.fixed_steps(h);
    planned_step_ = std::min(h, times_.interval());
    for (long n = 1; n < steps.count && !ended_; ++n) {
      advance(h, options_.t_start + static_cast<double>(n) * h);
    }
    advance(steps.last, options_.t_end);
    if (!first_failure_.empty()) summary().warnings.push_back(first_failure_);
  }

  void run_given(const std::vector<double>& steps) {
    planned_step_ = *std::min_element(steps.begin(), steps.end());
    for (std::size_t n = 0; n + 1 < steps.size() && !ended_; ++n) {
      advance(steps[n], stepper_->state().t + steps[n]);
    }
    advance(options_.t_end - stepper_->state().t, options_.t_end);
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

  double least_step() const { return planned_step_ * options_.smallest_fraction; }

  void run_adaptive() {
    const AdaptiveOptions& adaptive = *options_.adaptive;
    const double interval = times_.interval();
    const double least = std::max(
        adaptive.smallest_step > 0 ? adaptive.smallest_step : 1e-12 * interval, times_.rounding());
    const double most = adaptive.largest_step > 0 ? adaptive.largest_step : interval;
    planned_step_ = std::numeric_limits<double>::infinity();
    StepController controller(stepper_->error_exponent(), stepper_->error_has_memory());
    while (!ended_ && !times_.has_ended(stepper_->state().t)) {
      double h =
          std::clamp(step_, least, std::max(least, std::min(most, stepper_->longest_step())));
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
      const double error = stepper_->error(*norm_);
      if (!(error <= 1) && h > least) {
        summary().rejected_steps += 1;
        step_ = h * controller.after_rejection(error);
        if (h <= stepper_->shortest_step(*norm_)) {
          give_up_tolerance(h);
          break;
        }
        continue;
      }
      if (!(error <= 1)) trust_.accept_above_tolerance();
      step_ = h * controller.after_acceptance(error);
      norm_->observe(stepper_->next());
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
    std::optional<std::string> failure;
    try {
      failure = velocity_watch_->failure(*stepper_);
      // Shorter steps do not help where errors of constraint forces are not damped.
      if (failure) {
        *failure += leaves_oscillations(options_)
                        ? ": the method does not damp errors of constraint forces"
                        : ": the step is too long for this motion";
      }
    } catch (const Error& error) {  // names what is singular
      failure = error.what();
    }
    if (!failure) return report;
    failed_ = report;
    failed_.success = false;
    failed_.failure = NewtonFailure::kDiverged;
    failed_.message = *failure;
    return failed_;
  }

  void judge() {
    IntegrateSummary& s = summary();
    if (!s.is_complete()) {
      s.reason_for_doubt = s.message;
      return;
    }
    const std::optional<std::string> doubt = trust_.doubt(s, stepper_->state());
    s.trusted = !doubt;
    if (doubt) s.reason_for_doubt = *doubt;
  }

  void complete(double h) {
    IntegrateSummary& s = summary();
    s.steps += 1;
    s.max_position_residual = std::max(s.max_position_residual, last_report().position_residual);
    s.max_velocity_residual = std::max(s.max_velocity_residual, last_report().velocity_residual);
    s.smallest_step = s.steps == 1 ? h : std::min(s.smallest_step, h);
    s.largest_step = std::max(s.largest_step, h);
    const bool samples = options_.keep_samples && options_.sample_interval > 0;
    if (samples || !options_.events.empty())
      dense_.set_step(stepper_->state(), stepper_->next(), h);
    if (!options_.events.empty()) find_events();
    if (options_.keep_samples) take_samples();
    trust_.observe(stepper_->state(), stepper_->next());
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
      const State& end = stepper_->next();
      next_sample_state() = stop_state_ ? *stop_state_ : end;
      return;
    }
    const double t = stop_state_ ? stop_state_->t : stepper_->next().t;
    while (!times_.is_after(next_sample_, t) && times_.contains(next_sample_)) {
      if (times_.is_same(next_sample_, stepper_->next().t)) {
        next_sample_state() = stepper_->next();
      } else {
        evaluate_between(next_sample_, next_sample_state());
      }
      num_samples_ += 1;
      next_sample_ =
          options_.t_start + static_cast<double>(num_samples_ + 1) * options_.sample_interval;
    }
  }

  /// Interpolates q and v. Methods without accelerations of their own have those of the equations of motion at the ends
  /// of steps, and so between them; where these are singular the interpolated ones stay.
  void evaluate_between(double t, State& sample) {
    dense_.evaluate(t, sample);
    if (options_.method == Method::kAlpha) return;
    stepper_->set_time(t);
    std::ranges::copy(stepper_->assembly().controls(), initial_.controls().begin());
    try {
      initial_.set_accelerations(sample);
    } catch (const Error&) {
      dense_.evaluate(t, sample);
    }
  }

  void give_up(const StepReport& report, double t_end) {
    ended_ = true;
    IntegrateSummary& s = summary();
    s.termination = termination_of(report.failure);
    s.message = "the step from t = " + number_text(stepper_->state().t) + " to " +
                number_text(t_end) + " failed: " + report.message;
    const double h = t_end - stepper_->state().t;
    const bool is_shorter = h < 0.75 * planned_step_;
    if (report.failure != NewtonFailure::kNonFinite && is_shorter) {
      s.message += "; smaller steps down to " + number_text(h) + " were tried";
    }
  }

  /// Shorter steps would not reach it either.
  void give_up_tolerance(double h) {
    ended_ = true;
    IntegrateSummary& s = summary();
    s.termination = Termination::kToleranceBelowRounding;
    s.message =
        "at t = " + number_text(stepper_->state().t) + " the relative tolerance " +
        number_text(options_.adaptive->tolerance.relative) + " would need steps below " +
        number_text(h) +
        ", where velocities of index 3 have rounding of positions over the step, which is as "
        "large; choose the stabilised formulation, radau-3, or a larger tolerance";
  }

  std::shared_ptr<const Model> model_;
  IntegrateOptions options_;
  IntegrateOptions given_;
  std::string reason_for_method_, method_name_, settings_, formulation_;
  std::vector<std::string> warnings_;
  RunTimes times_;
  std::unique_ptr<Stepper> stepper_;
  std::optional<Consistency> own_initial_;
  Consistency& initial_;
  State consistent_;  ///< initial values with v̇, λ and s
  std::vector<double> default_parameters_, parameters_;
  std::optional<VelocityWatch> velocity_watch_;
  StepReport failed_;              ///< of a step that velocity_watch_ refused
  std::optional<ErrorNorm> norm_;  ///< of adaptive steps
  DenseOutput dense_;
  EventLocator events_;
  TrustWatch trust_;
  Solution solution_;
  double step_ = 0;
  /// The shortest one, before any is halved; infinite where steps follow the error.
  double planned_step_ = 0;
  double next_sample_ = 0;
  long num_samples_ = 0;
  std::size_t num_samples_kept_ = 0;
  bool ended_ = false;
  std::optional<State> stop_state_;
  std::string first_failure_;
};

Simulator::Simulator(const Model& model, const IntegrateOptions& options) {
  check_options(options, model);
  workspace_ = std::make_unique<Workspace>(model, options);
}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

const Model& Simulator::model() const { return workspace_->model(); }
const Solution& Simulator::run(const RunValues& values) & { return workspace_->run(values); }
Solution Simulator::run(const RunValues& values) && { return std::move(workspace_->run(values)); }

}  // namespace liegrad::dae
