#include "liegrad/sensitivity/start/equation_program.hpp"

#include <algorithm>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/element_sum.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::ElementFunction;
using dae::index;
using Vector = std::vector<double>;
using Tapes = std::span<const Taped>;

/// Unknowns, or the rows of their relation, from a place on.
Unknowns unknowns_from(int first, const dae::Model& system) {
  const int dof = system.dof(), multipliers = system.num_multipliers();
  const Block all{first, dof + multipliers + system.num_algebraic()};
  return {all, all.part(0, dof), all.part(dof, multipliers),
          all.part(dof + multipliers, system.num_algebraic())};
}

ElementFunction function_of(ConstraintValue value) {
  switch (value) {
    case ConstraintValue::kPosition:
    case ConstraintValue::kVelocity: return ElementFunction::kConstraints;
    case ConstraintValue::kAcceleration: return ElementFunction::kAcceleration;
    case ConstraintValue::kJerk: return ElementFunction::kJerk;
  }
  return {};
}

std::vector<ProgramDerivative::Link> links_of(const StateLayout& layout,
                                              const MotionBlocks& state) {
  return {{layout.q, state.q}, {layout.v, state.v},           {layout.v_dot, state.v_dot},
          {layout.a, state.a}, {layout.lambda, state.lambda}, {layout.s, state.s}};
}

bool are_equal(const dae::State& a, const dae::State& b) {
  return a.t == b.t && a.q == b.q && a.v == b.v && a.v_dot == b.v_dot && a.lambda == b.lambda &&
         a.s == b.s;
}

}  // namespace

EquationProgram::EquationProgram(const dae::Model& system, dae::Method method,
                                 const dae::ConsistencyOptions& options,
                                 dae::LinearSolverKind solver, dae::Runs runs, Order order)
    : ProgramDerivative(StateLayout(system, method).size),
      system_(system.shared()),
      state_(system, method),
      layout_(system),
      dof_(system.dof()),
      rows_(unknowns_from(0, system)),
      solver_(options.allow_redundant ? dae::LinearSolverKind::kMinimumNorm : solver),
      consistency_(system, options, solver),
      runs_(runs),
      order_(order),
      point_(system) {
  set_parameters(system.parameter_values());
}

void EquationProgram::set_parameters(std::span<const double> parameters) {
  parameters_.assign(parameters.begin(), parameters.end());
  consistency_.set_parameters(parameters);
  point_.set_parameters(parameters);
  for (Matrix& matrix : matrices_) matrix.assembly.set_parameters(parameters);
}

void EquationProgram::begin(std::span<const double> controls, double h) {
  num_numbers_ = num_states_ = num_matrices_ = 0;
  program_.begin();
  std::ranges::copy(controls, consistency_.controls().begin());
  outer_.parameters = add_variables(static_cast<int>(system_->parameters().size()));
  outer_.controls = add_variables(static_cast<int>(system_->controls().size()));
  outer_.time = add_variables(1);
  const std::span<double> step = new_numbers(1);
  step[0] = h;
  step_ = {add_variables(1), step};
}

void EquationProgram::end(const MotionBlocks& start, const MotionBlocks& end) {
  const bool is_known = links_end_ == end.v_dot.first;
  if (is_known && !links_.end.empty()) return;
  links_end_ = end.v_dot.first;
  const OuterLayout outer(*system_);
  links_ = {.start = links_of(state_, start),
            .outer = {{outer.parameters, outer_.parameters},
                      {outer.start_controls, outer_.controls},
                      {outer.start_time, outer_.time},
                      {outer.h, step_.variables}},
            .end = links_of(state_, end)};
}

std::span<double> EquationProgram::new_numbers(std::size_t count) {
  if (num_numbers_ == numbers_.size()) numbers_.emplace_back();
  Vector& numbers = numbers_[num_numbers_++];
  numbers.assign(count, 0.0);
  return numbers;
}

std::span<const double> EquationProgram::copied(std::span<const double> numbers) {
  const std::span<double> copy = new_numbers(numbers.size());
  std::ranges::copy(numbers, copy.begin());
  return copy;
}

dae::State& EquationProgram::new_state(const dae::State& original) {
  if (num_states_ == states_.size()) states_.emplace_back();
  return states_[num_states_++] = original;
}

Unknowns EquationProgram::add_unknowns() {
  return unknowns_from(add_variables(rows_.all.count).first, *system_);
}

Known EquationProgram::motion_part(const Unknowns& unknowns, std::span<const double> values) const {
  return {unknowns.motion, values.first(index(dof_))};
}

EquationProgram::Values EquationProgram::add_values(const std::shared_ptr<KernelSum>& function) {
  const Block y = add_variables(function->num_values());
  Term& term = program_.add_relation(y).add_term();
  term.function = function;
  term.num_values = y.count;
  return {y, term};
}

Block EquationProgram::add_sum(std::initializer_list<Multiple> multiples,
                               std::initializer_list<Multiple> more) {
  Relation& relation = program_.add_relation(add_variables(multiples.begin()->variables.count));
  for (const auto& list : {multiples, more}) {
    for (const auto& [variables, factor] : list) relation.add_linear({variables, 0, factor});
  }
  return relation.y();
}

Block EquationProgram::add_node_function(NodeMap map, std::initializer_list<Known> arguments,
                                         std::initializer_list<std::span<const double>> data) {
  std::shared_ptr<KernelSum>& sum = node_sums_[map];
  if (!sum) sum = node_sum(system_->configuration_space(), map);
  const Values values = add_values(sum);
  Vector& numbers = values.term.numbers;
  for (const auto& [variables, at] : arguments) {
    values.term.arguments.push_back({static_cast<int>(numbers.size()), variables});
    numbers.insert(numbers.end(), at.begin(), at.end());
  }
  for (const std::span<const double> more : data) {
    numbers.insert(numbers.end(), more.begin(), more.end());
  }
  return values.variables;
}

Known EquationProgram::add_step_multiple(const Known& x, double c) {
  const std::span<double> values = new_numbers(x.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = c * step_.values[0] * x.values[i];
  return {add_node_function(NodeMap::kStepMultiple, {x, step_}, {{&c, 1}}), values};
}

const std::shared_ptr<KernelSum>& EquationProgram::sum_of(ElementFunction function) {
  std::shared_ptr<KernelSum>& sum = sums_[function];
  if (!sum) {
    sum = std::make_shared<KernelSum>(
        element_sum(*system_, function, {.position = false, .velocity = false}, {}, runs_));
  }
  return sum;
}

void EquationProgram::go_to(const dae::State& state) {
  point_.set(state, consistency_.controls());
  std::ranges::fill(point_.rates(), 0.0);
}

Term& EquationProgram::add_element_term(ElementFunction function, const MotionBlocks& at,
                                        int first_value, const Block& rows, Relation& relation) {
  Term& term = relation.add_term();
  term.function = sum_of(function);
  term.numbers.assign(point_.numbers().begin(), point_.numbers().end());
  term.first_value = first_value;
  term.num_values = rows.count;
  term.first_row = rows.first;
  const auto link = [&term](int argument, const Block& block) {
    if (block.count > 0) term.arguments.push_back({argument, block});
  };
  link(layout_.q, at.q);
  link(layout_.v, at.v);
  link(layout_.v_dot, at.v_dot);
  link(layout_.lambda, at.lambda);
  link(layout_.s, at.s);
  link(layout_.parameters, at.parameters);
  link(layout_.controls, at.controls);
  link(layout_.time, at.time);
  if (function != ElementFunction::kRate) return term;
  link(layout_.rates.q, at.rates.q);
  link(layout_.rates.v, at.rates.v);
  link(layout_.rates.v_dot, at.rates.v_dot);
  link(layout_.rates.lambda, at.rates.lambda);
  link(layout_.rates.s, at.rates.s);
  return term;
}

void EquationProgram::add_motion_terms_here(ElementFunction function, const MotionBlocks& at,
                                            Relation& relation) {
  add_element_term(function, at, 0, rows_.motion, relation);
  if (rows_.algebraic.count == 0) return;
  add_element_term(function, at, dof_, rows_.algebraic, relation);
}

void EquationProgram::add_motion_terms(const dae::State& state, const MotionBlocks& at,
                                       Relation& relation) {
  go_to(state);
  add_motion_terms_here(ElementFunction::kStep, at, relation);
}

void EquationProgram::add_rate_terms(const dae::State& state, const MotionBlocks& at,
                                     std::span<const double> rates, Relation& relation) {
  go_to(state);
  std::ranges::copy(rates, point_.rates().begin());
  add_motion_terms_here(ElementFunction::kRate, at, relation);
}

void EquationProgram::add_normal_terms(const dae::State& state, const MotionBlocks& at,
                                       const Unknowns& unknowns, std::span<const double> values,
                                       Relation& relation) {
  const bool is_zero = std::ranges::all_of(values, [](double x) { return x == 0; });
  if (is_zero && order_ == Order::kFirst) return;
  MotionBlocks blocks = at;
  blocks.rates.v_dot = unknowns.motion;
  blocks.rates.lambda = unknowns.multipliers;
  blocks.rates.s = unknowns.algebraic;
  const std::span<double> rates = new_numbers(index(2 * dof_) + values.size());
  std::ranges::copy(values, rates.begin() + 2 * dof_);
  const std::size_t first = relation.terms().size();
  add_rate_terms(state, blocks, rates, relation);
  for (Term& term : relation.terms().subspan(first)) term.is_stationary = is_zero;
}

void EquationProgram::add_constraint_terms(ConstraintValue value, const dae::State& state,
                                           const MotionBlocks& at, double factor,
                                           Relation& relation) {
  const Block& rows = rows_.multipliers;
  if (rows.count == 0) return;
  go_to(state);
  // Of kConstraints those of velocities are the second half.
  const int first_value = value == ConstraintValue::kVelocity ? rows.count : 0;
  add_element_term(function_of(value), at, first_value, rows, relation).factor = factor;
}

void EquationProgram::add_constraint_terms(ConstraintValue value, const dae::State& state,
                                           const MotionBlocks& at,
                                           std::initializer_list<Multiple> others,
                                           Relation& relation) {
  const std::size_t first = relation.terms().size();
  add_constraint_terms(value, state, at, 1, relation);
  const int argument = value == ConstraintValue::kVelocity ? layout_.v : layout_.q;
  for (Term& term : relation.terms().subspan(first)) {
    for (const auto& [variables, factor] : others) {
      term.arguments.push_back({argument, variables, factor});
    }
  }
}

void EquationProgram::add_gradient_times(const dae::State& state, const MotionBlocks& at,
                                         const Known& x, double factor, Relation& relation) {
  dae::State& with = new_state(state);
  dae::State& without = new_state(state);
  std::ranges::copy(x.values, with.v.begin());
  std::ranges::fill(without.v, 0.0);
  MotionBlocks blocks = at, none = at;
  blocks.v = x.variables;
  none.v = {};
  add_constraint_terms(ConstraintValue::kVelocity, with, blocks, factor, relation);
  add_constraint_terms(ConstraintValue::kVelocity, without, none, -factor, relation);
}

EquationProgram::Matrix& EquationProgram::matrix_at(const dae::State& state) {
  for (std::size_t i = 0; i < num_matrices_; ++i) {
    if (are_equal(matrices_[i].state, state)) return matrices_[i];
  }
  if (num_matrices_ == matrices_.size()) {
    matrices_.push_back(
        {dae::Assembly(*system_, dae::Formulation::kIndex3, false, solver_), dae::State()});
    matrices_.back().assembly.set_parameters(parameters_);
  }
  Matrix& matrix = matrices_[num_matrices_++];
  matrix.state = state;
  dae::Assembly& assembly = matrix.assembly;
  assembly.set_time(state.t);
  assembly.set_configuration(state.q);
  assembly.set_velocity(state.v);
  assembly.set_acceleration(state.v_dot);
  std::ranges::copy(state.lambda, assembly.multipliers().begin());
  std::ranges::copy(state.s, assembly.algebraic().begin());
  std::ranges::copy(consistency_.controls(), assembly.controls().begin());
  assembly.set_identity_maps();
  assembly.coefficients() = {};
  assembly.evaluate(true);
  if (!assembly.matrix().factorize()) throw Error("the mass matrix is singular on the constraints");
  return matrix;
}

void EquationProgram::solve_at(const dae::State& state, Relation& relation) {
  relation.set_matrix(&matrix_at(state).assembly.matrix());
}

void EquationProgram::add_accelerations(const dae::State& state, MotionBlocks& at) {
  const Unknowns unknowns = add_unknowns();
  at.v_dot = unknowns.motion;
  at.lambda = unknowns.multipliers;
  at.s = unknowns.algebraic;
  Relation& relation = add_relation(unknowns);
  add_motion_terms(state, at, relation);
  add_constraint_terms(ConstraintValue::kAcceleration, state, at, 1, relation);
  solve_at(state, relation);
}

}  // namespace liegrad::sensitivity
