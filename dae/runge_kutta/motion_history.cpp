#include "liegrad/dae/runge_kutta/motion_history.hpp"

#include <algorithm>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

void MotionHistory::reset(const State& state) {
  count_ = 0;
  best_ = 1;
  predicted_.resize(state.v.size());
  write(state);
}

void MotionHistory::add(const State& state) {
  choose(state);
  for (int k = 0; k < count_; ++k) ends_[index((first_ + k) % kMostEnds)].age += state.step;
  write(state);
}

void MotionHistory::write(const State& state) {
  first_ = (first_ + kMostEnds - 1) % kMostEnds;
  count_ = std::min(count_ + 1, kMostEnds);
  End& last = ends_[index(first_)];
  last.age = 0;
  last.v = state.v;
  last.v_dot = state.v_dot;
  last.lambda = state.lambda;
  last.s = state.s;
}

/// Before the end of a step is added: which polynomial came nearest to it.
void MotionHistory::choose(const State& state) {
  double least = -1;
  for (int k = 1; k <= count_; ++k) {
    velocity(state.step, k, predicted_);
    double square = 0;
    for (std::size_t i = 0; i < predicted_.size(); ++i) {
      square += (predicted_[i] - state.v[i]) * (predicted_[i] - state.v[i]);
    }
    if (least >= 0 && !(square < least)) continue;
    least = square;
    best_ = k;
  }
}

MotionHistory::Weights MotionHistory::lagrange(double after, int ends) const {
  Weights w{};
  for (int k = 0; k < ends; ++k) {
    double product = 1;
    for (int j = 0; j < ends; ++j) {
      if (j != k) product *= (after + age_of(j)) / (age_of(j) - age_of(k));
    }
    w.values[index(k)] = product;
  }
  return w;
}

/// With Lagrange's polynomials L_k, which are 1 at t_k: (1 - 2(t - t_k) L_k'(t_k)) L_k² and (t - t_k) L_k².
MotionHistory::Weights MotionHistory::hermite(double after, int ends) const {
  Weights w = lagrange(after, ends);
  for (int k = 0; k < ends; ++k) {
    double slope = 0;
    for (int j = 0; j < ends; ++j) {
      if (j != k) slope += 1 / (age_of(j) - age_of(k));
    }
    const double from = after + age_of(k), square = w.values[index(k)] * w.values[index(k)];
    w.values[index(k)] = (1 - 2 * from * slope) * square;
    w.slopes[index(k)] = from * square;
  }
  return w;
}

void MotionHistory::velocity(double after, int ends, std::span<double> v) const {
  const Weights w = hermite(after, std::min(ends, count_));
  std::ranges::fill(v, 0.0);
  for (int k = 0; k < std::min(ends, count_); ++k) {
    const End& from = end(k);
    const double value = w.values[index(k)], slope = w.slopes[index(k)];
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += value * from.v[i] + slope * from.v_dot[i];
  }
}

void MotionHistory::multipliers(double after, int ends, std::span<double> lambda,
                                std::span<double> s) const {
  const Weights w = lagrange(after, std::min(ends, count_));
  std::ranges::fill(lambda, 0.0);
  std::ranges::fill(s, 0.0);
  for (int k = 0; k < std::min(ends, count_); ++k) {
    const double value = w.values[index(k)];
    for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] += value * end(k).lambda[i];
    for (std::size_t i = 0; i < s.size(); ++i) s[i] += value * end(k).s[i];
  }
}

}  // namespace liegrad::dae
