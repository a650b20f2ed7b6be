#include "liegrad/sensitivity/trajectory/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "liegrad/dae/run/run_times.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/sensitivity/step/alpha_step_derivative.hpp"
#include "liegrad/sensitivity/step/munthe_kaas_derivative.hpp"
#include "liegrad/sensitivity/step/radau_derivative.hpp"
#include "liegrad/sensitivity/trajectory/full_convergence.hpp"

namespace liegrad::sensitivity {

namespace {

std::unique_ptr<StepDerivative> make_step_derivative(const dae::Model& model,
                                                     const dae::IntegrateOptions& options) {
  if (options.method == dae::Method::kMuntheKaas) {
    return munthe_kaas_derivative(model, options.tableau, options.alpha.newton);
  }
  if (options.method == dae::Method::kRadau) return radau_derivative(model, options);
  return std::make_unique<AlphaStepDerivative>(model, options.alpha);
}

}  // namespace

Trajectory::Trajectory(const dae::Model& model, const dae::IntegrateOptions& options,
                       const CheckpointOptions& checkpoints, dae::Runs runs, Order order)
    : options_(with_full_convergence(options)),
      checkpoints_(checkpoints),
      simulator_(model, observed(options_)),
      first_controls_(model.controls().size()),
      consistency_(model, options.alpha.consistency, options.alpha.solver),
      default_parameters_(model.parameter_values()),
      start_derivative_(model, options, runs, order),
      step_derivative_(make_step_derivative(model, options_)),
      start_controls_(first_controls_),
      end_controls_(first_controls_) {
  if (options.method == dae::Method::kAlpha) {
    change_derivative_.emplace(model, options.alpha, runs, order);
  }
}

/// Options with which a run tells this object of its steps.
dae::IntegrateOptions Trajectory::observed(const dae::IntegrateOptions& options) {
  dae::IntegrateOptions run = options;
  run.keep_samples = false;
  run.on_consistent = [this](const dae::State& state) { consistent_ = state; };
  run.on_start = [this](const dae::MethodState& state, double h) { begin_at(state, h); };
  run.on_step = [this](const dae::MethodState& state) { return go_on_to(state); };
  return run;
}

void Trajectory::begin_at(const dae::MethodState& state, double first_step) {
  started_ = latest_ = state;
  grid_.begin(t_start_, t_end_, first_step);
  (*visit_)(-1, start_of_run(), false);
}

/// A step is visited when the next one is made: only then it is known whether it was the last.
bool Trajectory::go_on_to(const dae::MethodState& state) {
  if (grid_.num_steps() > 0) visit_last(false);
  std::swap(previous_, latest_);
  latest_ = state;
  save(grid_.num_steps(), previous_);
  grid_.append(state.step);
  return !options_.on_step || options_.on_step(state);
}

void Trajectory::visit_last(bool is_last) {
  const long n = grid_.num_steps() - 1;
  (*visit_)(n, made(n, previous_, latest_), is_last);
}

void Trajectory::run(const dae::RunValues& values, const Visit& visit) {
  visit_ = &visit;
  t_start_ = values.t_start.value_or(options_.t_start);
  t_end_ = values.t_end.value_or(options_.t_end);
  controls_ = values.controls ? &values.controls : &options_.controls;
  find_controls(t_start_, first_controls_);
  consistency_.set_parameters(values.parameters.empty() ? default_parameters_ : values.parameters);
  recomputed_ = 0;
  schedule_.reset();
  has_store_ = false;
  solution_ = &simulator_.run(values);
  if (summary().termination != dae::Termination::kReachedEnd) {
    throw Error("derivatives need the whole run, which ended at t = " +
                dae::number_text(solution_->final.t) + " instead of " + dae::number_text(t_end_) +
                (summary().message.empty() ? std::string() : ": " + summary().message));
  }
  if (grid_.num_steps() == 0) {
    throw InvalidArgument("the run from t = " + dae::number_text(t_start_) + " to " +
                          dae::number_text(t_end_) +
                          " has no step to differentiate; choose a later end or a shorter step");
  }
  final_ = latest_;
  visit_last(true);
  find_given_values(values);
  start_derivative_.set_parameters(parameters());
  start_derivative_.set_follows_parameters(!values.initial && !options_.initial);
  step_derivative_->set_run(parameters(), *controls_);
  if (change_derivative_) change_derivative_->set_parameters(parameters());
  if (stepper_) stepper_->set_parameters(parameters());
}

void Trajectory::find_given_values(const dae::RunValues& values) {
  if (values.initial || options_.initial) {
    given_ = values.initial ? *values.initial : *options_.initial;
    return;
  }
  initial_parameters_.clear();
  for (const int i : model().initial_parameters()) {
    initial_parameters_.push_back(parameters()[static_cast<std::size_t>(i)]);
  }
  model().initial_values(initial_parameters_, given_);
}

void Trajectory::save(long n, const dae::MethodState& state) {
  if (!has_store_) make_store(state);
  if (keeps_all()) return store_->save(static_cast<int>(n), state);
  if (const std::optional<int> slot = schedule_->slot_for(n)) store_->save(*slot, state);
}

void Trajectory::make_store(const dae::MethodState& state) {
  has_store_ = true;
  if (checkpoints_.megabytes <= 0) {
    if (!store_) store_.emplace(StateStore::kUnlimited, checkpoints_.directory);
    return;
  }
  std::optional<long> expected;
  if (!options_.adaptive) {
    const dae::RunTimes times(t_start_, t_end_);
    expected = times.fixed_steps(options_.step).count;
  }
  const int slots = StateStore::slots_in(checkpoints_.megabytes, state);
  store_.emplace(slots, checkpoints_.directory);
  schedule_.emplace(slots, expected);
}

void Trajectory::find_controls(double t, std::vector<double>& controls) const {
  std::ranges::fill(controls, 0.0);
  if (*controls_) (*controls_)(t, controls);
}

bool Trajectory::changes_before(long n) const {
  return options_.method == dae::Method::kAlpha && grid_.step(n) != step_before(n);
}

StepMade Trajectory::start_of_run() const {
  return {started_, started_, grid_.first_step(), first_controls_, first_controls_};
}

StepMade Trajectory::made(long n, const dae::MethodState& start, const dae::MethodState& end) {
  find_controls(start.t, start_controls_);
  find_controls(end.t, end_controls_);
  if (!changes_before(n)) return {start, end, grid_.step(n), start_controls_, end_controls_};
  before_change_ = changed_ = start;
  std::copy(start_controls_.begin(), start_controls_.end(), consistency_.controls().begin());
  dae::rescale_for_step(changed_, grid_.step(n) / step_before(n), options_.alpha.formulation,
                        consistency_);
  return {changed_, end, grid_.step(n), start_controls_, end_controls_};
}

void Trajectory::prepare_to_repeat() {
  if (!stepper_) {
    stepper_ = dae::make_stepper(model(), options_);
    stepper_->set_parameters(parameters());
  }
  stepper_->set_control_law(*controls_);
}

void Trajectory::repeat(long n) {
  const dae::StepReport& report = stepper_->step(grid_.step(n), grid_.time(n + 1));
  if (!report.success) {
    throw Error("a step that was made before could not be repeated at t = " +
                dae::number_text(grid_.time(n + 1)) + ": " + report.message);
  }
  stepper_->accept();
  recomputed_ += 1;
}

void Trajectory::visit_with(const Visit& visit, long n, const StepMade& step, bool is_last) const {
  visit(n, step, is_last);
  if (on_visited_) on_visited_();
}

void Trajectory::visit_forwards(const Visit& visit) {
  visit_with(visit, -1, start_of_run(), false);
  const long steps = grid_.num_steps();
  dae::MethodState *start = &visited_start_, *end = &visited_end_;
  *start = *end = started_;
  if (!keeps_all()) {
    prepare_to_repeat();
    stepper_->restart(started_, grid_.first_step());
  }
  for (long n = 0; n < steps; ++n) {
    if (!keeps_all()) {
      repeat(n);
      *end = stepper_->state();
    } else if (n + 1 < steps) {
      store_->load(static_cast<int>(n + 1), *end);
    } else {
      *end = final_;
    }
    visit_with(visit, n, made(n, *start, *end), n + 1 == steps);
    std::swap(start, end);
  }
}

void Trajectory::visit_backwards(const Visit& visit) {
  const long steps = grid_.num_steps();
  dae::MethodState *start = &visited_start_, *end = &visited_end_;
  *start = *end = final_;
  const auto visit_one = [&](long n) {
    visit_with(visit, n, made(n, *start, *end), n + 1 == steps);
    std::swap(end, start);
  };
  if (keeps_all()) {
    for (long n = steps - 1; n >= 0; --n) {
      store_->load(static_cast<int>(n), *start);
      visit_one(n);
    }
  } else {
    prepare_to_repeat();
    schedule_->reverse(steps, {.save = [&](int slot, long) { store_->save(slot, *start); },
                               .restore = [&](int slot, long) { store_->load(slot, *start); },
                               .advance =
                                   [&](long from, long to) {
                                     stepper_->restart(*start, step_before(from));
                                     for (long n = from; n < to; ++n) repeat(n);
                                     *start = stepper_->state();
                                   },
                               .reverse = visit_one});
  }
  visit_with(visit, -1, start_of_run(), false);
}

Derivative& Trajectory::start_derivative() {
  return start_derivative_.at({consistent_, given_, first_controls_, grid_.first_step()});
}

Derivative& Trajectory::change_derivative(long n) {
  return change_derivative_->at(before_change_, start_controls_, grid_.step(n) / step_before(n));
}

}  // namespace liegrad::sensitivity
