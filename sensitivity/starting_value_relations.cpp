#include "liegrad/sensitivity/starting_value_relations.hpp"

#include <utility>
#include <vector>

#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/starting_values.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::index;
using Vector = std::vector<double>;
using Tapes = std::span<const Taped>;

/// δ' = T⁻¹(δ) v, the rate of change of a chart.
Block add_rate_of_chart(const dae::State& state, const MotionBlocks& at, EquationProgram& program) {
  const NodeFunction f{.vectors = 2, .evaluate = [](const lie::GroupList& node, Tapes x, Tapes) {
                         std::vector<Taped> rate(index(node.dof()));
                         node.apply_tangent_operator_inverse<Taped>(vector_of(node, x, 0),
                                                                    vector_of(node, x, 1), rate);
                         return rate;
                       }};
  return program.add_node_function("chart_rate", f,
                                   {{at.q, Vector(state.v.size(), 0.0)}, {at.v, state.v}});
}

/// The time derivative of (19) for v̈.
Known add_jerk(const dae::State& state, const MotionBlocks& at, EquationProgram& program) {
  const Vector solution = program.consistency().jerk(state);
  Vector rates = state.v;
  rates.insert(rates.end(), state.v_dot.begin(), state.v_dot.end());
  rates.insert(rates.end(), solution.begin(), solution.end());
  rates.push_back(1);
  const Unknowns unknowns = program.add_unknowns();
  const Known jerk = program.motion_part(unknowns, solution);
  MotionBlocks moving = at;
  moving.rates = {add_rate_of_chart(state, at, program), at.v_dot, unknowns.motion,
                  unknowns.multipliers, unknowns.algebraic};
  Relation relation{.y = unknowns.all};
  program.add_rate_terms(state, moving, rates, relation);
  program.add_constraint_terms(ConstraintValue::kJerk, state, at, 1, relation);
  program.add_gradient_times(state, at, jerk, 1, relation);
  program.add_solved(state, std::move(relation));
  return jerk;
}

/// q_0∘exp(τv + τ²/2 v̇) in the chart around its value, for τ = c h.
Block move_beside(const dae::State& state, const MotionBlocks& at, double c,
                  EquationProgram& program) {
  const NodeFunction f{.vectors = 3,
                       .scalars = 1,
                       .data_vectors = 1,
                       .data_scalars = 1,
                       .evaluate = [](const lie::GroupList& node, Tapes x, Tapes d) {
                         const int dof = node.dof();
                         const Tapes v = vector_of(node, x, 1), v_dot = vector_of(node, x, 2);
                         const Taped tau = x[index(3 * dof)] * d[index(dof)];
                         std::vector<Taped> theta, group(index(node.num_coeffs())),
                             moved = group, base = group, delta(index(dof));
                         for (std::size_t i = 0; i < index(dof); ++i) {
                           theta.push_back(tau * v[i] + 0.5 * tau * tau * v_dot[i]);
                         }
                         node.exp<Taped>(vector_of(node, x, 0), group);
                         node.plus<Taped>(group, theta, moved);
                         node.exp<Taped>(vector_of(node, d, 0), base);
                         node.minus<Taped>(moved, base, delta);
                         return delta;
                       }};
  const double tau = c * program.step().values[0];
  Vector data;
  for (std::size_t i = 0; i < state.v.size(); ++i) {
    data.push_back(tau * state.v[i] + 0.5 * tau * tau * state.v_dot[i]);
  }
  data.push_back(c);
  return program.add_node_function("beside", f,
                                   {{at.q, Vector(state.v.size(), 0.0)},
                                    {at.v, state.v},
                                    {at.v_dot, state.v_dot},
                                    program.step()},
                                   data);
}

/// x / (c h).
Known divide_by_step(const Known& x, double c, EquationProgram& program) {
  const NodeFunction f{.vectors = 1,
                       .scalars = 1,
                       .data_scalars = 1,
                       .evaluate = [](const lie::GroupList& node, Tapes y, Tapes d) {
                         const std::size_t dof = index(node.dof());
                         std::vector<Taped> result;
                         for (std::size_t i = 0; i < dof; ++i) {
                           result.push_back(y[i] / (d[0] * y[dof]));
                         }
                         return result;
                       }};
  Vector values;
  for (const double value : x.values) values.push_back(value / (c * program.step().values[0]));
  return {program.add_node_function("quotient", f, {x, program.step()}, {c}), values};
}

/// The difference quotient of Table 1 of [ArnoldCardonaBruels2015].
Known add_jerk_by_difference(const dae::State& state, const MotionBlocks& at,
                             EquationProgram& program) {
  const Known& h = program.step();
  std::vector<Multiple> sides;
  Vector difference(state.v.size(), 0.0);
  for (const double side : {1.0, -1.0}) {
    const double c = side * dae::kStartingSpan;
    const dae::State beside = dae::state_beside(state, c * h.values[0], program.consistency());
    MotionBlocks there = at;
    there.q = move_beside(state, at, c, program);
    there.v = program.add_sum(
        {{at.v}, {program.add_step_multiple({at.v_dot, state.v_dot}, c).variables}});
    there.time = program.add_sum({{at.time}, {h.variables, c}});
    program.add_accelerations(beside, there);
    sides.push_back({there.v_dot, side});
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i] += side * beside.v_dot[i];
  }
  return divide_by_step({program.add_sum(sides), difference}, 2 * dae::kStartingSpan, program);
}

/// The third derivative of the coordinates in which a step is linear, see dae::StartingTerms.
Known add_local_jerk(const dae::StartingTerms& terms, const dae::State& state,
                     const MotionBlocks& at, const Known& jerk, EquationProgram& program) {
  const NodeFunction f{.vectors = 3,
                       .data_scalars = 2,
                       .evaluate = [](const lie::GroupList& node, Tapes x, Tapes d) {
                         return dae::local_jerk<Taped>(node, d[0], d[1], vector_of(node, x, 0),
                                                       vector_of(node, x, 1),
                                                       vector_of(node, x, 2));
                       }};
  return {
      program.add_node_function("local_jerk", f, {{at.v, state.v}, {at.v_dot, state.v_dot}, jerk},
                                {terms.commutator, terms.cube}),
      dae::local_jerk<double>(program.system().configuration_space(), terms.commutator, terms.cube,
                              state.v, state.v_dot, jerk.values)};
}

/// Table 2 of [ArnoldCardonaBruels2015]: v_0 moves by the part of h²(C_q w + b v̂v̇) that constraints feel.
Block correct_velocity(const dae::AlphaMethod& method, double commutator, const dae::State& state,
                       const MotionBlocks& at, const Known& jerk, EquationProgram& program) {
  const NodeFunction f{.vectors = 3,
                       .scalars = 1,
                       .data_scalars = 2,
                       .evaluate = [](const lie::GroupList& node, Tapes x, Tapes d) {
                         const int dof = node.dof();
                         const Tapes w = vector_of(node, x, 2);
                         const Taped& step = x[index(3 * dof)];
                         std::vector<Taped> result(index(dof));
                         node.apply_ad<Taped>(vector_of(node, x, 0), vector_of(node, x, 1), result);
                         for (std::size_t i = 0; i < index(dof); ++i) {
                           result[i] = step * step * (d[0] * w[i] + d[1] * result[i]);
                         }
                         return result;
                       }};
  const double h = program.step().values[0];
  const double c_q = method.parameters.c_q();
  Known error{
      program.add_node_function("local_error", f,
                                {{at.v, state.v}, {at.v_dot, state.v_dot}, jerk, program.step()},
                                {c_q, commutator}),
      Vector(state.v.size())};
  program.system().configuration_space().apply_ad<double>(state.v, state.v_dot, error.values);
  for (std::size_t i = 0; i < error.values.size(); ++i) {
    error.values[i] = h * h * (c_q * jerk.values[i] + commutator * error.values[i]);
  }
  const Vector solution = program.consistency().normal_part(state, error.values);
  const Unknowns unknowns = program.add_unknowns();
  Relation relation{.y = unknowns.all};
  program.add_normal_terms(state, at, unknowns, solution, {}, relation);
  program.add_gradient_times(state, at, program.motion_part(unknowns, solution), 1, relation);
  program.add_gradient_times(state, at, error, -1, relation);
  program.add_solved(state, std::move(relation));
  return program.add_sum({{at.v}, {unknowns.motion}});
}

}  // namespace

void add_starting_values(const dae::AlphaOptions& options, const dae::State& state,
                         MotionBlocks& at, EquationProgram& program) {
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
