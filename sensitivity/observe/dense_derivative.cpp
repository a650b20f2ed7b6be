#include "liegrad/sensitivity/observe/dense_derivative.hpp"

#include <algorithm>
#include <utility>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/node_sum.hpp"

namespace liegrad::sensitivity {

using dae::index;

DenseDerivative::DenseDerivative(const dae::Model& system, dae::Method method)
    : space_(system.configuration_space()),
      dof_(system.dof()),
      motion_layout_(system),
      state_layout_(system, method),
      dense_(space_),
      nodes_(node_sum(space_, NodeMap::kDenseOutput)),
      node_numbers_(index(nodes_->num_arguments() + 2 * dof_), 0.0),
      changes_(index(motion_layout_.parameters - motion_layout_.lambda), 0.0) {}

void DenseDerivative::set_step(const dae::State& start, const dae::State& end, double h) {
  start_ = &start;
  end_ = &end;
  num_marked_ = 0;
  marked_numbers_.clear();
  dense_.set_step(start, end, h);
  h_ = h;
  // (0, v_start, v̇_start, 0, v_end, v̇_end, τ, h), θ_0, θ̄.
  const auto numbers = node_numbers_.begin();
  std::copy(start.v.begin(), start.v.end(), numbers + dof_);
  std::copy(start.v_dot.begin(), start.v_dot.end(), numbers + 2 * dof_);
  std::copy(end.v.begin(), end.v.end(), numbers + 4 * dof_);
  std::copy(end.v_dot.begin(), end.v_dot.end(), numbers + 5 * dof_);
  node_numbers_[index(6 * dof_ + 1)] = h_;
  space_.minus<double>(end.q, start.q,
                       Span(node_numbers_).subspan(index(nodes_->num_arguments()), index(dof_)));

  auto next = changes_.begin();
  const auto subtract = [&next](const std::vector<double>& b, const std::vector<double>& a) {
    next = std::transform(b.begin(), b.end(), a.begin(), next, std::minus<>());
  };
  subtract(end.lambda, start.lambda);
  subtract(end.s, start.s);
}

void DenseDerivative::go_to(double t) {
  dense_.evaluate(t, state_);
  x_ = (t - start_->t) / (end_->t - start_->t);
  has_reference_ = false;
}

void DenseDerivative::find_reference() {
  if (std::exchange(has_reference_, true)) return;
  node_numbers_[index(6 * dof_)] = x_ * h_;
  space_.minus<double>(state_.q, start_->q, Span(node_numbers_).last(index(dof_)));
}

DenseDerivative::Times DenseDerivative::times_of(Const arguments) const {
  const Const times = arguments.subspan(index(2 * state_layout_.size), 3);
  return {times[0] - times[1], times[2] - times[1]};
}

void DenseDerivative::add_times(const Times& gradient, Span arguments) const {
  const Span times = arguments.subspan(index(2 * state_layout_.size), 3);
  times[0] += gradient.tau;
  times[1] -= gradient.tau + gradient.h;
  times[2] += gradient.h;
}

void DenseDerivative::load_node_arguments(int columns, Const arguments, Span to) const {
  // q, v and v̇ stand first in StateLayout.
  const int states = columns * 3 * dof_;
  std::copy_n(arguments.begin(), states, to.begin());
  std::copy_n(arguments.begin() + columns * state_layout_.size, states, to.begin() + states);
  const auto times = arguments.begin() + columns * 2 * state_layout_.size;
  for (int c = 0; c < columns; ++c) {
    const double start = times[columns + c];
    to[index(2 * states + c)] = times[c] - start;
    to[index(2 * states + columns + c)] = times[2 * columns + c] - start;
  }
}

void DenseDerivative::add_node_gradient(Const gradient, Span arguments) const {
  for (int i = 0; i < 3 * dof_; ++i) {
    arguments[index(i)] += gradient[index(i)];
    arguments[index(state_layout_.size + i)] += gradient[index(3 * dof_ + i)];
  }
  add_times({gradient[index(6 * dof_)], gradient[index(6 * dof_ + 1)]}, arguments);
}

void DenseDerivative::tangent(int columns, Const arguments, Span motion) {
  find_reference();
  node_arguments_.resize(index(columns * nodes_->num_arguments()));
  node_values_.assign(index(columns * 3 * dof_), 0.0);
  load_node_arguments(columns, arguments, node_arguments_);
  nodes_->tangent(node_numbers_, columns, node_arguments_, node_values_);
  std::ranges::copy(node_values_, motion.begin());
  add_rest(columns, arguments, motion);
}

void DenseDerivative::add_rest(int columns, Const arguments, Span motion) const {
  const Const times = Const(node_arguments_).subspan(index(columns * 6 * dof_));
  for (int k = 0; k < std::ssize(changes_); ++k) {
    const int start = columns * (state_layout_.lambda + k);
    const int end = columns * state_layout_.size + start;
    const int to = columns * (motion_layout_.lambda + k);
    for (int c = 0; c < columns; ++c) {
      const double fraction = fraction_of({times[index(c)], times[index(columns + c)]});
      motion[index(to + c)] = (1 - x_) * arguments[index(start + c)] +
                              x_ * arguments[index(end + c)] + changes_[index(k)] * fraction;
    }
  }
  std::copy_n(arguments.begin() + columns * 2 * state_layout_.size, columns,
              motion.begin() + columns * motion_layout_.time);
}

void DenseDerivative::mark() {
  find_reference();
  marked_numbers_.insert(marked_numbers_.end(), node_numbers_.begin(), node_numbers_.end());
  num_marked_ += 1;
}

void DenseDerivative::find_marked_tangents(int columns, Const arguments) {
  if (num_marked_ == 0) return;
  node_arguments_.resize(index(columns * nodes_->num_arguments()));
  marked_values_.assign(index(num_marked_ * columns * 3 * dof_), 0.0);
  load_node_arguments(columns, arguments, node_arguments_);
  nodes_->tangents(num_marked_, marked_numbers_, columns, node_arguments_, marked_values_);
}

void DenseDerivative::marked_tangent(int number, int columns, Const arguments, Span motion) const {
  const int count = columns * 3 * dof_;
  std::copy_n(marked_values_.begin() + number * count, count, motion.begin());
  add_rest(columns, arguments, motion);
}

void DenseDerivative::adjoint(Const motion, Span arguments) {
  find_reference();
  node_gradient_.assign(index(nodes_->num_arguments()), 0.0);
  nodes_->adjoint(node_numbers_, 1, motion.first(index(3 * dof_)), node_gradient_);
  add_node_gradient(node_gradient_, arguments);
  double fraction = 0;  // the gradient with respect to τ/h
  for (int k = 0; k < std::ssize(changes_); ++k) {
    const int start = state_layout_.lambda + k, end = state_layout_.size + start;
    const double weight = motion[index(motion_layout_.lambda + k)];
    arguments[index(start)] += (1 - x_) * weight;
    arguments[index(end)] += x_ * weight;
    fraction += weight * changes_[index(k)];
  }
  add_times({fraction / h_, -fraction * x_ / h_}, arguments);
  arguments[index(2 * state_layout_.size)] += motion[index(motion_layout_.time)];
}

void DenseDerivative::second(Const motion_weights, Const direction, Span arguments) {
  find_reference();
  node_arguments_.resize(index(nodes_->num_arguments()));
  load_node_arguments(1, direction, node_arguments_);
  node_gradient_.assign(index(nodes_->num_arguments()), 0.0);
  nodes_->second(node_numbers_, motion_weights.first(index(3 * dof_)), node_arguments_,
                 node_gradient_);
  add_node_gradient(node_gradient_, arguments);
  // adjoint() of what is blended, differentiated line by line.
  const Times times_dot = times_of(direction);
  const double x_dot = fraction_of(times_dot);
  double fraction = 0, fraction_dot = 0;
  for (int k = 0; k < std::ssize(changes_); ++k) {
    const int start = state_layout_.lambda + k, end = state_layout_.size + start;
    const double weight = motion_weights[index(motion_layout_.lambda + k)];
    arguments[index(start)] -= x_dot * weight;
    arguments[index(end)] += x_dot * weight;
    fraction += weight * changes_[index(k)];
    fraction_dot += weight * (direction[index(end)] - direction[index(start)]);
  }
  const double shrinking = times_dot.h / h_;
  add_times({(fraction_dot - fraction * shrinking) / h_,
             -(fraction_dot * x_ + fraction * (x_dot - x_ * shrinking)) / h_},
            arguments);
}

}  // namespace liegrad::sensitivity
