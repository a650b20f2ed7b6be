#include "liegrad/sensitivity/equation_program.hpp"

#include <algorithm>

#include "liegrad/dae/numbers.hpp"
#include "liegrad/sensitivity/element_sum.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::ElementFunction;
using dae::index;
using Vector = std::vector<double>;
using Tapes = std::span<const Taped>;

/// The matrix (M Bᵀ; B 0) of equations (19) at a state, with the derivatives by s, factorised.
std::shared_ptr<dae::Assembly> consistency_matrix(const dae::System& system,
                                                  dae::LinearSolverKind solver,
                                                  const dae::State& state,
                                                  std::span<const double> controls) {
  auto matrix = std::make_shared<dae::Assembly>(system, dae::Formulation::kIndex3, false, solver);
  matrix->set_time(state.t);
  matrix->set_configuration(state.q);
  matrix->set_velocity(state.v);
  matrix->set_acceleration(state.v_dot);
  std::copy(state.lambda.begin(), state.lambda.end(), matrix->multipliers().begin());
  std::copy(state.s.begin(), state.s.end(), matrix->algebraic().begin());
  std::copy(controls.begin(), controls.end(), matrix->controls().begin());
  matrix->set_identity_maps();
  matrix->coefficients() = {};
  matrix->evaluate(true);
  if (!matrix->matrix().factorize()) throw Error("the mass matrix is singular on the constraints");
  return matrix;
}

/// Unknowns, or the rows of their relation, from a place on.
Unknowns unknowns_from(int first, const dae::System& system) {
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

std::vector<ProgramDerivative::Link> links(const StateLayout& layout, const MotionBlocks& state) {
  return {{layout.q, state.q}, {layout.v, state.v},           {layout.v_dot, state.v_dot},
          {layout.a, state.a}, {layout.lambda, state.lambda}, {layout.s, state.s}};
}

}  // namespace

EquationProgram::EquationProgram(const dae::System& system, const dae::ConsistencyOptions& options,
                                 dae::LinearSolverKind solver, std::span<const double> controls,
                                 double h)
    : system_(system),
      layout_(system),
      dof_(system.dof()),
      rows_(unknowns_from(0, system)),
      solver_(options.allow_redundant ? dae::LinearSolverKind::kMinimumNorm : solver),
      consistency_(system, options, solver) {
  std::copy(controls.begin(), controls.end(), consistency_.controls().begin());
  outer_.parameters = add_variables(static_cast<int>(system.parameters().size()));
  outer_.controls = add_variables(static_cast<int>(system.controls().size()));
  outer_.time = add_variables(1);
  step_ = {add_variables(1), {h}};
}

Unknowns EquationProgram::add_unknowns() {
  return unknowns_from(add_variables(rows_.all.count).first, system_);
}

Known EquationProgram::motion_part(const Unknowns& unknowns, std::span<const double> values) const {
  return {unknowns.motion, Vector(values.begin(), values.begin() + dof_)};
}

Block EquationProgram::add_values(Term term) {
  const Block y = add_variables(term.num_values);
  program_.add({.y = y, .terms = {std::move(term)}});
  return y;
}

Block EquationProgram::add_sum(const std::vector<Multiple>& multiples) {
  Relation relation{.y = add_variables(multiples.front().variables.count)};
  for (const auto& [variables, factor] : multiples) {
    relation.linear_terms.push_back({variables, 0, factor});
  }
  const Block y = relation.y;
  program_.add(std::move(relation));
  return y;
}

Block EquationProgram::add_node_function(const std::string& name, const NodeFunction& f,
                                         const std::vector<Known>& arguments, const Vector& data) {
  Term term{.function = node_sum(system_.configuration_space(), name, f),
            .numbers = {},
            .arguments = {},
            .num_values = f.values * dof_};
  for (const auto& [variables, values] : arguments) {
    term.arguments.push_back({static_cast<int>(term.numbers.size()), variables});
    term.numbers.insert(term.numbers.end(), values.begin(), values.end());
  }
  term.numbers.insert(term.numbers.end(), data.begin(), data.end());
  return add_values(std::move(term));
}

Known EquationProgram::add_step_multiple(const Known& x, double c) {
  const NodeFunction f{.vectors = 1,
                       .scalars = 1,
                       .data_scalars = 1,
                       .evaluate = [](const lie::GroupList& node, Tapes y, Tapes d) {
                         const std::size_t dof = index(node.dof());
                         std::vector<Taped> result;
                         for (std::size_t i = 0; i < dof; ++i) {
                           result.push_back(d[0] * y[dof] * y[i]);
                         }
                         return result;
                       }};
  Vector values;
  for (const double value : x.values) values.push_back(c * step_.values[0] * value);
  return {add_node_function("step_multiple", f, {x, step_}, {c}), values};
}

std::shared_ptr<KernelSum> EquationProgram::sum_of(ElementFunction function) {
  std::shared_ptr<KernelSum>& sum = sums_[function];
  if (!sum) {
    sum = std::make_shared<KernelSum>(
        element_sum(system_, function, {.position = false, .velocity = false}));
  }
  return sum;
}

MotionPoint EquationProgram::point(const dae::State& state) {
  MotionPoint result(system_);
  result.set_parameters(system_.parameter_values());
  result.set(state, consistency_.controls());
  return result;
}

Term EquationProgram::element_term(ElementFunction function, const MotionPoint& here,
                                   const MotionBlocks& at, int first_value, const Block& rows) {
  Term term{.function = sum_of(function),
            .numbers = Vector(here.numbers().begin(), here.numbers().end()),
            .arguments = {},
            .first_value = first_value,
            .num_values = rows.count,
            .first_row = rows.first};
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

void EquationProgram::add_motion_terms(ElementFunction function, const MotionPoint& here,
                                       const MotionBlocks& at, Relation& relation) {
  relation.terms.push_back(element_term(function, here, at, 0, rows_.motion));
  if (rows_.algebraic.count == 0) return;
  relation.terms.push_back(element_term(function, here, at, dof_, rows_.algebraic));
}

void EquationProgram::add_motion_terms(const dae::State& state, const MotionBlocks& at,
                                       Relation& relation) {
  add_motion_terms(ElementFunction::kStep, point(state), at, relation);
}

void EquationProgram::add_rate_terms(const dae::State& state, const MotionBlocks& at,
                                     std::span<const double> rates, Relation& relation) {
  MotionPoint here = point(state);
  std::copy(rates.begin(), rates.end(), here.rates().begin());
  add_motion_terms(ElementFunction::kRate, here, at, relation);
}

void EquationProgram::add_normal_terms(const dae::State& state, const MotionBlocks& at,
                                       const Unknowns& unknowns, std::span<const double> values,
                                       const std::vector<Multiple>& others, Relation& relation) {
  MotionBlocks blocks = at;
  blocks.rates.v_dot = unknowns.motion;
  blocks.rates.lambda = unknowns.multipliers;
  blocks.rates.s = unknowns.algebraic;
  Vector rates(index(2 * dof_), 0.0);
  rates.insert(rates.end(), values.begin(), values.end());
  const std::size_t first = relation.terms.size();
  add_rate_terms(state, blocks, rates, relation);
  for (std::size_t i = first; i < relation.terms.size(); ++i) {
    for (const auto& [variables, factor] : others) {
      relation.terms[i].arguments.push_back({layout_.rates.v_dot, variables, factor});
    }
  }
}

void EquationProgram::add_constraint_terms(ConstraintValue value, const dae::State& state,
                                           const MotionBlocks& at, double factor,
                                           Relation& relation) {
  const Block& rows = rows_.multipliers;
  if (rows.count == 0) return;
  // Of kConstraints those of velocities are the second half.
  const int first_value = value == ConstraintValue::kVelocity ? rows.count : 0;
  relation.terms.push_back(element_term(function_of(value), point(state), at, first_value, rows));
  relation.terms.back().factor = factor;
}

void EquationProgram::add_gradient_times(const dae::State& state, const MotionBlocks& at,
                                         const Known& x, double factor, Relation& relation) {
  dae::State with = state, without = state;
  with.v = x.values;
  std::fill(without.v.begin(), without.v.end(), 0.0);
  MotionBlocks blocks = at, none = at;
  blocks.v = x.variables;
  none.v = {};
  add_constraint_terms(ConstraintValue::kVelocity, with, blocks, factor, relation);
  add_constraint_terms(ConstraintValue::kVelocity, without, none, -factor, relation);
}

void EquationProgram::add_solved(const dae::State& state, Relation relation) {
  const auto matrix = consistency_matrix(system_, solver_, state, consistency_.controls());
  relation.solve = [matrix](std::span<double> x) { matrix->matrix().solve(x); };
  relation.solve_transposed = [matrix](std::span<double> x) {
    matrix->matrix().solve_transposed(x);
  };
  program_.add(std::move(relation));
}

void EquationProgram::add_accelerations(const dae::State& state, MotionBlocks& at) {
  const Unknowns unknowns = add_unknowns();
  at.v_dot = unknowns.motion;
  at.lambda = unknowns.multipliers;
  at.s = unknowns.algebraic;
  Relation relation{.y = unknowns.all};
  add_motion_terms(state, at, relation);
  add_constraint_terms(ConstraintValue::kAcceleration, state, at, 1, relation);
  add_solved(state, std::move(relation));
}

std::unique_ptr<Derivative> EquationProgram::derivative(const MotionBlocks& start,
                                                        const MotionBlocks& end) && {
  const StateLayout state(system_);
  const OuterLayout outer(system_);
  return std::make_unique<ProgramDerivative>(
      system_, std::move(program_),
      ProgramDerivative::Links{.start = links(state, start),
                               .outer = {{outer.parameters, outer_.parameters},
                                         {outer.start_controls, outer_.controls},
                                         {outer.start_time, outer_.time},
                                         {outer.h, step_.variables}},
                               .end = links(state, end)});
}

}  // namespace liegrad::sensitivity
