#include "liegrad/sensitivity/sweeps.hpp"

#include <utility>

#include "liegrad/dae/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using Vector = std::vector<double>;

Vector zeros(int count, int size) { return Vector(index(count * size), 0.0); }

/// Tangents of the state from which step n starts, from those of the state before it.
void change_tangents(Trajectory& trajectory, const VariableSpace& space, long n, int columns,
                     std::span<const double> directions, Vector& outer, Vector& state) {
  if (!trajectory.changes_before(n)) return;
  space.outer_of_change(n, columns, directions, outer);
  Vector changed(state.size());
  trajectory.change_derivative(n)->tangent(columns, state, outer, changed);
  state = std::move(changed);
}

}  // namespace

Vector sweep_forward(Trajectory& trajectory, ObjectiveReader& reader, const VariableSpace& space,
                     int num_values, int columns, std::span<const double> directions) {
  const std::unique_ptr<StepDerivative> derivative = trajectory.step_derivative();
  Vector state = zeros(columns, space.state_layout().size), next = state;
  Vector outer = zeros(columns, space.outer_layout().size);
  Vector values = zeros(columns, num_values);
  trajectory.visit_forwards([&](long n, const StepMade& step, bool is_last) {
    if (n < 0) {
      space.initial_state(columns, directions, next);
      space.outer_of_start(columns, directions, outer);
      trajectory.start_derivative()->tangent(columns, next, outer, state);
      reader.tangent_of_start(step, {columns, state, state, outer}, values);
      return;
    }
    change_tangents(trajectory, space, n, columns, directions, outer, state);
    derivative->set_step(step);
    space.outer_of_step(n, columns, directions, outer);
    derivative->tangent(columns, state, outer, next);
    reader.tangent_of_step(step, is_last, {columns, state, next, outer}, values);
    std::swap(state, next);
  });
  return values;
}

Vector sweep_backward(Trajectory& trajectory, ObjectiveReader& reader, const VariableSpace& space,
                      int columns, std::span<const double> weights) {
  const std::size_t state_size = index(columns * space.state_layout().size);
  const std::size_t outer_size = index(columns * space.outer_layout().size);
  const std::unique_ptr<StepDerivative> derivative = trajectory.step_derivative();
  Vector state(state_size, 0.0), before(state_size), outer(outer_size);
  Vector gradient = zeros(columns, space.size());
  const auto clear = [&] {
    before.assign(state_size, 0.0);
    outer.assign(outer_size, 0.0);
  };
  trajectory.visit_backwards([&](long n, const StepMade& step, bool is_last) {
    clear();
    if (n < 0) {
      reader.adjoint_of_start(step, {columns, weights, state, state, outer});
      trajectory.start_derivative()->adjoint(columns, state, before, outer);
      space.add_outer_of_start(columns, outer, gradient);
      space.add_initial_state(columns, before, gradient);
      return;
    }
    reader.adjoint_of_step(step, is_last, {columns, weights, before, state, outer});
    derivative->set_step(step);
    derivative->adjoint(columns, state, before, outer);
    space.add_outer_of_step(n, columns, outer, gradient);
    std::swap(state, before);
    if (!trajectory.changes_before(n)) return;
    clear();
    trajectory.change_derivative(n)->adjoint(columns, state, before, outer);
    space.add_outer_of_change(n, columns, outer, gradient);
    std::swap(state, before);
  });
  return gradient;
}

namespace {

/// A product of the Hessian with a direction: first along(…) of all steps forwards, then back(…).
class SecondSweep {
 public:
  SecondSweep(Trajectory& trajectory, ObjectiveReader& reader, const VariableSpace& space,
              std::span<const double> weights, std::span<const double> direction)
      : trajectory_(trajectory),
        reader_(reader),
        space_(space),
        weights_(weights),
        direction_(direction),
        derivative_(trajectory.step_derivative()),
        start_(trajectory.start_derivative()),
        state_size_(index(space.state_layout().size)),
        outer_size_(index(space.outer_layout().size)),
        initial_(state_size_, 0.0),
        outer_(outer_size_, 0.0),
        mu_(state_size_, 0.0),
        mu_dot_(state_size_, 0.0),
        gradient_(index(space.size()), 0.0),
        product_(gradient_) {
    space.initial_state(1, direction, initial_);
  }

  /// Keeps the tangents of all states: those at the ends of steps, and what a change of the step makes of them.
  void along(long n, const StepMade& step) {
    if (n < 0) {
      space_.outer_of_start(1, direction_, outer_);
      tangents_.emplace_back(state_size_);
      start_->tangent(1, initial_, outer_, tangents_.back());
      return;
    }
    started_.push_back(tangents_.back());
    change_tangents(trajectory_, space_, n, 1, direction_, outer_, started_.back());
    derivative_->set_step(step);
    space_.outer_of_step(n, 1, direction_, outer_);
    Vector next(state_size_);
    derivative_->tangent(1, started_.back(), outer_, next);
    tangents_.push_back(std::move(next));
  }

  void back(long n, const StepMade& step, bool is_last) {
    clear();
    if (n < 0) return back_to_start(step);
    const Vector& from = started_[static_cast<std::size_t>(n)];
    const Vector& to = tangents_[static_cast<std::size_t>(n + 1)];
    space_.outer_of_step(n, 1, direction_, outer_);
    reader_.adjoint_of_step(step, is_last, {1, weights_, before_, mu_, part_});
    reader_.second_of_step(step, is_last, {1, from, to, outer_},
                           {1, weights_, before_dot_, mu_dot_, part_dot_});
    derivative_->set_step(step);
    derivative_->second(from, outer_, {mu_, mu_dot_}, {before_, before_dot_}, {part_, part_dot_});
    space_.add_outer_of_step(n, 1, part_, gradient_);
    space_.add_outer_of_step(n, 1, part_dot_, product_);
    go_back();
    if (!trajectory_.changes_before(n)) return;
    clear();
    space_.outer_of_change(n, 1, direction_, outer_);
    trajectory_.change_derivative(n)->second(tangents_[static_cast<std::size_t>(n)], outer_,
                                             {mu_, mu_dot_}, {before_, before_dot_},
                                             {part_, part_dot_});
    space_.add_outer_of_change(n, 1, part_, gradient_);
    space_.add_outer_of_change(n, 1, part_dot_, product_);
    go_back();
  }

  SecondDerivatives result() const { return {gradient_, product_}; }

 private:
  void clear() {
    before_.assign(state_size_, 0.0);
    before_dot_.assign(state_size_, 0.0);
    part_.assign(outer_size_, 0.0);
    part_dot_.assign(outer_size_, 0.0);
  }
  void go_back() {
    std::swap(mu_, before_);
    std::swap(mu_dot_, before_dot_);
  }
  void back_to_start(const StepMade& step) {
    space_.outer_of_start(1, direction_, outer_);
    reader_.adjoint_of_start(step, {1, weights_, mu_, mu_, part_});
    reader_.second_of_start(step, {1, tangents_[0], tangents_[0], outer_},
                            {1, weights_, mu_dot_, mu_dot_, part_dot_});
    start_->second(initial_, outer_, {mu_, mu_dot_}, {before_, before_dot_}, {part_, part_dot_});
    space_.add_outer_of_start(1, part_, gradient_);
    space_.add_outer_of_start(1, part_dot_, product_);
    space_.add_initial_state(1, before_, gradient_);
    space_.add_initial_state(1, before_dot_, product_);
  }

  Trajectory& trajectory_;
  ObjectiveReader& reader_;
  const VariableSpace& space_;
  std::span<const double> weights_, direction_;
  std::unique_ptr<StepDerivative> derivative_;
  std::unique_ptr<Derivative> start_;
  std::size_t state_size_, outer_size_;
  Vector initial_, outer_;
  std::vector<Vector> tangents_, started_;
  Vector mu_, mu_dot_, before_, before_dot_, part_, part_dot_, gradient_, product_;
};

}  // namespace

SecondDerivatives sweep_second(Trajectory& trajectory, ObjectiveReader& reader,
                               const VariableSpace& space, std::span<const double> weights,
                               std::span<const double> direction) {
  SecondSweep sweep(trajectory, reader, space, weights, direction);
  trajectory.visit_forwards([&](long n, const StepMade& step, bool) { sweep.along(n, step); });
  trajectory.visit_backwards(
      [&](long n, const StepMade& step, bool is_last) { sweep.back(n, step, is_last); });
  return sweep.result();
}

}  // namespace liegrad::sensitivity
