#include "liegrad/sensitivity/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "liegrad/dae/run_times.hpp"
#include "liegrad/dae/text.hpp"
#include "liegrad/sensitivity/alpha_step_derivative.hpp"
#include "liegrad/sensitivity/full_convergence.hpp"
#include "liegrad/sensitivity/munthe_kaas_derivative.hpp"
#include "liegrad/sensitivity/start_derivative.hpp"
#include "liegrad/sensitivity/step_change_derivative.hpp"

namespace liegrad::sensitivity {

Trajectory::Trajectory(const dae::System& system, const dae::IntegrateOptions& options,
                       const CheckpointOptions& checkpoints, const Visit& visit)
    : system_(system),
      options_(with_full_convergence(options)),
      checkpoints_(checkpoints),
      first_controls_(controls_at(options.t_start)),
      consistency_(system, options.alpha.consistency, options.alpha.solver) {
  consistent_ = options.initial
                    ? consistency_.initial_state(options.t_start, first_controls_, *options.initial)
                    : consistency_.initial_state(options.t_start, first_controls_);

  // A step is visited when the next one is made: only then it is known whether it was the last.
  dae::State previous, current;
  const auto visit_last = [&](bool is_last) {
    const long n = grid_.num_steps() - 1;
    visit(n, made(n, previous, current), is_last);
  };
  dae::IntegrateOptions run = options_;
  run.keep_samples = false;
  run.on_start = [&](const dae::State& state, double first_step) {
    started_ = current = state;
    grid_ = Grid(options.t_start, options.t_end, first_step);
    visit(-1, start_of_run(), false);
  };
  run.on_step = [&](const dae::State& state) {
    if (grid_.num_steps() > 0) visit_last(false);
    std::swap(previous, current);
    current = state;
    save(grid_.num_steps(), previous);
    grid_.append(state.step);
    return !options.on_step || options.on_step(state);
  };
  const dae::Solution solution = dae::integrate(system, run);
  summary_ = solution.summary;
  if (summary_.termination != dae::Termination::kReachedEnd) {
    throw Error(
        "derivatives need the whole run, which ended at t = " + dae::number_text(solution.final.t) +
        " instead of " + dae::number_text(options.t_end) +
        (summary_.message.empty() ? std::string() : ": " + summary_.message));
  }
  if (grid_.num_steps() == 0) {
    throw InvalidArgument("the run from t = " + dae::number_text(options.t_start) + " to " +
                          dae::number_text(options.t_end) +
                          " has no step to differentiate; choose a later end or a shorter step");
  }
  final_ = current;
  visit_last(true);
}

void Trajectory::save(long n, const dae::State& state) {
  if (!store_) make_store(state);
  if (keeps_all()) return store_->save(static_cast<int>(n), state);
  if (const std::optional<int> slot = schedule_->slot_for(n)) store_->save(*slot, state);
}

void Trajectory::make_store(const dae::State& state) {
  if (checkpoints_.megabytes <= 0) {
    store_.emplace(StateStore::kUnlimited, checkpoints_.directory);
    return;
  }
  std::optional<long> expected;
  if (!options_.adaptive) {
    const dae::RunTimes times(options_.t_start, options_.t_end);
    expected = times.fixed_steps(options_.step).count;
  }
  const int slots = StateStore::slots_in(checkpoints_.megabytes, state);
  store_.emplace(slots, checkpoints_.directory);
  schedule_.emplace(slots, expected);
}

std::vector<double> Trajectory::controls_at(double t) const {
  std::vector<double> controls(system_.controls().size(), 0.0);
  if (options_.controls) options_.controls(t, controls);
  return controls;
}

bool Trajectory::changes_before(long n) const {
  return options_.method == dae::Method::kAlpha && grid_.step(n) != step_before(n);
}

StepMade Trajectory::start_of_run() const {
  return {started_, started_, grid_.first_step(), first_controls_, first_controls_};
}

StepMade Trajectory::made(long n, const dae::State& start, const dae::State& end) {
  start_controls_ = controls_at(start.t);
  end_controls_ = controls_at(end.t);
  if (!changes_before(n)) return {start, end, grid_.step(n), start_controls_, end_controls_};
  before_change_ = changed_ = start;
  std::copy(start_controls_.begin(), start_controls_.end(), consistency_.controls().begin());
  dae::rescale_for_step(changed_, grid_.step(n) / step_before(n), options_.alpha.formulation,
                        consistency_);
  return {changed_, end, grid_.step(n), start_controls_, end_controls_};
}

void Trajectory::prepare_to_repeat() {
  if (!stepper_) stepper_ = dae::make_stepper(system_, options_);
  stepper_->set_control_law(options_.controls);
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
  dae::State start = started_, end = started_;
  if (!keeps_all()) {
    prepare_to_repeat();
    stepper_->restart(started_, grid_.first_step());
  }
  for (long n = 0; n < steps; ++n) {
    if (!keeps_all()) {
      repeat(n);
      end = stepper_->state();
    } else if (n + 1 < steps) {
      store_->load(static_cast<int>(n + 1), end);
    } else {
      end = final_;
    }
    visit_with(visit, n, made(n, start, end), n + 1 == steps);
    std::swap(start, end);
  }
}

void Trajectory::visit_backwards(const Visit& visit) {
  const long steps = grid_.num_steps();
  dae::State start = final_, end = final_;
  const auto visit_one = [&](long n) {
    visit_with(visit, n, made(n, start, end), n + 1 == steps);
    std::swap(end, start);
  };
  if (keeps_all()) {
    for (long n = steps - 1; n >= 0; --n) {
      store_->load(static_cast<int>(n), start);
      visit_one(n);
    }
  } else {
    prepare_to_repeat();
    schedule_->reverse(steps, {.save = [&](int slot, long) { store_->save(slot, start); },
                               .restore = [&](int slot, long) { store_->load(slot, start); },
                               .advance =
                                   [&](long from, long to) {
                                     stepper_->restart(start, step_before(from));
                                     for (long n = from; n < to; ++n) repeat(n);
                                     start = stepper_->state();
                                   },
                               .reverse = visit_one});
  }
  visit_with(visit, -1, start_of_run(), false);
}

std::unique_ptr<Derivative> Trajectory::start_derivative() const {
  return sensitivity::start_derivative(system_, options_,
                                       {consistent_, first_controls_, grid_.first_step()});
}

std::unique_ptr<StepDerivative> Trajectory::step_derivative() const {
  if (options_.method == dae::Method::kMuntheKaas) {
    return munthe_kaas_derivative(system_, options_.tableau, options_.alpha.newton,
                                  options_.controls);
  }
  return std::make_unique<AlphaStepDerivative>(system_, options_.alpha);
}

std::unique_ptr<Derivative> Trajectory::change_derivative(long n) const {
  return step_change_derivative(system_, options_.alpha, before_change_, start_controls_,
                                grid_.step(n) / step_before(n));
}

}  // namespace liegrad::sensitivity
