#include "liegrad/sensitivity/start/start_derivative.hpp"

#include <algorithm>
#include <vector>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/start/equation_program.hpp"
#include "liegrad/sensitivity/start/starting_value_relations.hpp"
#include "liegrad/sensitivity/step/local_function.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::index;
using Vector = std::vector<double>;
using Tapes = std::span<const Taped>;

/// Parameters → (log(q_0⁻¹∘q(p)), v(p)); it reads all parameters, then q_0.
std::shared_ptr<KernelSum> initial_function_sum(const dae::Model& model) {
  const std::vector<int>& chosen = model.initial_parameters();
  const lie::GroupList& space = model.configuration_space();
  const Vector q0 = model.initial_configuration();
  Vector at;
  for (const int i : chosen) at.push_back(model.parameters()[index(i)].value);
  at.insert(at.end(), q0.begin(), q0.end());
  const ad::Recording recording =
      ad::record({.name = "initial values",
                  .variables = static_cast<int>(chosen.size()),
                  .data = space.num_coeffs(),
                  .at = at},
                 [&](Tapes x, Tapes base) {
                   const dae::InitialValues constant = model.constant_initial_values();
                   std::vector<Taped> q(constant.q.begin(), constant.q.end());
                   std::vector<Taped> v(constant.v.begin(), constant.v.end()), delta(v.size());
                   (*model.initial_function())(x, q, v);
                   space.minus<Taped>(q, base, delta);
                   delta.insert(delta.end(), v.begin(), v.end());
                   return delta;
                 });
  const KernelSum::Local local = LocalFunction::term(
      std::make_shared<const LocalFunction>(recording, std::vector<int>(), ad::Backend::kCompiled));
  const int num_parameters = static_cast<int>(model.parameters().size());
  auto sum = std::make_shared<KernelSum>(num_parameters, 2 * model.dof());
  const int num_chosen = static_cast<int>(chosen.size());
  std::vector<int> read;
  for (const int input : local.inputs) {
    read.push_back(input < num_chosen ? chosen[index(input)] : num_parameters + input - num_chosen);
  }
  sum->add_term(sum->add_function(local), read, chosen, ad::range(0, sum->num_values()));
  return sum;
}

/// As Consistency projects: when accelerations and multipliers are not yet known.
const dae::State& before_accelerations(const dae::State& original, EquationProgram& program) {
  dae::State& state = program.new_state(original);
  for (Vector* list : {&state.v_dot, &state.lambda, &state.s}) {
    std::fill(list->begin(), list->end(), 0.0);
  }
  return state;
}

/// x with M (x + …) + Bᵀν = 0 that satisfies the constraints in the place of q or of v.
Block add_projected(ConstraintValue value, const dae::State& state, const MotionBlocks& at,
                    std::initializer_list<Multiple> others, EquationProgram& program) {
  const Unknowns unknowns = program.add_unknowns();
  const std::span<const double> at_rest = program.new_numbers(index(unknowns.all.count));
  MotionBlocks moved = at;
  (value == ConstraintValue::kPosition ? moved.q : moved.v) = unknowns.motion;
  Relation& relation = program.add_relation(unknowns);
  program.add_normal_terms(state, at, unknowns, at_rest, others, relation);
  program.add_constraint_terms(value, state, moved, 1, relation);
  program.solve_at(state, relation);
  return unknowns.motion;
}

/// q_1 = q_0∘exp(x) with M x + Bᵀν = 0 and Φ(q_1) = 0. In the chart x is the difference of both but for a
/// commutator, which has second derivatives only: it is taken from a first solution without it.
Block project_position(const dae::State& state, const MotionBlocks& at, EquationProgram& program) {
  const Block first = add_projected(ConstraintValue::kPosition, state, at, {{at.q, -1}}, program);
  const std::span<const double> zero = program.new_numbers(state.v.size());
  const Block commutator =
      program.add_node_function(NodeMap::kCommutator, {{at.q, zero}, {first, zero}});
  return add_projected(ConstraintValue::kPosition, state, at, {{at.q, -1}, {commutator}}, program);
}

/// The same for dΦ/dt.
Block project_velocity(const dae::State& state, const MotionBlocks& at, EquationProgram& program) {
  return add_projected(ConstraintValue::kVelocity, state, at, {{at.v, -1}}, program);
}

}  // namespace

StartDerivative::StartDerivative(const dae::Model& model, const dae::IntegrateOptions& options,
                                 dae::Runs runs)
    : method_(options.method),
      alpha_(options.alpha),
      follows_parameters_(!options.initial),
      program_(model, options.alpha.consistency, options.alpha.solver, runs) {}

/// Moves perturbed initial values by the parameters: q(p)∘exp(δ) and v(p) + δv.
void StartDerivative::follow_parameters(const dae::State& state, MotionBlocks& at) {
  const dae::Model& model = program_.system();
  if (!initial_function_) initial_function_ = initial_function_sum(model);
  const EquationProgram::Values of_parameters = program_.add_values(initial_function_);
  of_parameters.term.arguments.push_back({0, at.parameters});
  Vector& numbers = of_parameters.term.numbers;
  numbers.assign(program_.parameters().begin(), program_.parameters().end());
  numbers.insert(numbers.end(), state.q.begin(), state.q.end());

  const int dof = model.dof();
  const std::span<const double> zero = program_.new_numbers(index(dof));
  const Block moved = of_parameters.variables;
  at.q =
      program_.add_node_function(NodeMap::kMovedStart, {{moved.part(0, dof), zero}, {at.q, zero}});
  at.v = program_.add_sum({{moved.part(dof, dof)}, {at.v}});
}

Derivative& StartDerivative::at(const StartMade& start) {
  const dae::State& state = start.consistent;
  const dae::Model& model = program_.system();
  program_.begin(start.controls, start.h);
  MotionBlocks at = program_.outer();
  at.q = program_.add_variables(model.dof());
  at.v = program_.add_variables(model.dof());
  const MotionBlocks initial = at;
  if (model.initial_function() != nullptr && follows_parameters_) follow_parameters(state, at);
  if (model.num_multipliers() > 0) {
    const dae::State& here = before_accelerations(state, program_);
    at.q = project_position(here, at, program_);
    at.v = project_velocity(here, at, program_);
  }
  program_.add_accelerations(state, at);
  at.a = at.v_dot;
  // Other methods start from consistent values.
  if (method_ == dae::Method::kAlpha) add_starting_values(alpha_, state, at, program_);
  program_.end(initial, at);
  return program_;
}

}  // namespace liegrad::sensitivity
