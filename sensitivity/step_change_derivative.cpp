#include "liegrad/sensitivity/step_change_derivative.hpp"

#include <utility>
#include <vector>

#include "liegrad/sensitivity/equation_program.hpp"

namespace liegrad::sensitivity {
namespace {

using Vector = std::vector<double>;

/// v̇ + r (a - v̇).
Block rescale_a(const dae::State& state, const MotionBlocks& at, EquationProgram& program) {
  Known surplus{program.add_sum({{at.a}, {at.v_dot, -1}}), state.a};
  for (std::size_t i = 0; i < state.a.size(); ++i) surplus.values[i] -= state.v_dot[i];
  return program.add_sum({{at.v_dot}, {program.add_step_multiple(surplus, 1).variables}});
}

/// v + (r² - 1) x, where x is the part of v that violates dΦ/dt = 0.
Block rescale_normal_velocity(const dae::State& state, const MotionBlocks& at,
                              EquationProgram& program) {
  dae::Consistency& consistency = program.consistency();
  const Vector solution = consistency.normal_velocity(state, consistency.velocity_residual(state));
  const Unknowns unknowns = program.add_unknowns();
  const Known x = program.motion_part(unknowns, solution);
  Relation relation{.y = unknowns.all};
  program.add_normal_terms(state, at, unknowns, solution, {}, relation);
  program.add_gradient_times(state, at, x, 1, relation);
  program.add_constraint_terms(ConstraintValue::kVelocity, state, at, -1, relation);
  program.add_solved(state, std::move(relation));
  const Known rescaled = program.add_step_multiple(program.add_step_multiple(x, 1), 1);
  return program.add_sum({{at.v}, {x.variables, -1}, {rescaled.variables}});
}

}  // namespace

std::unique_ptr<Derivative> step_change_derivative(const dae::System& system,
                                                   const dae::AlphaOptions& options,
                                                   const dae::State& state,
                                                   std::span<const double> controls, double ratio) {
  EquationProgram program(system, options.consistency, options.solver, controls, ratio);
  MotionBlocks start = program.outer();
  for (Block* part : {&start.q, &start.v, &start.v_dot, &start.a}) {
    *part = program.add_variables(system.dof());
  }
  start.lambda = program.add_variables(system.num_multipliers());
  start.s = program.add_variables(system.num_algebraic());
  MotionBlocks end = start;
  end.a = rescale_a(state, start, program);
  if (options.formulation == dae::Formulation::kIndex3 && system.num_multipliers() > 0) {
    end.v = rescale_normal_velocity(state, start, program);
  }
  return std::move(program).derivative(start, end);
}

}  // namespace liegrad::sensitivity
