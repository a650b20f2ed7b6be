#include "liegrad/sensitivity/start/step_change_derivative.hpp"

#include "liegrad/dae/alpha/alpha_memory.hpp"

namespace liegrad::sensitivity {
namespace {

/// v̇ + r (a - v̇).
Block rescale_a(const dae::MethodState& state, const MotionBlocks& at, EquationProgram& program) {
  const std::span<const double> a = dae::alpha_memory(state).a;
  const std::span<double> values = program.new_numbers(a.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = a[i] - state.v_dot[i];
  const Known surplus{program.add_sum({{at.a}, {at.v_dot, -1}}), values};
  return program.add_sum({{at.v_dot}, {program.add_step_multiple(surplus, 1).variables}});
}

/// v + (r² - 1) x, where x is the part of v that violates dΦ/dt = 0.
Block rescale_normal_velocity(const dae::State& state, const MotionBlocks& at,
                              EquationProgram& program) {
  dae::Consistency& consistency = program.consistency();
  const std::span<const double> solution =
      program.copied(consistency.normal_velocity(state, consistency.velocity_residual(state)));
  const Unknowns unknowns = program.add_unknowns();
  const Known x = program.motion_part(unknowns, solution);
  Relation& relation = program.add_relation(unknowns);
  program.add_normal_terms(state, at, unknowns, solution, relation);
  program.add_gradient_times(state, at, x, 1, relation);
  program.add_constraint_terms(ConstraintValue::kVelocity, state, at, -1, relation);
  program.solve_at(state, relation);
  const Known rescaled = program.add_step_multiple(program.add_step_multiple(x, 1), 1);
  return program.add_sum({{at.v}, {x.variables, -1}, {rescaled.variables}});
}

}  // namespace

Derivative& StepChangeDerivative::at(const dae::MethodState& state,
                                     std::span<const double> controls, double ratio) {
  const dae::Model& model = program_.system();
  program_.begin(controls, ratio);
  MotionBlocks start = program_.outer();
  for (Block* part : {&start.q, &start.v, &start.v_dot, &start.a}) {
    *part = program_.add_variables(model.dof());
  }
  start.lambda = program_.add_variables(model.num_multipliers());
  start.s = program_.add_variables(model.num_algebraic());
  MotionBlocks end = start;
  end.a = rescale_a(state, start, program_);
  if (options_.formulation == dae::Formulation::kIndex3 && model.num_multipliers() > 0) {
    end.v = rescale_normal_velocity(state, start, program_);
  }
  program_.end(start, end);
  return program_;
}

}  // namespace liegrad::sensitivity
