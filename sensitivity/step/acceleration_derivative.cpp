#include "liegrad/sensitivity/step/acceleration_derivative.hpp"

#include <algorithm>
#include <utility>

#include "liegrad/dae/equations/place_state.hpp"
#include "liegrad/dae/system/element_kind.hpp"
#include "liegrad/sensitivity/step/derivative.hpp"
#include "liegrad/sensitivity/step/entries.hpp"

namespace liegrad::sensitivity {
namespace {

constexpr dae::ConstraintRows kRows = {.position = true, .velocity = false};

}  // namespace

AccelerationDerivative::Equations::Equations(const dae::Model& model)
    : motion(element_sum(model, dae::ElementFunction::kStep, kRows)),
      are_linear(std::ranges::all_of(
          model.kinds(), [](const auto& kind) { return kind->is_linear_in_accelerations(); })) {
  if (model.num_multipliers() == 0) return;
  // They are needed in every step, also of one run.
  constraints = element_sum(model, dae::ElementFunction::kAcceleration, {}, {}, dae::Runs::kMany);
}

AccelerationDerivative::AccelerationDerivative(const dae::Model& model,
                                               dae::LinearSolverKind solver, Equations equations)
    : layout_(model),
      rows_(model, kRows),
      dof_(model.dof()),
      multipliers_(model.num_multipliers()),
      algebraic_(model.num_algebraic()),
      solver_(model, false, solver),
      equations_(std::move(equations)),
      point_(model) {}

void AccelerationDerivative::set_parameters(std::span<const double> parameters) {
  solver_.set_parameters(parameters);
  point_.set_parameters(parameters);
}

void AccelerationDerivative::set(const dae::State& state, std::span<const double> controls) {
  dae::Assembly& assembly = solver_.assembly();
  assembly.set_time(state.t);
  std::ranges::copy(controls, assembly.controls().begin());
  place_state(state, assembly);
  assembly.coefficients() = {};
  assembly.evaluate(true);
  if (!assembly.matrix().factorize()) {
    throw no_derivative(state.t, "the mass matrix is singular on the constraints");
  }
  point_.set(state, controls);
}

void AccelerationDerivative::solve(dae::State& state, std::span<const double> controls,
                                   double t_end) {
  std::ranges::copy(controls, solver_.assembly().controls().begin());
  if (!solver_.solve(state)) throw no_derivative(t_end, solver_.message());
  if (!equations_.are_linear) return set(state, controls);
  point_.set(state, controls);
}

void AccelerationDerivative::tangent(int columns, std::span<double> motion) {
  const Entries entries(columns);
  entries.clear(row_weights_, rows_.size);
  equations_.motion.tangent(point_.numbers(), columns, motion, row_weights_);
  entries.clear(unknowns_, assembly().size());
  entries.scale(row_weights_, rows_.motion, -1, dof_, unknowns_, 0);
  entries.scale(row_weights_, rows_.algebraic, -1, algebraic_, unknowns_, dof_ + multipliers_);
  if (equations_.constraints) {
    entries.clear(constraint_weights_, multipliers_);
    equations_.constraints->tangent(point_.numbers(), columns, motion, constraint_weights_);
    entries.scale(constraint_weights_, 0, -1, multipliers_, unknowns_, dof_);
  }
  assembly().matrix().solve(columns, unknowns_);
  entries.copy(unknowns_, 0, assembly().size(), motion, layout_.v_dot);
}

void AccelerationDerivative::find_weights(int columns, std::span<const double> gradient) {
  const Entries entries(columns);
  entries.clear(unknowns_, assembly().size());
  entries.copy(gradient, layout_.v_dot, assembly().size(), unknowns_, 0);
  assembly().matrix().solve_transposed(columns, unknowns_);
  entries.clear(row_weights_, rows_.size);
  entries.scale(unknowns_, 0, -1, dof_, row_weights_, rows_.motion);
  entries.scale(unknowns_, dof_ + multipliers_, -1, algebraic_, row_weights_, rows_.algebraic);
  entries.clear(constraint_weights_, multipliers_);
  entries.scale(unknowns_, dof_, -1, multipliers_, constraint_weights_, 0);
}

void AccelerationDerivative::add_adjoint(int columns, std::span<double> gradient) {
  equations_.motion.adjoint(point_.numbers(), columns, row_weights_, gradient);
  if (equations_.constraints) {
    equations_.constraints->adjoint(point_.numbers(), columns, constraint_weights_, gradient);
  }
}

void AccelerationDerivative::adjoint(int columns, std::span<double> gradient) {
  find_weights(columns, gradient);
  add_adjoint(columns, gradient);
}

void AccelerationDerivative::second(std::span<const double> direction, std::span<double> gradient,
                                    std::span<double> gradient_dot) {
  find_weights(1, gradient);
  add_adjoint(1, gradient);
  equations_.motion.second(point_.numbers(), row_weights_, direction, gradient_dot);
  if (equations_.constraints) {
    equations_.constraints->second(point_.numbers(), constraint_weights_, direction, gradient_dot);
  }
  find_weights(1, gradient_dot);
  add_adjoint(1, gradient_dot);
}

}  // namespace liegrad::sensitivity
