#include "liegrad/sensitivity/start/start_derivative.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "liegrad/dae/system/initial_function.hpp"
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

/// Parameters → (log(q_0⁻¹∘q(p)), v(p)); it reads all parameters, then q_0. To look for compiled code on disk would take
/// longer than one run needs it.
std::shared_ptr<KernelSum> initial_function_sum(const dae::Model& model, dae::Runs runs) {
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
  const KernelSum::Local local = LocalFunction::term(std::make_shared<const LocalFunction>(
      recording, std::vector<int>(),
      runs == dae::Runs::kOne ? ad::Backend::kInterpreted : ad::Backend::kCompiled));
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
dae::State& before_accelerations(const dae::State& original, EquationProgram& program) {
  dae::State& state = program.new_state(original);
  for (Vector* list : {&state.v_dot, &state.lambda, &state.s}) {
    std::fill(list->begin(), list->end(), 0.0);
  }
  return state;
}

/// A change of positions below this is rounding.
constexpr double kRounding = 1e-13;
constexpr int kMaxIterations = 50;

/// A configuration or velocity, as the sum of others and of a correction y with M y + Bᵀν = 0, that satisfies the
/// constraints; y, ν and what belongs to s have these values, or are zero.
Block add_projected(ConstraintValue value, const dae::State& state, const MotionBlocks& at,
                    std::initializer_list<Multiple> others, EquationProgram& program,
                    std::span<const double> values = {}) {
  const Unknowns unknowns = program.add_unknowns();
  const std::span<const double> at_rest =
      values.empty() ? program.new_numbers(index(unknowns.all.count)) : values;
  MotionBlocks moved = at;
  (value == ConstraintValue::kPosition ? moved.q : moved.v) = unknowns.motion;
  Relation& relation = program.add_relation(unknowns);
  program.add_normal_terms(state, at, unknowns, at_rest, relation);
  program.add_constraint_terms(value, state, moved, others, relation);
  program.solve_at(state, relation);
  return program.add_sum({{unknowns.motion}}, others);
}

/// q_1 = q_0∘exp(x) with M x + Bᵀν = 0 and Φ(q_1) = 0. In the chart x is the difference of both but for a
/// commutator, which has second derivatives only: it is taken from a first solution without it.
Block project_position(const dae::State& state, const MotionBlocks& at, EquationProgram& program) {
  const Block first = add_projected(ConstraintValue::kPosition, state, at, {{at.q}}, program);
  if (program.order() == Order::kFirst) return first;
  const std::span<const double> zero = program.new_numbers(state.v.size());
  const Block commutator =
      program.add_node_function(NodeMap::kCommutator, {{at.q, zero}, {first, zero}});
  return add_projected(ConstraintValue::kPosition, state, at, {{at.q}, {commutator, -1}}, program);
}

/// (x, ν, …) with M x + Bᵀν = 0 and B x = -Φ, or -dΦ/dt, at a state.
std::span<const double> correction(ConstraintValue value, const dae::State& state,
                                   EquationProgram& program) {
  dae::Consistency& consistency = program.consistency();
  const std::span<double> position = program.new_numbers(state.lambda.size());
  const std::span<double> velocity = program.new_numbers(state.lambda.size());
  consistency.velocity_residual(state);
  consistency.assembly().constraint_values(position, velocity);
  const std::vector<double>& found =
      consistency.normal_velocity(state, value == ConstraintValue::kPosition ? position : velocity);
  const std::span<double> values = program.new_numbers(found.size());
  std::ranges::transform(found, values.begin(), std::negate());
  return values;
}

/// Follows the iteration of Consistency that moves positions by finite distances, q ← q∘exp(x) with M x + Bᵀν = 0 and
/// Φ + B x = 0, and returns where it ends.
dae::State& move_position(const dae::State& given, MotionBlocks& at, EquationProgram& program) {
  dae::State* here = &program.new_state(given);
  const std::span<const double> zero = program.new_numbers(given.v.size());
  const std::span<double> one = program.new_numbers(1);
  one[0] = 1;
  for (int i = 0; i < kMaxIterations; ++i) {
    const std::span<const double> values = correction(ConstraintValue::kPosition, *here, program);
    const std::span<const double> x = values.first(given.v.size());
    if (dae::max_of(x) <= kRounding) break;
    const Unknowns unknowns = program.add_unknowns();
    Relation& relation = program.add_relation(unknowns);
    program.add_normal_terms(*here, at, unknowns, values, relation);
    program.add_constraint_terms(ConstraintValue::kPosition, *here, at, 1, relation);
    program.add_gradient_times(*here, at, program.motion_part(unknowns, values), 1, relation);
    program.solve_at(*here, relation);
    at.q = program.add_node_function(
        NodeMap::kBeside, {{at.q, zero}, {unknowns.motion, x}, {{}, zero}, {{}, one}}, {x, one});
    dae::State& moved = program.new_state(*here);
    program.system().configuration_space().plus<double>(here->q, x, moved.q);
    here = &moved;
  }
  return *here;
}

/// v with M (v - v_0) + Bᵀν = 0 and dΦ/dt = 0, where both are the same.
Block project_velocity(const dae::State& state, const MotionBlocks& at, EquationProgram& program) {
  return add_projected(ConstraintValue::kVelocity, state, at, {{at.v}}, program);
}

/// The same at a state with v_0.
Block move_velocity(const dae::State& state, const MotionBlocks& at, EquationProgram& program) {
  const std::span<const double> values = correction(ConstraintValue::kVelocity, state, program);
  dae::State& moved = program.new_state(state);
  for (std::size_t i = 0; i < moved.v.size(); ++i) moved.v[i] += values[i];
  return add_projected(ConstraintValue::kVelocity, moved, at, {{at.v}}, program, values);
}

}  // namespace

StartDerivative::StartDerivative(const dae::Model& model, const dae::IntegrateOptions& options,
                                 dae::Runs runs, Order order)
    : method_(options.method),
      alpha_(options.alpha),
      follows_parameters_(!options.initial),
      projects_(options.alpha.consistency.project),
      runs_(runs),
      program_(model, options.method, options.alpha.consistency, options.alpha.solver, runs,
               order) {}

/// Moves perturbed initial values by the parameters: q(p)∘exp(δ) and v(p) + δv.
void StartDerivative::follow_parameters(std::span<const double> q, MotionBlocks& at) {
  const dae::Model& model = program_.system();
  if (!initial_function_) initial_function_ = initial_function_sum(model, runs_);
  const EquationProgram::Values of_parameters = program_.add_values(initial_function_);
  of_parameters.term.arguments.push_back({0, at.parameters});
  Vector& numbers = of_parameters.term.numbers;
  numbers.assign(program_.parameters().begin(), program_.parameters().end());
  numbers.insert(numbers.end(), q.begin(), q.end());

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
  if (model.initial_function() != nullptr && follows_parameters_) {
    follow_parameters(start.given.q, at);
  }
  if (model.num_multipliers() > 0) {
    dae::State* here = &before_accelerations(state, program_);
    if (projects_) {
      std::ranges::copy(start.given.q, here->q.begin());
      std::ranges::copy(start.given.v, here->v.begin());
      here = &move_position(*here, at, program_);
    }
    at.q = project_position(*here, at, program_);
    at.v = projects_ ? move_velocity(*here, at, program_) : project_velocity(*here, at, program_);
  }
  program_.add_accelerations(state, at);
  // Other methods start from consistent values.
  if (method_ == dae::Method::kAlpha) add_starting_values(alpha_, state, at, program_);
  program_.end(initial, at);
  return program_;
}

}  // namespace liegrad::sensitivity
