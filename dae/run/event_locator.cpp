#include "liegrad/dae/run/event_locator.hpp"

#include <algorithm>
#include <cmath>

namespace liegrad::dae {

EventLocator::EventLocator(const Model& system, const std::vector<EventOptions>& events)
    : events_(events) {
  if (events.empty()) return;
  outputs_.emplace(system);
  for (const EventOptions& event : events) columns_.push_back(outputs_->column(event.output));
  numbers_.resize(static_cast<std::size_t>(outputs_->size()));
}

double EventLocator::value(std::size_t event, const State& state,
                           std::span<const double> controls) {
  outputs_->evaluate(state, controls, numbers_);
  return numbers_[static_cast<std::size_t>(columns_[event])] - events_[event].level;
}

void EventLocator::start(const State& state, std::span<const double> controls,
                         double time_rounding) {
  time_rounding_ = time_rounding;
  last_time_ = state.t;
  last_.clear();
  for (std::size_t i = 0; i < events_.size(); ++i) last_.push_back(value(i, state, controls));
}

/// Bisection with the secant inside: the crossing stays enclosed, as an output need not be smooth.
State EventLocator::locate(std::size_t event, const DenseOutput& dense, const State& end,
                           double before, double after, std::span<const double> controls) {
  double left = last_time_, right = end.t;
  State state = end;
  bool halve = false;
  const double tolerance = std::max(events_[event].time_tolerance, time_rounding_);
  while (right - left > tolerance) {
    double middle = 0.5 * (left + right);
    if (!halve) {
      const double secant = left + (right - left) * before / (before - after);
      // A little beyond the estimate, so that the enclosure shrinks from both sides.
      const double nudge = 0.25 * tolerance;
      middle = std::clamp(secant, left + nudge, right - nudge);
    }
    const double width = right - left;
    dense.evaluate(middle, state);
    const double now = value(event, state, controls);
    if ((now > 0) == (before > 0) && now != 0) {
      left = middle;
      before = now;
    } else {
      right = middle;
      after = now;
    }
    halve = right - left > 0.5 * width;
  }
  dense.evaluate(right, state);
  return state;
}

std::optional<State> EventLocator::find(const DenseOutput& dense, const State& end,
                                        std::span<const double> controls,
                                        std::vector<EventFound>& found) {
  std::vector<EventFound> here;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const double before = last_[i], after = value(i, end, controls);
    last_[i] = after;
    using Direction = EventOptions::Direction;
    const bool rising = before < 0 && after >= 0, falling = before > 0 && after <= 0;
    const Direction wanted = events_[i].direction;
    if (!(rising && wanted != Direction::kFalling) && !(falling && wanted != Direction::kRising)) {
      continue;
    }
    here.push_back({static_cast<int>(i), locate(i, dense, end, before, after, controls)});
  }
  last_time_ = end.t;
  std::sort(here.begin(), here.end(),
            [](const EventFound& a, const EventFound& b) { return a.state.t < b.state.t; });
  for (EventFound& event : here) {
    found.push_back(event);
    if (events_[static_cast<std::size_t>(event.event)].stop) return event.state;
  }
  return std::nullopt;
}

}  // namespace liegrad::dae
