#include "studies/reference_states.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/lie/group_list.hpp"

namespace liegrad::app {

ReferenceStates::ReferenceStates(const dae::System& system)
    : q_(static_cast<std::size_t>(system.configuration_space().num_coeffs())),
      v_(static_cast<std::size_t>(system.dof())),
      lambda_(static_cast<std::size_t>(system.num_multipliers())) {}

void ReferenceStates::append(const dae::State& state) {
  times_.push_back(state.t);
  for (const std::vector<double>* part : {&state.q, &state.v, &state.lambda}) {
    numbers_.insert(numbers_.end(), part->begin(), part->end());
  }
}

void ReferenceStates::load(std::size_t i, dae::State& state) const {
  const double* next = numbers_.data() + i * (q_ + v_ + lambda_);
  const auto take = [&next](std::vector<double>& part, std::size_t size) {
    part.assign(next, next + size);
    next += size;
  };
  state.t = times_[i];
  take(state.q, q_);
  take(state.v, v_);
  take(state.lambda, lambda_);
}

double ReferenceStates::bytes_per_state(const dae::System& system) {
  const ReferenceStates states(system);
  // A vector that grows has room for as many again.
  return 2.0 * sizeof(double) * static_cast<double>(1 + states.q_ + states.v_ + states.lambda_);
}

double StepTimes::count() const {
  const double end = std::min(t_end, window_end), begin = std::max(t_start, window_start);
  return std::max(0.0, std::floor((end - begin) / step * (1 + 1e-12)) + 1);
}

std::vector<double> StepTimes::list() const {
  const double rounding = 1e-9 * step;
  const long whole = static_cast<long>(std::floor((t_end - t_start) / step * (1 + 1e-12)));
  std::vector<double> times;
  const auto add = [&](double t) {
    if (t >= window_start - rounding && t <= window_end + rounding) times.push_back(t);
  };
  for (long k = 1; k <= whole; ++k) add(t_start + static_cast<double>(k) * step);
  const double rest = t_end - (t_start + static_cast<double>(whole) * step);
  if (whole > 0 && rest > rounding) add(t_end);
  return times;
}

std::vector<double> merged(std::vector<double> times, double smallest_step) {
  std::sort(times.begin(), times.end());
  const auto is_same = [&](double a, double b) { return b - a <= 1e-9 * smallest_step; };
  times.erase(std::unique(times.begin(), times.end(), is_same), times.end());
  return times;
}

ReferenceRecorder::ReferenceRecorder(const dae::System& system, std::span<const double> times,
                                     double tolerance)
    : times_(times), tolerance_(tolerance), dense_(system.configuration_space()), states_(system) {}

void ReferenceRecorder::after_step(const dae::MethodState& state) {
  bool is_set = false;
  while (states_.size() < times_.size()) {
    const double t = times_[states_.size()];
    if (t > state.t + tolerance_) break;
    if (t >= state.t - tolerance_) {
      states_.append(state);
      continue;
    }
    if (!is_set) dense_.set_step(last_, state, state.step);
    is_set = true;
    dense_.evaluate(t, sample_);
    states_.append(sample_);
  }
  last_ = state;
}

}  // namespace liegrad::app
