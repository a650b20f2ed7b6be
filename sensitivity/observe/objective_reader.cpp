#include "liegrad/sensitivity/observe/objective_reader.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;

void add(std::span<const double> from, int count, std::span<double> to) {
  for (std::size_t i = 0; i < index(count); ++i) to[i] += from[i];
}

}  // namespace

ObjectiveReader::ObjectiveReader(const Objective& objective, const dae::IntegrateOptions& options,
                                 bool grid_moves)
    : objective_(objective),
      times_(0, 1),
      grid_moves_(grid_moves),
      layout_(objective.model()),
      state_(objective.model(), options.resolved().method),
      outer_(objective.model()),
      dof_(objective.model().dof()) {
  for (std::size_t i = 0; i < objective.items().size(); ++i) {
    const Objective::Item& item = objective.items()[i];
    observables_.push_back(item.observable->clone());
    if (item.when != When::kAtTime) others_.push_back(static_cast<int>(i));
    for (std::size_t k = 0; k < item.times.size(); ++k) {
      samples_.push_back({item.times[k], static_cast<int>(i), static_cast<int>(k)});
    }
  }
  sort_samples();
  if (samples_.empty()) return;
  const dae::Model& model = objective.model();
  dense_.emplace(model, options.resolved().method);
  controls_there_.assign(model.controls().size(), 0.0);
  const bool reads_accelerations = std::ranges::any_of(samples_, [this](const Sample& sample) {
    return observables_[index(sample.item)]->reads_accelerations();
  });
  if (options.resolved().method == dae::Method::kAlpha || !reads_accelerations) return;
  const bool allow_redundant = options.alpha.consistency.allow_redundant;
  solver_.emplace(model, allow_redundant, options.alpha.solver);
  accelerations_.emplace(
      model, allow_redundant ? dae::LinearSolverKind::kMinimumNorm : options.alpha.solver);
}

void ObjectiveReader::sort_samples() {
  std::ranges::sort(samples_, [](const Sample& a, const Sample& b) {
    return std::tie(a.t, a.item, a.number) < std::tie(b.t, b.item, b.number);
  });
}

void ObjectiveReader::set_times(int item, std::span<const double> times) {
  for (Sample& sample : samples_) {
    if (sample.item == item) sample.t = times[index(sample.number)];
  }
  sort_samples();
}

void ObjectiveReader::set_run(std::span<const double> parameters, const dae::RunTimes& times,
                              const dae::ControlLaw& controls) {
  times_ = times;
  law_ = &controls;
  for (const std::unique_ptr<Observable>& one : observables_) one->set_parameters(parameters);
  if (!solver_) return;
  solver_->set_parameters(parameters);
  accelerations_->set_parameters(parameters);
}

Observable& ObjectiveReader::observable(const Hit& hit) const {
  return *observables_[index(hit.sample.item)];
}

int ObjectiveReader::first_value(const Hit& hit) const {
  return objective_.items()[index(hit.sample.item)].first_value +
         hit.sample.number * observable(hit).size();
}

std::vector<ObjectiveReader::Hit>& ObjectiveReader::hits_of_start(const StepMade& step) {
  hits_.clear();
  for (const Sample& sample : samples_) {
    if (times_.is_after(sample.t, step.start.t)) break;
    hits_.push_back({sample, Place::kStart, 1, 0});
  }
  for (const int i : others_) {
    if (objective_.items()[index(i)].when != When::kSum) continue;
    hits_.push_back({{step.start.t, i, 0}, Place::kStart, 1, 0});
  }
  return hits_;
}

std::vector<ObjectiveReader::Hit>& ObjectiveReader::hits_of_step(const StepMade& step,
                                                                 bool is_last) {
  hits_.clear();
  // The rounding of times is that of the run: steps that meet at a time agree on which of them it belongs to. When the
  // grid moves, the end of the run may come before a time: the last step goes on.
  const auto first_after = [this](double t) {
    return std::ranges::partition_point(
        samples_, [&](const Sample& sample) { return !times_.is_after(sample.t, t); });
  };
  const auto end = is_last ? samples_.end() : first_after(step.end.t);
  for (auto sample = first_after(step.start.t); sample < end; ++sample) {
    const bool at_end = !times_.is_after(step.end.t, sample->t) && !grid_moves_;
    hits_.push_back({*sample, at_end ? Place::kEnd : Place::kInside, 1, 0});
  }
  for (const int i : others_) {
    const Sample at_start{step.start.t, i, 0}, at_end{step.end.t, i, 0};
    switch (objective_.items()[index(i)].when) {
      case When::kAtTime: break;
      case When::kAtEnd:
        if (is_last) hits_.push_back({at_end, Place::kEnd, 1, 0});
        break;
      case When::kSum: hits_.push_back({at_end, Place::kEnd, 1, 0}); break;
      case When::kIntegral:
        hits_.push_back({at_start, Place::kStart, 0.5 * step.h, 0.5});
        hits_.push_back({at_end, Place::kEnd, 0.5 * step.h, 0.5});
        break;
    }
  }
  return hits_;
}

void ObjectiveReader::go(const StepMade& step, const Hit& hit) {
  Observable& one = observable(hit);
  const std::size_t num_data = index(one.num_data());
  if (num_data > 0) {
    const std::span<const double> data(objective_.items()[index(hit.sample.item)].data);
    one.set_data(data.subspan(index(hit.sample.number) * num_data, num_data));
  }
  switch (hit.place) {
    case Place::kStart: one.set_state(step.start, step.start_controls); break;
    case Place::kEnd: one.set_state(step.end, step.end_controls); break;
    case Place::kInside: go_inside(step, hit); break;
  }
}

void ObjectiveReader::go_between(const StepMade& step, double t) {
  if (!std::exchange(dense_has_step_, true)) dense_->set_step(step.start, step.end, step.h);
  dense_->go_to(t);
}

/// Where (19) is singular what was interpolated stays, as in a simulation.
void ObjectiveReader::go_inside(const StepMade& step, const Hit& hit) {
  Observable& one = observable(hit);
  go_between(step, hit.sample.t);
  has_accelerations_ = false;
  if (!solver_ || !one.reads_accelerations()) {
    return one.set_state(dense_->state(), step.end_controls);
  }
  std::ranges::copy(step.end_controls, controls_there_.begin());
  if (*law_) (*law_)(hit.sample.t, controls_there_);
  std::ranges::copy(controls_there_, solver_->assembly().controls().begin());
  there_ = dense_->state();
  has_accelerations_ = solver_->solve(there_);
  if (!has_accelerations_) return one.set_state(dense_->state(), controls_there_);
  accelerations_->set(there_, controls_there_);
  one.set_state(there_, controls_there_);
}

void ObjectiveReader::pull_back_accelerations(const Hit& hit) {
  if (!has_accelerations(hit)) return;
  accelerations_->adjoint(1, motion_);
  forget_accelerations(motion_);
}

void ObjectiveReader::forget_accelerations(std::vector<double>& gradient) const {
  std::fill(gradient.begin() + layout_.v_dot, gradient.begin() + layout_.parameters, 0.0);
}

void ObjectiveReader::read(const StepMade& step, const std::vector<Hit>& hits,
                           std::span<double> values) {
  forget_step();
  for (const Hit& hit : hits) {
    go(step, hit);
    const std::span<const double> own = observable(hit).values();
    const int first = first_value(hit);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!std::isfinite(own[i])) {
        throw Error("the value of '" + objective_.name(first + static_cast<int>(i)) +
                    "' at t = " + dae::number_text(hit.sample.t) + " is not a finite number");
      }
      values[index(first) + i] += hit.factor * own[i];
    }
  }
}

void ObjectiveReader::gather_arguments(const Columns& columns) {
  const std::size_t n = index(columns.count), states = n * index(state_.size);
  arguments_.assign(columns.start.begin(),
                    columns.start.begin() + static_cast<std::ptrdiff_t>(states));
  const auto append = [this](std::span<const double> more) {
    arguments_.insert(arguments_.end(), more.begin(), more.end());
  };
  append(columns.end.first(states));
  arguments_.resize(arguments_.size() + n, 0.0);
  append(columns.outer.subspan(n * index(outer_.start_time), n));
  append(columns.outer.subspan(n * index(outer_.end_time), n));
}

void ObjectiveReader::mark(const StepMade& step, std::vector<Hit>& hits, const Columns& columns) {
  const Hit* before = nullptr;
  for (Hit& hit : hits) {
    if (hit.place != Place::kInside) continue;
    // Samples stand in the order of time.
    if (before == nullptr || hit.sample.t != before->sample.t) {
      go_between(step, hit.sample.t);
      dense_->mark();
    }
    hit.marked = dense_->num_marked() - 1;
    before = &hit;
  }
  if (before == nullptr) return;
  gather_arguments(columns);
  dense_->find_marked_tangents(columns.count, arguments_);
}

void ObjectiveReader::gather(const Hit& hit, const Columns& columns) {
  const bool at_start = hit.place == Place::kStart;
  const int n = columns.count;
  motion_.assign(index(n * layout_.size), 0.0);
  // Of entries whose columns stand side by side.
  const auto copy = [this, n](std::span<const double> from, int first, int count, int to) {
    std::copy_n(from.begin() + n * first, n * count, motion_.begin() + n * to);
  };
  if (hit.place == Place::kInside) {
    if (hit.marked >= 0) {
      dense_->marked_tangent(hit.marked, n, arguments_, motion_);
    } else {
      gather_arguments(columns);
      dense_->tangent(n, arguments_, motion_);
    }
  } else {
    const std::span<const double> from = at_start ? columns.start : columns.end;
    copy(from, 0, 3 * dof_, layout_.q);
    copy(from, state_.lambda, state_.size - state_.lambda, layout_.lambda);
    copy(columns.outer, at_start ? outer_.start_time : outer_.end_time, 1, layout_.time);
  }
  copy(columns.outer, outer_.parameters, layout_.controls - layout_.parameters, layout_.parameters);
  copy(columns.outer, at_start ? outer_.start_controls : outer_.end_controls,
       layout_.time - layout_.controls, layout_.controls);
  add_acceleration_tangents(hit, n);
}

void ObjectiveReader::add_acceleration_tangents(const Hit& hit, int columns) {
  if (!has_accelerations(hit)) return;
  std::fill(motion_.begin() + columns * layout_.v_dot,
            motion_.begin() + columns * layout_.parameters, 0.0);
  accelerations_->tangent(columns, motion_);
}

void ObjectiveReader::scatter(const Hit& hit, const Gradients& gradients, int c) {
  const bool at_start = hit.place == Place::kStart;
  const auto add = [n = gradients.count, c](std::span<const double> from, int first, int count,
                                            std::span<double> to, int to_first) {
    for (int i = 0; i < count; ++i) to[index((to_first + i) * n + c)] += from[index(first + i)];
  };
  if (hit.place == Place::kInside) {
    arguments_.assign(index(dense_->num_arguments()), 0.0);
    dense_->adjoint(motion_, arguments_);
    add(arguments_, 0, state_.size, gradients.start, 0);
    add(arguments_, state_.size, state_.size, gradients.end, 0);
    add(arguments_, 2 * state_.size + 1, 1, gradients.outer, outer_.start_time);
    add(arguments_, 2 * state_.size + 2, 1, gradients.outer, outer_.end_time);
  } else {
    const std::span<double> to = at_start ? gradients.start : gradients.end;
    add(motion_, layout_.q, 3 * dof_, to, 0);
    add(motion_, layout_.lambda, state_.size - state_.lambda, to, state_.lambda);
    add(motion_, layout_.time, 1, gradients.outer, at_start ? outer_.start_time : outer_.end_time);
  }
  add(motion_, layout_.parameters, layout_.controls - layout_.parameters, gradients.outer,
      outer_.parameters);
  add(motion_, layout_.controls, layout_.time - layout_.controls, gradients.outer,
      at_start ? outer_.start_controls : outer_.end_controls);
}

void ObjectiveReader::tangent(const StepMade& step, std::vector<Hit>& hits, const Columns& columns,
                              std::span<double> values) {
  forget_step();
  mark(step, hits, columns);
  const std::size_t n = index(columns.count);
  const auto h = columns.outer.subspan(n * index(outer_.h));
  for (const Hit& hit : hits) {
    go(step, hit);
    Observable& one = observable(hit);
    const std::size_t count = index(one.size());
    gather(hit, columns);
    item_values_.assign(count * n, 0.0);
    one.tangent(columns.count, motion_, item_values_);
    const std::span<double> to = values.subspan(n * index(first_value(hit)));
    for (std::size_t i = 0; i < count; ++i) {
      const double rate = hit.factor_rate * one.values()[i];
      for (std::size_t k = i * n; k < (i + 1) * n; ++k) {
        to[k] += hit.factor * item_values_[k] + rate * h[k - i * n];
      }
    }
  }
}

void ObjectiveReader::adjoint(const StepMade& step, const std::vector<Hit>& hits,
                              const Gradients& gradients) {
  forget_step();
  const std::size_t n = index(gradients.count);
  for (const Hit& hit : hits) {
    Observable& one = observable(hit);
    const std::size_t count = index(one.size());
    const auto weights = gradients.weights.subspan(n * index(first_value(hit)), n * count);
    bool is_there = false;
    for (std::size_t c = 0; c < n; ++c) {
      item_weights_.clear();
      for (std::size_t i = 0; i < count; ++i) item_weights_.push_back(weights[i * n + c]);
      if (std::ranges::all_of(item_weights_, [](double w) { return w == 0; })) continue;
      if (!is_there) go(step, hit);
      is_there = true;
      double& h = gradients.outer[n * index(outer_.h) + c];
      for (std::size_t i = 0; i < count; ++i) {
        h += hit.factor_rate * item_weights_[i] * one.values()[i];
        item_weights_[i] *= hit.factor;
      }
      motion_.assign(index(layout_.size), 0.0);
      one.adjoint(item_weights_, motion_);
      pull_back_accelerations(hit);
      scatter(hit, gradients, static_cast<int>(c));
    }
  }
}

void ObjectiveReader::second(const StepMade& step, const std::vector<Hit>& hits,
                             const Columns& direction, const Gradients& dots) {
  forget_step();
  for (const Hit& hit : hits) {
    go(step, hit);
    Observable& one = observable(hit);
    const std::size_t count = index(one.size());
    const auto weights = dots.weights.subspan(index(first_value(hit)), count);
    item_weights_.assign(weights.begin(), weights.end());
    const double rate = hit.factor_rate * direction.outer[index(outer_.h)];

    // d/dε of factor·J(ε)ᵀw and of the gradient by h, factor_rate·wᵀ values.
    gather(hit, direction);
    along_ = motion_;
    along_arguments_ = arguments_;
    item_values_.assign(count, 0.0);
    one.tangent(1, along_, item_values_);
    for (std::size_t i = 0; i < count; ++i) {
      dots.outer[index(outer_.h)] += hit.factor_rate * weights[i] * item_values_[i];
      item_weights_[i] *= hit.factor;
    }
    gradient_.assign(index(layout_.size), 0.0);
    one.adjoint(item_weights_, gradient_);
    motion_.assign(index(layout_.size), 0.0);
    one.second(item_weights_, along_, motion_);
    if (rate != 0) {
      for (std::size_t i = 0; i < count; ++i) item_weights_[i] = rate * weights[i];
      one.adjoint(item_weights_, motion_);
    }
    if (has_accelerations(hit)) {
      accelerations_->second(along_, gradient_, motion_);
      forget_accelerations(gradient_);
      forget_accelerations(motion_);
    }
    if (hit.place == Place::kInside) {
      second_.assign(index(dense_->num_arguments()), 0.0);
      dense_->second(gradient_, along_arguments_, second_);
      const std::span<const double> from(second_);
      add(from, state_.size, dots.start);
      add(from.subspan(index(state_.size)), state_.size, dots.end);
      dots.outer[index(outer_.start_time)] += second_[index(2 * state_.size + 1)];
      dots.outer[index(outer_.end_time)] += second_[index(2 * state_.size + 2)];
    }
    scatter(hit, dots, 0);
  }
}

void ObjectiveReader::read_start(const StepMade& step, std::span<double> values) {
  read(step, hits_of_start(step), values);
}
void ObjectiveReader::read_step(const StepMade& step, bool is_last, std::span<double> values) {
  read(step, hits_of_step(step, is_last), values);
}
/// Of the polynomial of the step, also where a time is an end of it.
void ObjectiveReader::read_rates(const StepMade& step, bool is_first, bool is_last,
                                 std::span<double> rates) {
  forget_step();
  const auto read_rate = [&](const Sample& sample) {
    const Hit hit{sample, Place::kInside, 1, 0};
    go(step, hit);
    motion_.assign(index(layout_.size), 0.0);
    arguments_.assign(index(dense_->num_arguments()), 0.0);
    arguments_[index(2 * state_.size)] = 1;
    dense_->tangent(1, arguments_, motion_);
    add_acceleration_tangents(hit, 1);
    Observable& one = observable(hit);
    one.tangent(1, motion_, rates.subspan(index(first_value(hit)), index(one.size())));
  };
  if (is_first) {
    for (const Hit& hit : hits_of_start(step)) {
      if (objective_.items()[index(hit.sample.item)].when == When::kAtTime) read_rate(hit.sample);
    }
  }
  for (const Hit& hit : hits_of_step(step, is_last)) {
    if (objective_.items()[index(hit.sample.item)].when == When::kAtTime) read_rate(hit.sample);
  }
}
void ObjectiveReader::tangent_of_start(const StepMade& step, const Columns& columns,
                                       std::span<double> values) {
  tangent(step, hits_of_start(step), columns, values);
}
void ObjectiveReader::tangent_of_step(const StepMade& step, bool is_last, const Columns& columns,
                                      std::span<double> values) {
  tangent(step, hits_of_step(step, is_last), columns, values);
}
void ObjectiveReader::adjoint_of_start(const StepMade& step, const Gradients& gradients) {
  adjoint(step, hits_of_start(step), gradients);
}
void ObjectiveReader::adjoint_of_step(const StepMade& step, bool is_last,
                                      const Gradients& gradients) {
  adjoint(step, hits_of_step(step, is_last), gradients);
}
void ObjectiveReader::second_of_start(const StepMade& step, const Columns& direction,
                                      const Gradients& dots) {
  second(step, hits_of_start(step), direction, dots);
}
void ObjectiveReader::second_of_step(const StepMade& step, bool is_last, const Columns& direction,
                                     const Gradients& dots) {
  second(step, hits_of_step(step, is_last), direction, dots);
}

}  // namespace liegrad::sensitivity
