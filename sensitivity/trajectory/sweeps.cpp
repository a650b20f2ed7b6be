#include "liegrad/sensitivity/trajectory/sweeps.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {

using dae::index;
using Vector = std::vector<double>;

/// Tangents of the state from which step n starts, from those of the state before it.
void Sweeps::change_tangents(long n, int columns, std::span<const double> directions,
                             Vector& state) {
  if (!trajectory_.changes_before(n)) return;
  space_.outer_of_change(n, columns, directions, outer_);
  changed_.resize(state.size());
  trajectory_.change_derivative(n).tangent(columns, state, outer_, changed_);
  std::swap(state, changed_);
}

void Sweeps::clear(int columns) {
  next_.resize(index(columns * space_.state_layout().size));
  outer_.resize(index(columns * space_.outer_layout().size));
  std::ranges::fill(next_, 0.0);
  std::ranges::fill(outer_, 0.0);
}

const Vector& Sweeps::forward(int columns, std::span<const double> directions) {
  clear(columns);
  state_ = next_;
  values_.assign(index(columns * num_values_), 0.0);
  const auto visit = [&](long n, const StepMade& step, bool is_last) {
    go_forward(n, step, is_last, columns, directions);
  };
  trajectory_.visit_forwards(std::cref(visit));
  return values_;
}

void Sweeps::go_forward(long n, const StepMade& step, bool is_last, int columns,
                        std::span<const double> directions) {
  if (n < 0) {
    space_.initial_state(columns, directions, next_);
    space_.outer_of_start(columns, directions, outer_);
    trajectory_.start_derivative().tangent(columns, next_, outer_, state_);
    reader_.tangent_of_start(step, {columns, state_, state_, outer_}, values_);
    return;
  }
  change_tangents(n, columns, directions, state_);
  StepDerivative& derivative = trajectory_.step_derivative();
  derivative.set_step(step);
  if (!space_.outer_is_constant()) space_.outer_of_step(n, columns, directions, outer_);
  derivative.tangent(columns, state_, outer_, next_);
  reader_.tangent_of_step(step, is_last, {columns, state_, next_, outer_}, values_);
  std::swap(state_, next_);
}

const Vector& Sweeps::backward(int columns, std::span<const double> weights) {
  state_.assign(index(columns * space_.state_layout().size), 0.0);
  gradient_.assign(index(columns * space_.size()), 0.0);
  const auto visit = [&](long n, const StepMade& step, bool is_last) {
    go_backward(n, step, is_last, columns, weights);
  };
  trajectory_.visit_backwards(std::cref(visit));
  return gradient_;
}

void Sweeps::go_backward(long n, const StepMade& step, bool is_last, int columns,
                         std::span<const double> weights) {
  clear(columns);
  if (n < 0) {
    reader_.adjoint_of_start(step, {columns, weights, state_, state_, outer_});
    trajectory_.start_derivative().adjoint(columns, state_, next_, outer_);
    space_.add_outer_of_start(columns, outer_, gradient_);
    space_.add_initial_state(columns, next_, gradient_);
    return;
  }
  reader_.adjoint_of_step(step, is_last, {columns, weights, next_, state_, outer_});
  StepDerivative& derivative = trajectory_.step_derivative();
  derivative.set_step(step);
  derivative.adjoint(columns, state_, next_, outer_);
  space_.add_outer_of_step(n, columns, outer_, gradient_);
  std::swap(state_, next_);
  if (!trajectory_.changes_before(n)) return;
  clear(columns);
  trajectory_.change_derivative(n).adjoint(columns, state_, next_, outer_);
  space_.add_outer_of_change(n, columns, outer_, gradient_);
  std::swap(state_, next_);
}

/// First along all steps forwards, then back.
Sweeps::Second Sweeps::second(std::span<const double> weights, std::span<const double> direction) {
  const std::size_t state_size = index(space_.state_layout().size);
  const std::size_t steps = static_cast<std::size_t>(trajectory_.grid().num_steps());
  tangents_.resize(steps + 1);
  started_.resize(steps);
  for (std::vector<Vector>* list : {&tangents_, &started_}) {
    for (Vector& tangent : *list) tangent.resize(state_size);
  }
  initial_.assign(state_size, 0.0);
  space_.initial_state(1, direction, initial_);
  outer_.assign(index(space_.outer_layout().size), 0.0);
  direction_outer_ = outer_;
  const auto along = [&](long n, const StepMade& step, bool) { go_along(n, step, direction); };
  trajectory_.visit_forwards(std::cref(along));

  state_.assign(state_size, 0.0);
  state_dot_.assign(state_size, 0.0);
  gradient_.assign(index(space_.size()), 0.0);
  product_.assign(index(space_.size()), 0.0);
  const auto back = [&](long n, const StepMade& step, bool is_last) {
    go_back(n, step, is_last, weights, direction);
  };
  trajectory_.visit_backwards(std::cref(back));
  return {gradient_, product_};
}

/// Keeps the tangents of all states: those at the ends of steps, and what a change of the step makes of them.
void Sweeps::go_along(long n, const StepMade& step, std::span<const double> direction) {
  if (n < 0) {
    space_.outer_of_start(1, direction, outer_);
    trajectory_.start_derivative().tangent(1, initial_, outer_, tangent_at(0));
    return;
  }
  started_at(n) = tangent_at(n);
  change_tangents(n, 1, direction, started_at(n));
  StepDerivative& derivative = trajectory_.step_derivative();
  derivative.set_step(step);
  space_.outer_of_step(n, 1, direction, outer_);
  derivative.tangent(1, started_at(n), outer_, tangent_at(n + 1));
}

void Sweeps::clear_dots() {
  next_dot_.assign(next_.size(), 0.0);
  outer_dot_.assign(outer_.size(), 0.0);
}

void Sweeps::go_back(long n, const StepMade& step, bool is_last, std::span<const double> weights,
                     std::span<const double> direction) {
  clear(1);
  clear_dots();
  if (n < 0) return go_back_to_start(step, weights, direction);
  const auto move = [this] {
    std::swap(state_, next_);
    std::swap(state_dot_, next_dot_);
  };
  const Vector &from = started_at(n), &to = tangent_at(n + 1);
  space_.outer_of_step(n, 1, direction, direction_outer_);
  reader_.adjoint_of_step(step, is_last, {1, weights, next_, state_, outer_});
  reader_.second_of_step(step, is_last, {1, from, to, direction_outer_},
                         {1, weights, next_dot_, state_dot_, outer_dot_});
  StepDerivative& derivative = trajectory_.step_derivative();
  derivative.set_step(step);
  derivative.second(from, direction_outer_, {state_, state_dot_}, {next_, next_dot_},
                    {outer_, outer_dot_});
  space_.add_outer_of_step(n, 1, outer_, gradient_);
  space_.add_outer_of_step(n, 1, outer_dot_, product_);
  move();
  if (!trajectory_.changes_before(n)) return;
  clear(1);
  clear_dots();
  space_.outer_of_change(n, 1, direction, direction_outer_);
  trajectory_.change_derivative(n).second(tangent_at(n), direction_outer_, {state_, state_dot_},
                                          {next_, next_dot_}, {outer_, outer_dot_});
  space_.add_outer_of_change(n, 1, outer_, gradient_);
  space_.add_outer_of_change(n, 1, outer_dot_, product_);
  move();
}

void Sweeps::go_back_to_start(const StepMade& step, std::span<const double> weights,
                              std::span<const double> direction) {
  space_.outer_of_start(1, direction, direction_outer_);
  reader_.adjoint_of_start(step, {1, weights, state_, state_, outer_});
  reader_.second_of_start(step, {1, tangent_at(0), tangent_at(0), direction_outer_},
                          {1, weights, state_dot_, state_dot_, outer_dot_});
  trajectory_.start_derivative().second(initial_, direction_outer_, {state_, state_dot_},
                                        {next_, next_dot_}, {outer_, outer_dot_});
  space_.add_outer_of_start(1, outer_, gradient_);
  space_.add_outer_of_start(1, outer_dot_, product_);
  space_.add_initial_state(1, next_, gradient_);
  space_.add_initial_state(1, next_dot_, product_);
}

}  // namespace liegrad::sensitivity
