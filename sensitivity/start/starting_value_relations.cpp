#include "liegrad/sensitivity/start/starting_value_relations.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "liegrad/dae/start/starting_values.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::index;
using Tapes = std::span<const Taped>;

/// δ' = T⁻¹(δ) v, the rate of change of a chart.
Block add_rate_of_chart(const dae::State& state, const MotionBlocks& at, EquationProgram& program) {
  return program.add_node_function(NodeMap::kChartRate,
                                   {{at.q, program.new_numbers(state.v.size())}, {at.v, state.v}});
}

/// The time derivative of (19) for v̈.
Known add_jerk(const dae::State& state, const MotionBlocks& at, EquationProgram& program) {
  const std::span<const double> solution = program.copied(program.consistency().jerk(state));
  const std::size_t dof = state.v.size();
  const std::span<double> rates = program.new_numbers(2 * dof + solution.size() + 1);
  std::ranges::copy(state.v, rates.begin());
  std::ranges::copy(state.v_dot, rates.subspan(dof).begin());
  std::ranges::copy(solution, rates.subspan(2 * dof).begin());
  rates.back() = 1;
  const Unknowns unknowns = program.add_unknowns();
  const Known jerk = program.motion_part(unknowns, solution);
  MotionBlocks moving = at;
  moving.rates = {add_rate_of_chart(state, at, program), at.v_dot, unknowns.motion,
                  unknowns.multipliers, unknowns.algebraic};
  Relation& relation = program.add_relation(unknowns);
  program.add_rate_terms(state, moving, rates, relation);
  program.add_constraint_terms(ConstraintValue::kJerk, state, at, 1, relation);
  program.add_gradient_times(state, at, jerk, 1, relation);
  program.solve_at(state, relation);
  return jerk;
}

/// q_0∘exp(τv + τ²/2 v̇) in the chart around its value, for τ = c h.
Block move_beside(const dae::State& state, const MotionBlocks& at, double c,
                  EquationProgram& program) {
  const double tau = c * program.step().values[0];
  const std::span<double> data = program.new_numbers(state.v.size() + 1);
  for (std::size_t i = 0; i < state.v.size(); ++i) {
    data[i] = tau * state.v[i] + 0.5 * tau * tau * state.v_dot[i];
  }
  data.back() = c;
  return program.add_node_function(NodeMap::kBeside,
                                   {{at.q, program.new_numbers(state.v.size())},
                                    {at.v, state.v},
                                    {at.v_dot, state.v_dot},
                                    program.step()},
                                   {data});
}

/// x / (c h).
Known divide_by_step(const Known& x, double c, EquationProgram& program) {
  const std::span<double> values = program.new_numbers(x.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = x.values[i] / (c * program.step().values[0]);
  }
  return {program.add_node_function(NodeMap::kQuotient, {x, program.step()}, {{&c, 1}}), values};
}

/// The difference quotient of Table 1 of [ArnoldCardonaBruels2015].
Known add_jerk_by_difference(const dae::State& state, const MotionBlocks& at,
                             EquationProgram& program) {
  const Known& h = program.step();
  std::array<Multiple, 2> sides;
  const std::span<double> difference = program.new_numbers(state.v.size());
  for (const double side : {1.0, -1.0}) {
    const double c = side * dae::kStartingSpan;
    const dae::State& beside =
        program.new_state(dae::state_beside(state, c * h.values[0], program.consistency()));
    MotionBlocks there = at;
    there.q = move_beside(state, at, c, program);
    there.v = program.add_sum(
        {{at.v}, {program.add_step_multiple({at.v_dot, state.v_dot}, c).variables}});
    there.time = program.add_sum({{at.time}, {h.variables, c}});
    program.add_accelerations(beside, there);
    sides[side > 0 ? 0 : 1] = {there.v_dot, side};
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i] += side * beside.v_dot[i];
  }
  return divide_by_step({program.add_sum({sides[0], sides[1]}), difference}, 2 * dae::kStartingSpan,
                        program);
}

/// The third derivative of the coordinates in which a step is linear, see dae::StartingTerms.
Known add_local_jerk(const dae::StartingTerms& terms, const dae::State& state,
                     const MotionBlocks& at, const Known& jerk, EquationProgram& program) {
  const std::array<double, 2> factors = {terms.commutator, terms.cube};
  return {program.add_node_function(NodeMap::kLocalJerk,
                                    {{at.v, state.v}, {at.v_dot, state.v_dot}, jerk}, {factors}),
          program.copied(dae::local_jerk<double>(program.system().configuration_space(),
                                                 terms.commutator, terms.cube, state.v, state.v_dot,
                                                 jerk.values))};
}

/// Table 2 of [ArnoldCardonaBruels2015]: v_0 moves by the part of h²(C_q w + b v̂v̇) that constraints feel.
Block correct_velocity(const dae::AlphaMethod& method, double commutator, const dae::State& state,
                       const MotionBlocks& at, const Known& jerk, EquationProgram& program) {
  const double h = program.step().values[0];
  const std::array<double, 2> factors = {method.parameters.c_q(), commutator};
  const std::span<double> values = program.new_numbers(state.v.size());
  program.system().configuration_space().apply_ad<double>(state.v, state.v_dot, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = h * h * (factors[0] * jerk.values[i] + commutator * values[i]);
  }
  const Known error{
      program.add_node_function(NodeMap::kLocalError,
                                {{at.v, state.v}, {at.v_dot, state.v_dot}, jerk, program.step()},
                                {factors}),
      values};
  const std::span<const double> solution =
      program.copied(program.consistency().normal_part(state, values));
  const Unknowns unknowns = program.add_unknowns();
  Relation& relation = program.add_relation(unknowns);
  program.add_normal_terms(state, at, unknowns, solution, relation);
  program.add_gradient_times(state, at, program.motion_part(unknowns, solution), 1, relation);
  program.add_gradient_times(state, at, error, -1, relation);
  program.solve_at(state, relation);
  return program.add_sum({{at.v}, {unknowns.motion}});
}

}  // namespace

void add_starting_values(const dae::AlphaOptions& options, const dae::State& state,
                         MotionBlocks& at, EquationProgram& program) {
  at.a = at.v_dot;
  if (options.start == dae::StartingValues::kClassical) return;
  const Known jerk = options.start == dae::StartingValues::kCorrected
                         ? add_jerk(state, at, program)
                         : add_jerk_by_difference(state, at, program);
  const dae::StartingTerms terms = dae::starting_terms(options.method, options.variant);
  const Known local = add_local_jerk(terms, state, at, jerk, program);
  const double delta_alpha = options.method.parameters.delta_alpha();
  at.a = program.add_sum({{at.v_dot}, {program.add_step_multiple(local, delta_alpha).variables}});
  if (options.formulation == dae::Formulation::kIndex3 && !state.lambda.empty()) {
    at.v = correct_velocity(options.method, terms.error_commutator, state, at, local, program);
  }
}

}  // namespace liegrad::sensitivity
