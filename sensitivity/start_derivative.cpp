#include "liegrad/sensitivity/start_derivative.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "liegrad/dae/numbers.hpp"
#include "liegrad/sensitivity/equation_program.hpp"
#include "liegrad/sensitivity/local_function.hpp"
#include "liegrad/sensitivity/starting_value_relations.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::index;
using Vector = std::vector<double>;
using Tapes = std::span<const Taped>;

/// Parameters → (log(q_0⁻¹∘q(p)), v(p)).
Term initial_function(const dae::System& system, const dae::State& state, const Block& parameters) {
  const std::vector<int>& chosen = system.initial_parameters();
  const lie::GroupList& space = system.configuration_space();
  Vector at;
  for (const int i : chosen) at.push_back(system.parameters()[index(i)].value);
  const Vector q0 = system.initial_configuration(), v0 = system.initial_velocity();
  const ad::Recording recording =
      ad::record({.name = "initial values", .variables = static_cast<int>(chosen.size()), .at = at},
                 [&](Tapes x, Tapes) {
                   std::vector<Taped> q(q0.begin(), q0.end()), v(v0.begin(), v0.end());
                   std::vector<Taped> base(state.q.begin(), state.q.end()), delta(v.size());
                   (*system.initial_function())(x, q, v);
                   space.minus<Taped>(q, base, delta);
                   delta.insert(delta.end(), v.begin(), v.end());
                   return delta;
                 });
  const KernelSum::Local local = LocalFunction::term(std::make_shared<const LocalFunction>(
      recording, std::vector<int>(), ad::Backend::kInterpreted));
  const int num_values = 2 * system.dof();
  auto sum = std::make_shared<KernelSum>(static_cast<int>(system.parameters().size()), num_values);
  std::vector<int> read;
  for (const int input : local.inputs) read.push_back(chosen[index(input)]);
  sum->add_term(sum->add_function(local), read, chosen, ad::range(0, num_values));
  return {.function = sum,
          .numbers = system.parameter_values(),
          .arguments = {{0, parameters}},
          .num_values = num_values};
}

/// Moves perturbed initial values by the parameters: q(p)∘exp(δ) and v(p) + δv.
void follow_parameters(const dae::State& state, MotionBlocks& at, EquationProgram& program) {
  const NodeFunction f{.vectors = 2, .evaluate = [](const lie::GroupList& node, Tapes x, Tapes) {
                         std::vector<Taped> q(index(node.num_coeffs())), delta(index(node.dof()));
                         node.exp<Taped>(vector_of(node, x, 0), q);
                         node.plus<Taped>(q, vector_of(node, x, 1), q);
                         node.log<Taped>(q, delta);
                         return delta;
                       }};
  const int dof = program.system().dof();
  const Vector zero(index(dof), 0.0);
  const Block of_parameters =
      program.add_values(initial_function(program.system(), state, at.parameters));
  at.q = program.add_node_function("moved_start", f,
                                   {{of_parameters.part(0, dof), zero}, {at.q, zero}});
  at.v = program.add_sum({{of_parameters.part(dof, dof)}, {at.v}});
}

/// As Consistency projects: when accelerations and multipliers are not yet known.
dae::State before_accelerations(dae::State state) {
  for (Vector* list : {&state.v_dot, &state.lambda, &state.s}) {
    std::fill(list->begin(), list->end(), 0.0);
  }
  return state;
}

/// x with M (x + …) + Bᵀν = 0 that satisfies the constraints in the place of q or of v.
Block add_projected(ConstraintValue value, const dae::State& state, const MotionBlocks& at,
                    const std::vector<Multiple>& others, EquationProgram& program) {
  const Unknowns unknowns = program.add_unknowns();
  const Vector at_rest(index(unknowns.all.count), 0.0);
  MotionBlocks moved = at;
  (value == ConstraintValue::kPosition ? moved.q : moved.v) = unknowns.motion;
  Relation relation{.y = unknowns.all};
  program.add_normal_terms(state, at, unknowns, at_rest, others, relation);
  program.add_constraint_terms(value, state, moved, 1, relation);
  program.add_solved(state, std::move(relation));
  return unknowns.motion;
}

/// q_1 = q_0∘exp(x) with M x + Bᵀν = 0 and Φ(q_1) = 0. In the chart x is the difference of both but for a
/// commutator, which has second derivatives only: it is taken from a first solution without it.
Block project_position(const dae::State& state, const MotionBlocks& at, EquationProgram& program) {
  const NodeFunction f{.vectors = 2, .evaluate = [](const lie::GroupList& node, Tapes x, Tapes) {
                         const Tapes from = vector_of(node, x, 0), to = vector_of(node, x, 1);
                         std::vector<Taped> q_0(index(node.num_coeffs())),
                             q_1 = q_0, result(index(node.dof()));
                         node.exp<Taped>(from, q_0);
                         node.exp<Taped>(to, q_1);
                         node.minus<Taped>(q_1, q_0, result);
                         for (std::size_t i = 0; i < result.size(); ++i) {
                           result[i] -= to[i] - from[i];
                         }
                         return result;
                       }};
  const Block first = add_projected(ConstraintValue::kPosition, state, at, {{at.q, -1}}, program);
  const Vector zero(state.v.size(), 0.0);
  const Block commutator =
      program.add_node_function("commutator", f, {{at.q, zero}, {first, zero}});
  return add_projected(ConstraintValue::kPosition, state, at, {{at.q, -1}, {commutator}}, program);
}

/// The same for dΦ/dt.
Block project_velocity(const dae::State& state, const MotionBlocks& at, EquationProgram& program) {
  return add_projected(ConstraintValue::kVelocity, state, at, {{at.v, -1}}, program);
}

}  // namespace

std::unique_ptr<Derivative> start_derivative(const dae::System& system,
                                             const dae::IntegrateOptions& options,
                                             const StartMade& start) {
  const dae::State& state = start.consistent;
  EquationProgram program(system, options.alpha.consistency, options.alpha.solver, start.controls,
                          start.h);
  MotionBlocks at = program.outer();
  at.q = program.add_variables(system.dof());
  at.v = program.add_variables(system.dof());
  const MotionBlocks initial = at;
  // Initial values follow the parameters unless they were given.
  if (system.initial_function() != nullptr && !options.initial) {
    follow_parameters(state, at, program);
  }
  if (system.num_multipliers() > 0) {
    const dae::State here = before_accelerations(state);
    at.q = project_position(here, at, program);
    at.v = project_velocity(here, at, program);
  }
  program.add_accelerations(state, at);
  at.a = at.v_dot;
  // Other methods start from consistent values.
  if (options.method == dae::Method::kAlpha) add_starting_values(options.alpha, state, at, program);
  return std::move(program).derivative(initial, at);
}

}  // namespace liegrad::sensitivity
