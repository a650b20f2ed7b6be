#include "liegrad/sensitivity/observe/objective_reader.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;

void add(std::span<const double> from, int count, std::span<double> to) {
  for (std::size_t i = 0; i < index(count); ++i) to[i] += from[i];
}

}  // namespace

ObjectiveReader::ObjectiveReader(const Objective& objective, bool grid_moves)
    : objective_(objective),
      times_(0, 1),
      grid_moves_(grid_moves),
      layout_(objective.model()),
      state_(objective.model()),
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
  std::ranges::stable_sort(samples_, {}, &Sample::t);
  if (!samples_.empty()) dense_.emplace(objective.model());
}

void ObjectiveReader::set_run(std::span<const double> parameters, const dae::RunTimes& times) {
  times_ = times;
  for (const std::unique_ptr<Observable>& one : observables_) one->set_parameters(parameters);
}

Observable& ObjectiveReader::observable(const Hit& hit) const {
  return *observables_[index(hit.sample.item)];
}

int ObjectiveReader::first_value(const Hit& hit) const {
  return objective_.items()[index(hit.sample.item)].first_value +
         hit.sample.number * observable(hit).size();
}

const std::vector<ObjectiveReader::Hit>& ObjectiveReader::hits_of_start(const StepMade& step) {
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

const std::vector<ObjectiveReader::Hit>& ObjectiveReader::hits_of_step(const StepMade& step,
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
    case Place::kInside:
      dense_->set_step(step.start, step.end, hit.sample.t);
      one.set_state(dense_->state(), step.end_controls);
      break;
  }
}

void ObjectiveReader::read(const StepMade& step, const std::vector<Hit>& hits,
                           std::span<double> values) {
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

void ObjectiveReader::gather(const Hit& hit, const Columns& columns) {
  const bool at_start = hit.place == Place::kStart;
  motion_.assign(index(columns.count * layout_.size), 0.0);
  if (hit.place == Place::kInside) {
    arguments_.clear();
    for (int c = 0; c < columns.count; ++c) {
      const auto append = [this, c](std::span<const double> states) {
        const std::span<const double> own =
            states.subspan(index(c * state_.size), index(state_.size));
        arguments_.insert(arguments_.end(), own.begin(), own.end());
      };
      append(columns.start);
      append(columns.end);
      const std::span<const double> outer = columns.outer.subspan(index(c * outer_.size));
      arguments_.insert(arguments_.end(),
                        {0.0, outer[index(outer_.start_time)], outer[index(outer_.end_time)]});
    }
    dense_->tangent(columns.count, arguments_, motion_);
  }
  for (int c = 0; c < columns.count; ++c) {
    const std::span<const double> outer = columns.outer.subspan(index(c * outer_.size));
    const auto to = motion_.begin() + c * layout_.size;
    if (hit.place != Place::kInside) {
      const auto from = (at_start ? columns.start : columns.end).begin() + c * state_.size;
      std::copy_n(from, 3 * dof_, to + layout_.q);
      std::copy(from + state_.lambda, from + state_.size, to + layout_.lambda);
      to[layout_.time] = outer[index(at_start ? outer_.start_time : outer_.end_time)];
    }
    std::copy_n(outer.begin() + outer_.parameters, layout_.controls - layout_.parameters,
                to + layout_.parameters);
    std::copy_n(outer.begin() + (at_start ? outer_.start_controls : outer_.end_controls),
                layout_.time - layout_.controls, to + layout_.controls);
  }
}

void ObjectiveReader::scatter(const Hit& hit, const Gradients& gradients, int c) {
  const bool at_start = hit.place == Place::kStart;
  const std::span<double> outer = gradients.outer.subspan(index(c * outer_.size));
  const auto state = [&](std::span<double> list) {
    return list.subspan(index(c * state_.size), index(state_.size));
  };
  const std::span<const double> motion(motion_);
  if (hit.place == Place::kInside) {
    arguments_.assign(index(dense_->num_arguments()), 0.0);
    dense_->adjoint(motion, arguments_);
    const std::span<const double> from(arguments_);
    add(from, state_.size, state(gradients.start));
    add(from.subspan(index(state_.size)), state_.size, state(gradients.end));
    outer[index(outer_.start_time)] += arguments_[index(2 * state_.size + 1)];
    outer[index(outer_.end_time)] += arguments_[index(2 * state_.size + 2)];
  } else {
    const std::span<double> to = state(at_start ? gradients.start : gradients.end);
    add(motion.subspan(index(layout_.q)), 3 * dof_, to);
    add(motion.subspan(index(layout_.lambda)), state_.size - state_.lambda,
        to.subspan(index(state_.lambda)));
    outer[index(at_start ? outer_.start_time : outer_.end_time)] += motion_[index(layout_.time)];
  }
  add(motion.subspan(index(layout_.parameters)), layout_.controls - layout_.parameters,
      outer.subspan(index(outer_.parameters)));
  add(motion.subspan(index(layout_.controls)), layout_.time - layout_.controls,
      outer.subspan(index(at_start ? outer_.start_controls : outer_.end_controls)));
}

void ObjectiveReader::tangent(const StepMade& step, const std::vector<Hit>& hits,
                              const Columns& columns, std::span<double> values) {
  for (const Hit& hit : hits) {
    go(step, hit);
    Observable& one = observable(hit);
    const std::size_t count = index(one.size());
    gather(hit, columns);
    item_values_.assign(count * index(columns.count), 0.0);
    one.tangent(columns.count, motion_, item_values_);
    for (int c = 0; c < columns.count; ++c) {
      const double rate = hit.factor_rate * columns.outer[index(c * outer_.size + outer_.h)];
      const std::span<double> to = values.subspan(index(c * objective_.size() + first_value(hit)));
      for (std::size_t i = 0; i < count; ++i) {
        to[i] += hit.factor * item_values_[index(c) * count + i] + rate * one.values()[i];
      }
    }
  }
}

void ObjectiveReader::adjoint(const StepMade& step, const std::vector<Hit>& hits,
                              const Gradients& gradients) {
  for (const Hit& hit : hits) {
    Observable& one = observable(hit);
    const std::size_t count = index(one.size());
    bool is_there = false;
    for (int c = 0; c < gradients.count; ++c) {
      const auto weights =
          gradients.weights.subspan(index(c * objective_.size() + first_value(hit)), count);
      if (std::ranges::all_of(weights, [](double w) { return w == 0; })) continue;
      if (!is_there) go(step, hit);
      is_there = true;
      item_weights_.assign(weights.begin(), weights.end());
      double& h = gradients.outer[index(c * outer_.size + outer_.h)];
      for (std::size_t i = 0; i < count; ++i) {
        h += hit.factor_rate * weights[i] * one.values()[i];
        item_weights_[i] *= hit.factor;
      }
      motion_.assign(index(layout_.size), 0.0);
      one.adjoint(item_weights_, motion_);
      scatter(hit, gradients, c);
    }
  }
}

void ObjectiveReader::second(const StepMade& step, const std::vector<Hit>& hits,
                             const Columns& direction, const Gradients& dots) {
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
    if (hit.place == Place::kInside) {
      second_.assign(index(dense_->num_arguments()), 0.0);
      dense_->second(gradient_, along_arguments_, second_);
      const std::span<const double> from(second_);
      add(from, state_.size, dots.start);
      add(from.subspan(index(state_.size)), state_.size, dots.end);
      dots.outer[index(outer_.start_time)] += second_[index(2 * state_.size + 1)];
      dots.outer[index(outer_.end_time)] += second_[index(2 * state_.size + 2)];
    }
    motion_.assign(index(layout_.size), 0.0);
    one.second(item_weights_, along_, motion_);
    if (rate != 0) {
      for (std::size_t i = 0; i < count; ++i) item_weights_[i] = rate * weights[i];
      one.adjoint(item_weights_, motion_);
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
