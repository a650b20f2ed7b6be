#include "liegrad/dae/runge_kutta/motion_history.hpp"

#include <algorithm>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

void MotionHistory::reset(const State& state) {
  count_ = 0;
  best_ = best_of_multipliers_ = 1;
  predicted_.resize(state.v.size());
  predicted_lambda_.resize(state.lambda.size());
  predicted_s_.resize(state.s.size());
  for (End& end : ends_) {  // so that no step allocates
    end.v.resize(state.v.size());
    end.v_dot.resize(state.v_dot.size());
    end.lambda.resize(state.lambda.size());
    end.s.resize(state.s.size());
  }
  write(state);
}

void MotionHistory::add(const MethodState& state) {
  choose(state);
  for (int k = 0; k < count_; ++k) ends_[place(k)].age += state.step;
  write(state);
}

void MotionHistory::write(const State& state) {
  first_ = (first_ + kPlaces - 1) % kPlaces;
  count_ = std::min(count_ + 1, kMostEnds);
  End& last = ends_[place(0)];
  last.age = 0;
  last.v = state.v;
  last.v_dot = state.v_dot;
  last.lambda = state.lambda;
  last.s = state.s;
  for (int k = 1; k < count_; ++k) {
    const double reciprocal = 1 / age_of(k);
    reciprocals_[place(0)][place(k)] = reciprocal;
    reciprocals_[place(k)][place(0)] = -reciprocal;
  }
}

template <class F>
int MotionHistory::best_near(int present, F&& square) const {
  int best = 0;
  double least = 0;
  for (int k = std::max(1, present - 1); k <= std::min(present + 1, count_); ++k) {
    const double now = square(k);
    if (best > 0 && !(now < least)) continue;
    least = now;
    best = k;
  }
  return best;
}

/// Before the end of a step is added: which polynomials came nearest to it.
void MotionHistory::choose(const MethodState& state) {
  const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
    double square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
    return square;
  };
  best_ = best_near(best_, [&](int k) {
    velocity(state.step, k, predicted_);
    return distance(predicted_, state.v);
  });
  if (state.lambda.empty() && state.s.empty()) return;
  best_of_multipliers_ = best_near(best_of_multipliers_, [&](int k) {
    multipliers(state.step, k, predicted_lambda_, predicted_s_);
    return distance(predicted_lambda_, state.lambda) + distance(predicted_s_, state.s);
  });
}

MotionHistory::Weights MotionHistory::lagrange(double after, int ends) const {
  Weights w;
  std::array<double, kMostEnds> from;
  for (int k = 0; k < ends; ++k) from[index(k)] = after + age_of(k);
  for (int k = 0; k < ends; ++k) {
    const auto& reciprocals = reciprocals_[place(k)];
    double product = 1;
    for (int j = 0; j < ends; ++j) {
      if (j != k) product *= from[index(j)] * reciprocals[place(j)];
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
      if (j != k) slope += reciprocals_[place(k)][place(j)];
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
