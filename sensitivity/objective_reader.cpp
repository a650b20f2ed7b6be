#include "liegrad/sensitivity/objective_reader.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/text.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;

void add(std::span<const double> from, int count, std::span<double> to) {
  for (std::size_t i = 0; i < index(count); ++i) to[i] += from[i];
}

}  // namespace

ObjectiveReader::ObjectiveReader(const Objective& objective, const dae::RunTimes& times,
                                 bool grid_moves)
    : objective_(objective),
      times_(times),
      grid_moves_(grid_moves),
      layout_(objective.system()),
      state_(objective.system()),
      outer_(objective.system()),
      dof_(objective.system().dof()) {
  const auto needs_dense = [](const Objective::Item& item) { return item.when == When::kAtTime; };
  if (std::ranges::any_of(objective.items(), needs_dense)) dense_.emplace(objective.system());
  set_parameters(objective.system().parameter_values());
}

void ObjectiveReader::set_parameters(std::span<const double> parameters) {
  for (const Objective::Item& item : objective_.items()) {
    item.observable->set_parameters(parameters);
  }
}

const std::vector<ObjectiveReader::Hit>& ObjectiveReader::hits_of_start(const StepMade& step) {
  hits_.clear();
  for (const Objective::Item& item : objective_.items()) {
    const bool now = item.when == When::kAtTime && !times_.is_after(item.t, step.start.t);
    if (now || item.when == When::kSum) hits_.push_back({&item, Place::kStart, 1, 0});
  }
  return hits_;
}

const std::vector<ObjectiveReader::Hit>& ObjectiveReader::hits_of_step(const StepMade& step,
                                                                       bool is_last) {
  hits_.clear();
  // The rounding of times is that of the run: steps that meet at a time agree on which of them it belongs to.
  for (const Objective::Item& item : objective_.items()) {
    switch (item.when) {
      case When::kAtTime:
        // When the grid moves, the end of the run may come before a time: the last step goes on.
        if (times_.is_after(item.t, step.start.t) &&
            (is_last || !times_.is_after(item.t, step.end.t))) {
          const bool at_end = !times_.is_after(step.end.t, item.t) && !grid_moves_;
          hits_.push_back({&item, at_end ? Place::kEnd : Place::kInside, 1, 0});
        }
        break;
      case When::kAtEnd:
        if (is_last) hits_.push_back({&item, Place::kEnd, 1, 0});
        break;
      case When::kSum: hits_.push_back({&item, Place::kEnd, 1, 0}); break;
      case When::kIntegral:
        hits_.push_back({&item, Place::kStart, 0.5 * step.h, 0.5});
        hits_.push_back({&item, Place::kEnd, 0.5 * step.h, 0.5});
        break;
    }
  }
  return hits_;
}

void ObjectiveReader::go(const StepMade& step, const Hit& hit) {
  Observable& observable = *hit.item->observable;
  switch (hit.place) {
    case Place::kStart: observable.set_state(step.start, step.start_controls); break;
    case Place::kEnd: observable.set_state(step.end, step.end_controls); break;
    case Place::kInside:
      dense_->set_step(step.start, step.end, hit.item->t);
      observable.set_state(dense_->state(), step.end_controls);
      break;
  }
}

void ObjectiveReader::read(const StepMade& step, const std::vector<Hit>& hits,
                           std::span<double> values) {
  for (const Hit& hit : hits) {
    go(step, hit);
    const std::span<const double> own = hit.item->observable->values();
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!std::isfinite(own[i])) {
        throw Error("the value of '" +
                    objective_.name(hit.item->first_value + static_cast<int>(i)) + "' at t = " +
                    dae::number_text(hit.place == Place::kStart ? step.start.t
                                     : hit.place == Place::kEnd ? step.end.t
                                                                : hit.item->t) +
                    " is not a finite number");
      }
      values[index(hit.item->first_value) + i] += hit.factor * own[i];
    }
  }
}

void ObjectiveReader::gather(const Hit& hit, const Columns& columns, int c) {
  const bool at_start = hit.place == Place::kStart;
  const std::span<const double> outer = columns.outer.subspan(index(c * outer_.size));
  const auto state = [&](std::span<const double> list) {
    return list.subspan(index(c * state_.size), index(state_.size));
  };
  motion_.assign(index(layout_.size), 0.0);
  if (hit.place == Place::kInside) {
    arguments_.clear();
    const auto append = [this](std::span<const double> part) {
      arguments_.insert(arguments_.end(), part.begin(), part.end());
    };
    append(state(columns.start));
    append(state(columns.end));
    arguments_.insert(arguments_.end(),
                      {0.0, outer[index(outer_.start_time)], outer[index(outer_.end_time)]});
    dense_->tangent(1, arguments_, motion_);
  } else {
    const std::span<const double> from = state(at_start ? columns.start : columns.end);
    std::copy_n(from.begin(), 3 * dof_, motion_.begin() + layout_.q);
    std::copy(from.begin() + state_.lambda, from.end(), motion_.begin() + layout_.lambda);
    motion_[index(layout_.time)] = outer[index(at_start ? outer_.start_time : outer_.end_time)];
  }
  std::copy_n(outer.begin() + outer_.parameters, layout_.controls - layout_.parameters,
              motion_.begin() + layout_.parameters);
  std::copy_n(outer.begin() + (at_start ? outer_.start_controls : outer_.end_controls),
              layout_.time - layout_.controls, motion_.begin() + layout_.controls);
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
    Observable& observable = *hit.item->observable;
    const std::size_t count = index(observable.size());
    for (int c = 0; c < columns.count; ++c) {
      gather(hit, columns, c);
      item_values_.assign(count, 0.0);
      observable.tangent(1, motion_, item_values_);
      const double rate = hit.factor_rate * columns.outer[index(c * outer_.size + outer_.h)];
      for (std::size_t i = 0; i < count; ++i) {
        values[index(c * objective_.size() + hit.item->first_value) + i] +=
            hit.factor * item_values_[i] + rate * observable.values()[i];
      }
    }
  }
}

void ObjectiveReader::adjoint(const StepMade& step, const std::vector<Hit>& hits,
                              const Gradients& gradients) {
  for (const Hit& hit : hits) {
    Observable& observable = *hit.item->observable;
    const std::size_t count = index(observable.size());
    bool is_there = false;
    for (int c = 0; c < gradients.count; ++c) {
      const auto weights =
          gradients.weights.subspan(index(c * objective_.size() + hit.item->first_value), count);
      if (std::ranges::all_of(weights, [](double w) { return w == 0; })) continue;
      if (!is_there) go(step, hit);
      is_there = true;
      item_weights_.assign(weights.begin(), weights.end());
      double& h = gradients.outer[index(c * outer_.size + outer_.h)];
      for (std::size_t i = 0; i < count; ++i) {
        h += hit.factor_rate * weights[i] * observable.values()[i];
        item_weights_[i] *= hit.factor;
      }
      motion_.assign(index(layout_.size), 0.0);
      observable.adjoint(item_weights_, motion_);
      scatter(hit, gradients, c);
    }
  }
}

void ObjectiveReader::second(const StepMade& step, const std::vector<Hit>& hits,
                             const Columns& direction, const Gradients& dots) {
  for (const Hit& hit : hits) {
    go(step, hit);
    Observable& observable = *hit.item->observable;
    const std::size_t count = index(observable.size());
    const auto weights = dots.weights.subspan(index(hit.item->first_value), count);
    item_weights_.assign(weights.begin(), weights.end());
    const double rate = hit.factor_rate * direction.outer[index(outer_.h)];

    // d/dε of factor·J(ε)ᵀw and of the gradient by h, factor_rate·wᵀ values.
    gather(hit, direction, 0);
    const std::vector<double> along = motion_, arguments = arguments_;
    item_values_.assign(count, 0.0);
    observable.tangent(1, along, item_values_);
    for (std::size_t i = 0; i < count; ++i) {
      dots.outer[index(outer_.h)] += hit.factor_rate * weights[i] * item_values_[i];
      item_weights_[i] *= hit.factor;
    }
    std::vector<double> gradient(index(layout_.size), 0.0);
    observable.adjoint(item_weights_, gradient);
    if (hit.place == Place::kInside) {
      second_.assign(index(dense_->num_arguments()), 0.0);
      dense_->second(gradient, arguments, second_);
      const std::span<const double> from(second_);
      add(from, state_.size, dots.start);
      add(from.subspan(index(state_.size)), state_.size, dots.end);
      dots.outer[index(outer_.start_time)] += second_[index(2 * state_.size + 1)];
      dots.outer[index(outer_.end_time)] += second_[index(2 * state_.size + 2)];
    }
    motion_.assign(index(layout_.size), 0.0);
    observable.second(item_weights_, along, motion_);
    if (rate != 0) {
      for (std::size_t i = 0; i < count; ++i) item_weights_[i] = rate * weights[i];
      observable.adjoint(item_weights_, motion_);
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
