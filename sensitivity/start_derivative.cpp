#include "liegrad/sensitivity/start_derivative.hpp"

#include <map>

#include "liegrad/dae/consistency.hpp"
#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/starting_values.hpp"
#include "liegrad/sensitivity/element_sum.hpp"
#include "liegrad/sensitivity/local_function.hpp"
#include "liegrad/sensitivity/node_sum.hpp"
#include "liegrad/sensitivity/program_derivative.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::ElementFunction;
using dae::index;
using Vector = std::vector<double>;
using Tapes = std::span<const Taped>;

/// A motion whose parts are variables of a program; what is empty is constant.
struct MotionBlocks {
  Block q, v, v_dot, lambda, s, parameters, controls, time;
  struct Rates {
    Block q, v, v_dot, lambda, s;
  };
  Rates rates = {};
};

/// The matrix (M Bᵀ; B 0) of equations (19) at a state, with the derivatives by s, factorised.
std::shared_ptr<dae::Assembly> consistency_matrix(const dae::System& system,
                                                  const dae::AlphaOptions& options,
                                                  const dae::State& state,
                                                  std::span<const double> controls) {
  auto matrix = std::make_shared<dae::Assembly>(
      system, dae::Formulation::kIndex3, false,
      options.consistency.allow_redundant ? dae::LinearSolverKind::kMinimumNorm : options.solver);
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

std::span<const Taped> slice(Tapes x, int dof, int i) {
  return x.subspan(index(i * dof), index(dof));
}

/// Writes the programs of this file.
class Builder {
 public:
  Builder(const dae::System& system, const dae::AlphaOptions& options,
          std::span<const double> controls)
      : system_(system),
        options_(options),
        controls_(controls.begin(), controls.end()),
        layout_(system),
        state_(system),
        outer_(system),
        dof_(system.dof()),
        constraints_(system.num_multipliers()),
        algebraic_(system.num_algebraic()),
        consistency_(system, options.consistency, options.solver) {
    std::copy(controls.begin(), controls.end(), consistency_.controls().begin());
    p_ = program_.add_variables(static_cast<int>(system.parameters().size()));
    u_ = program_.add_variables(static_cast<int>(system.controls().size()));
    t_ = program_.add_variables(1);
    h_ = program_.add_variables(1);
    links_.outer = {{outer_.parameters, p_},
                    {outer_.start_controls, u_},
                    {outer_.start_time, t_},
                    {outer_.h, h_}};
  }

  /// Initial values follow the parameters unless they were given.
  std::unique_ptr<Derivative> start(const dae::State& state, double h, bool given) {
    const Block dq = program_.add_variables(dof_), dv = program_.add_variables(dof_);
    links_.start = {{state_.q, dq}, {state_.v, dv}};
    MotionBlocks at{};
    at.parameters = p_;
    at.controls = u_;
    at.time = t_;
    add_initial_values(state, dq, dv, given, at);
    if (constraints_ > 0) {
      project_position(state, at);
      project_velocity(state, at);
    }
    add_accelerations(state, at);
    Block a = at.v_dot, v = at.v;
    if (options_.start != dae::StartingValues::kClassical) {
      const Known jerk = options_.start == dae::StartingValues::kCorrected
                             ? add_jerk(state, at)
                             : add_jerk_by_difference(state, h, at);
      a = scaled_sum(at.v_dot, jerk.block, jerk.values, h,
                     options_.method.parameters.delta_alpha());
      if (options_.formulation == dae::Formulation::kIndex3 && constraints_ > 0) {
        v = correct_velocity(state, h, jerk, at);
      }
    }
    links_.end = {{state_.q, at.q},           {state_.v, v},
                  {state_.v_dot, at.v_dot},   {state_.a, a},
                  {state_.lambda, at.lambda}, {state_.s, at.s}};
    return finish();
  }

  /// `ratio` stands in the place of h.
  std::unique_ptr<Derivative> change(const dae::State& state, double ratio) {
    MotionBlocks at{};
    at.parameters = p_;
    at.controls = u_;
    at.time = t_;
    at.q = program_.add_variables(dof_);
    at.v = program_.add_variables(dof_);
    at.v_dot = program_.add_variables(dof_);
    const Block a = program_.add_variables(dof_);
    at.lambda = program_.add_variables(constraints_);
    at.s = program_.add_variables(algebraic_);
    links_.start = {{state_.q, at.q}, {state_.v, at.v},           {state_.v_dot, at.v_dot},
                    {state_.a, a},    {state_.lambda, at.lambda}, {state_.s, at.s}};
    // a' = v̇ + r (a - v̇).
    Vector difference(index(dof_));
    for (std::size_t i = 0; i < difference.size(); ++i) {
      difference[i] = state.a[i] - state.v_dot[i];
    }
    const Block surplus = program_.add_variables(dof_);
    program_.add({.y = surplus, .linear_terms = {{a, 0, 1.0}, {at.v_dot, 0, -1.0}}});
    const Block new_a = scaled_sum(at.v_dot, surplus, difference, ratio, 1.0);
    Block new_v = at.v;
    if (options_.formulation == dae::Formulation::kIndex3 && constraints_ > 0) {
      new_v = rescale_normal_velocity(state, ratio, at);
    }
    links_.end = {{state_.q, at.q},  {state_.v, new_v},          {state_.v_dot, at.v_dot},
                  {state_.a, new_a}, {state_.lambda, at.lambda}, {state_.s, at.s}};
    return finish();
  }

 private:
  /// Variables with their values.
  struct Known {
    Block block;
    Vector values;
  };

  std::unique_ptr<Derivative> finish() {
    return std::make_unique<ProgramDerivative>(system_, std::move(program_), std::move(links_));
  }

  std::shared_ptr<KernelSum> sum_of(ElementFunction function) {
    std::shared_ptr<KernelSum>& sum = sums_[function];
    if (!sum) {
      sum = std::make_shared<KernelSum>(
          element_sum(system_, function, {.position = false, .velocity = false}));
    }
    return sum;
  }

  /// The numbers of a state; rates are zero.
  MotionPoint point(const dae::State& state) const {
    MotionPoint result(system_);
    result.set_parameters(system_.parameter_values());
    result.set(state, controls_);
    return result;
  }

  /// A function of all elements, of some of its values.
  Term element_term(ElementFunction function, const MotionPoint& at, const MotionBlocks& blocks,
                    int first_value, int num_values, int first_row, double factor = 1) {
    Term term{.function = sum_of(function),
              .numbers = Vector(at.numbers().begin(), at.numbers().end()),
              .arguments = {},
              .first_value = first_value,
              .num_values = num_values,
              .first_row = first_row,
              .factor = factor};
    const auto link = [&term](int argument, const Block& block) {
      if (block.count > 0) term.arguments.push_back({argument, block});
    };
    link(layout_.q, blocks.q);
    link(layout_.v, blocks.v);
    link(layout_.v_dot, blocks.v_dot);
    link(layout_.lambda, blocks.lambda);
    link(layout_.s, blocks.s);
    link(layout_.parameters, blocks.parameters);
    link(layout_.controls, blocks.controls);
    link(layout_.time, blocks.time);
    if (function != ElementFunction::kRate) return term;
    link(layout_.rates.q, blocks.rates.q);
    link(layout_.rates.v, blocks.rates.v);
    link(layout_.rates.v_dot, blocks.rates.v_dot);
    link(layout_.rates.lambda, blocks.rates.lambda);
    link(layout_.rates.s, blocks.rates.s);
    return term;
  }

  /// M v̇ + g + Bᵀλ and h_s, or their rates, in the rows of Assembly.
  void add_motion_terms(ElementFunction function, const MotionPoint& at, const MotionBlocks& blocks,
                        Relation& relation) {
    relation.terms.push_back(element_term(function, at, blocks, 0, dof_, 0));
    if (algebraic_ == 0) return;
    relation.terms.push_back(
        element_term(function, at, blocks, dof_, algebraic_, dof_ + constraints_));
  }

  void set_matrix(const dae::State& state, Relation& relation) const {
    const auto matrix = consistency_matrix(system_, options_, state, controls_);
    relation.solve = [matrix](std::span<double> x) { matrix->matrix().solve(x); };
    relation.solve_transposed = [matrix](std::span<double> x) {
      matrix->matrix().solve_transposed(x);
    };
  }

  /// Variables in the order of Assembly's unknowns.
  Block add_unknowns() { return program_.add_variables(dof_ + constraints_ + algebraic_); }
  Block first_part(const Block& y) const { return y.part(0, dof_); }
  Block multiplier_part(const Block& y) const { return y.part(dof_, constraints_); }
  Block algebraic_part(const Block& y) const { return y.part(dof_ + constraints_, algebraic_); }

  /// B x, and its dependence on the configuration: dΦ/dt for the velocity x less that for none.
  void add_gradient_times(const dae::State& state, const MotionBlocks& at, const Block& x,
                          std::span<const double> values, double factor, Relation& relation) {
    MotionPoint with = point(state), without = point(state);
    std::copy_n(values.begin(), dof_, with.v().begin());
    std::fill_n(without.v().begin(), dof_, 0.0);
    MotionBlocks blocks = at, none = at;
    blocks.v = x;
    none.v = {};
    relation.terms.push_back(element_term(ElementFunction::kConstraints, with, blocks, constraints_,
                                          constraints_, dof_, factor));
    relation.terms.push_back(element_term(ElementFunction::kConstraints, without, none,
                                          constraints_, constraints_, dof_, -factor));
  }

  /// q(p)∘exp(δ) and v(p) + δv.
  void add_initial_values(const dae::State& state, const Block& dq, const Block& dv, bool given,
                          MotionBlocks& at) {
    const Block of_parameters = program_.add_variables(2 * dof_);
    Relation relation{.y = of_parameters};
    if (system_.initial_function() != nullptr && !given) {
      relation.terms.push_back(initial_function(state));
    }
    program_.add(std::move(relation));
    const NodeFunction f{.vectors = 2, .evaluate = [](const lie::GroupList& node, Tapes x, Tapes) {
                           const int dof = node.dof();
                           std::vector<Taped> q(index(node.num_coeffs())), delta(index(dof));
                           node.exp<Taped>(slice(x, dof, 0), q);
                           node.plus<Taped>(q, slice(x, dof, 1), q);
                           node.log<Taped>(q, delta);
                           return delta;
                         }};
    at.q = program_.add_variables(dof_);
    program_.add({.y = at.q,
                  .terms = {{.function = node_sum(system_.configuration_space(), "moved_start", f),
                             .numbers = Vector(index(2 * dof_), 0.0),
                             .arguments = {{0, of_parameters.part(0, dof_)}, {dof_, dq}},
                             .num_values = dof_}}});
    at.v = program_.add_variables(dof_);
    program_.add(
        {.y = at.v, .linear_terms = {{of_parameters.part(dof_, dof_), 0, 1.0}, {dv, 0, 1.0}}});
  }

  /// Parameters → (log(q_0⁻¹∘q(p)), v(p)).
  Term initial_function(const dae::State& state) const {
    const std::vector<int>& chosen = system_.initial_parameters();
    const lie::GroupList& space = system_.configuration_space();
    Vector at;
    for (const int i : chosen) at.push_back(system_.parameters()[index(i)].value);
    const Vector q0 = system_.initial_configuration(), v0 = system_.initial_velocity();
    const ad::Recording recording = ad::record(
        {.name = "initial values", .variables = static_cast<int>(chosen.size()), .at = at},
        [&](Tapes x, Tapes) {
          std::vector<Taped> q(q0.begin(), q0.end()), v(v0.begin(), v0.end());
          std::vector<Taped> base(state.q.begin(), state.q.end()), delta(v.size());
          (*system_.initial_function())(x, q, v);
          space.minus<Taped>(q, base, delta);
          delta.insert(delta.end(), v.begin(), v.end());
          return delta;
        });
    const KernelSum::Local local = LocalFunction::term(std::make_shared<const LocalFunction>(
        recording, std::vector<int>(), ad::Backend::kInterpreted));
    auto sum = std::make_shared<KernelSum>(static_cast<int>(system_.parameters().size()), 2 * dof_);
    std::vector<int> read;
    for (const int input : local.inputs) read.push_back(chosen[index(input)]);
    sum->add_term(sum->add_function(local), read, chosen, ad::range(0, 2 * dof_));
    return {.function = sum,
            .numbers = system_.parameter_values(),
            .arguments = {{0, p_}},
            .first_value = 0,
            .num_values = 2 * dof_};
  }

  /// M x + Bᵀν + … = 0 for the first part x of y, with further parts, and its other parts.
  void add_normal_terms(const dae::State& state, const MotionBlocks& at, const Block& y,
                        const std::vector<std::pair<Block, double>>& further,
                        std::span<const double> values, Relation& relation) {
    MotionPoint here = point(state);
    // In the order of MotionLayout::Rates.
    std::copy(values.begin(), values.end(), here.rates().begin() + 2 * dof_);
    MotionBlocks blocks = at;
    blocks.rates.v_dot = first_part(y);
    blocks.rates.lambda = multiplier_part(y);
    blocks.rates.s = algebraic_part(y);
    const std::size_t first = relation.terms.size();
    add_motion_terms(ElementFunction::kRate, here, blocks, relation);
    for (std::size_t i = first; i < relation.terms.size(); ++i) {
      for (const auto& [block, factor] : further) {
        relation.terms[i].arguments.push_back({layout_.rates.v_dot, block, factor});
      }
    }
  }

  /// As Consistency projects: when accelerations and multipliers are not yet known.
  static dae::State before_accelerations(dae::State state) {
    for (Vector* list : {&state.v_dot, &state.lambda, &state.s}) {
      std::fill(list->begin(), list->end(), 0.0);
    }
    return state;
  }

  /// q_1 = q_0∘exp(x) with M x + Bᵀν = 0 and Φ(q_1) = 0. In the chart x is the difference of both but for a
  /// commutator, which has second derivatives only: it is taken from a first solution without it.
  void project_position(const dae::State& state, MotionBlocks& at) {
    const Block given = at.q, first = projected_position(state, at, {{given, -1.0}});
    const NodeFunction f{.vectors = 2, .evaluate = [](const lie::GroupList& node, Tapes x, Tapes) {
                           const int dof = node.dof();
                           std::vector<Taped> from(index(node.num_coeffs())), to = from,
                                                                              result(index(dof));
                           node.exp<Taped>(slice(x, dof, 0), from);
                           node.exp<Taped>(slice(x, dof, 1), to);
                           node.minus<Taped>(to, from, result);
                           for (std::size_t i = 0; i < index(dof); ++i) {
                             result[i] -= x[index(dof) + i] - x[i];
                           }
                           return result;
                         }};
    const Block commutator = program_.add_variables(dof_);
    program_.add({.y = commutator,
                  .terms = {{.function = node_sum(system_.configuration_space(), "commutator", f),
                             .numbers = Vector(index(2 * dof_), 0.0),
                             .arguments = {{0, given}, {dof_, first}},
                             .num_values = dof_}}});
    at.q = projected_position(state, at, {{given, -1.0}, {commutator, 1.0}});
  }
  Block projected_position(const dae::State& state, const MotionBlocks& at,
                           const std::vector<std::pair<Block, double>>& further) {
    Relation relation{.y = add_unknowns()};
    const Vector at_rest(index(relation.y.count), 0.0);
    const dae::State here = before_accelerations(state);
    add_normal_terms(here, at, relation.y, further, at_rest, relation);
    MotionBlocks moved = at;
    moved.q = first_part(relation.y);
    relation.terms.push_back(
        element_term(ElementFunction::kConstraints, point(here), moved, 0, constraints_, dof_));
    set_matrix(here, relation);
    program_.add(std::move(relation));
    return moved.q;
  }

  /// The same for dΦ/dt.
  void project_velocity(const dae::State& state, MotionBlocks& at) {
    Relation relation{.y = add_unknowns()};
    const Vector at_rest(index(relation.y.count), 0.0);
    const dae::State here = before_accelerations(state);
    add_normal_terms(here, at, relation.y, {{at.v, -1.0}}, at_rest, relation);
    at.v = first_part(relation.y);
    relation.terms.push_back(element_term(ElementFunction::kConstraints, point(here), at,
                                          constraints_, constraints_, dof_));
    set_matrix(here, relation);
    program_.add(std::move(relation));
  }

  /// Equations (19).
  void add_accelerations(const dae::State& state, MotionBlocks& at) {
    Relation relation{.y = add_unknowns()};
    at.v_dot = first_part(relation.y);
    at.lambda = multiplier_part(relation.y);
    at.s = algebraic_part(relation.y);
    add_motion_terms(ElementFunction::kStep, point(state), at, relation);
    if (constraints_ > 0) {
      relation.terms.push_back(
          element_term(ElementFunction::kAcceleration, point(state), at, 0, constraints_, dof_));
    }
    set_matrix(state, relation);
    program_.add(std::move(relation));
  }

  /// The time derivative of (19) for v̈.
  Known add_jerk(const dae::State& state, const MotionBlocks& at) {
    Relation relation{.y = add_unknowns()};
    const Vector jerk = consistency_.jerk(state);
    MotionPoint here = point(state);
    auto rate = here.rates().begin();
    rate = std::copy(state.v.begin(), state.v.end(), rate);
    rate = std::copy(state.v_dot.begin(), state.v_dot.end(), rate);
    rate = std::copy(jerk.begin(), jerk.end(), rate);
    *rate = 1;
    MotionBlocks blocks = at;
    blocks.rates = {rate_of_chart(state, at), at.v_dot, first_part(relation.y),
                    multiplier_part(relation.y), algebraic_part(relation.y)};
    add_motion_terms(ElementFunction::kRate, here, blocks, relation);
    if (constraints_ > 0) {
      relation.terms.push_back(
          element_term(ElementFunction::kJerk, point(state), at, 0, constraints_, dof_));
      add_gradient_times(state, at, first_part(relation.y), jerk, 1, relation);
    }
    set_matrix(state, relation);
    program_.add(relation);
    return {first_part(relation.y), Vector(jerk.begin(), jerk.begin() + dof_)};
  }

  /// δ' = T⁻¹(δ) v, the rate of change of a chart.
  Block rate_of_chart(const dae::State& state, const MotionBlocks& at) {
    const NodeFunction f{.vectors = 2, .evaluate = [](const lie::GroupList& node, Tapes x, Tapes) {
                           const int dof = node.dof();
                           std::vector<Taped> rate(index(dof));
                           node.apply_tangent_operator_inverse<Taped>(slice(x, dof, 0),
                                                                      slice(x, dof, 1), rate);
                           return rate;
                         }};
    Vector numbers(index(dof_), 0.0);
    numbers.insert(numbers.end(), state.v.begin(), state.v.end());
    const Block y = program_.add_variables(dof_);
    program_.add({.y = y,
                  .terms = {{.function = node_sum(system_.configuration_space(), "chart_rate", f),
                             .numbers = numbers,
                             .arguments = {{0, at.q}, {dof_, at.v}},
                             .num_values = dof_}}});
    return y;
  }

  /// The difference quotient of Table 1 of [ArnoldCardonaBruels2015].
  Known add_jerk_by_difference(const dae::State& state, double h, const MotionBlocks& at) {
    const Block jerk = program_.add_variables(dof_);
    Known result{jerk, Vector(index(dof_), 0.0)};
    Block difference = program_.add_variables(dof_);
    Relation quotient{.y = difference};
    for (const double side : {1.0, -1.0}) {
      const double tau = side * dae::kStartingSpan * h;
      const dae::State beside = dae::state_beside(state, tau, consistency_);
      MotionBlocks there = at;
      there.q = move_beside(state, tau, side, at);
      there.v = scaled_sum(at.v, at.v_dot, state.v_dot, h, side * dae::kStartingSpan);
      there.time = program_.add_variables(1);
      program_.add(
          {.y = there.time, .linear_terms = {{t_, 0, 1.0}, {h_, 0, side * dae::kStartingSpan}}});
      add_accelerations(beside, there);
      quotient.linear_terms.push_back({there.v_dot, 0, side});
      for (std::size_t i = 0; i < index(dof_); ++i) {
        result.values[i] += beside.v_dot[i] * side / (2 * dae::kStartingSpan * h);
      }
    }
    program_.add(std::move(quotient));
    program_.add({.y = jerk, .terms = {quotient_by_step(difference, result.values, h)}});
    return result;
  }

  /// q_0∘exp(τv + τ²/2 v̇) in the chart around its value.
  Block move_beside(const dae::State& state, double tau, double side, const MotionBlocks& at) {
    const NodeFunction f{
        .vectors = 3,
        .scalars = 1,
        .data_vectors = 1,
        .data_scalars = 1,
        .evaluate = [](const lie::GroupList& node, Tapes x, Tapes d) {
          const int dof = node.dof();
          const Taped span = x[index(3 * dof)] * d[index(dof)];
          std::vector<Taped> theta, group(index(node.num_coeffs())), moved = group, base = group,
                                                                     delta(index(dof));
          for (std::size_t i = 0; i < index(dof); ++i) {
            theta.push_back(span * x[index(dof) + i] + 0.5 * span * span * x[index(2 * dof) + i]);
          }
          node.exp<Taped>(slice(x, dof, 0), group);
          node.plus<Taped>(group, theta, moved);
          node.exp<Taped>(slice(d, dof, 0), base);
          node.minus<Taped>(moved, base, delta);
          return delta;
        }};
    Vector numbers(index(dof_), 0.0);
    numbers.insert(numbers.end(), state.v.begin(), state.v.end());
    numbers.insert(numbers.end(), state.v_dot.begin(), state.v_dot.end());
    numbers.push_back(tau / (side * dae::kStartingSpan));
    for (std::size_t i = 0; i < index(dof_); ++i) {
      numbers.push_back(tau * state.v[i] + 0.5 * tau * tau * state.v_dot[i]);
    }
    numbers.push_back(side * dae::kStartingSpan);
    const Block y = program_.add_variables(dof_);
    program_.add(
        {.y = y,
         .terms = {{.function = node_sum(system_.configuration_space(), "beside", f),
                    .numbers = numbers,
                    .arguments = {{0, at.q}, {dof_, at.v}, {2 * dof_, at.v_dot}, {3 * dof_, h_}},
                    .num_values = dof_}}});
    return y;
  }

  /// x / (2 s h).
  Term quotient_by_step(const Block& x, const Vector& quotient, double h) const {
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
    const double factor = 2 * dae::kStartingSpan;
    Vector numbers;
    for (const double value : quotient) numbers.push_back(value * factor * h);
    numbers.insert(numbers.end(), {h, factor});
    return {.function = node_sum(system_.configuration_space(), "quotient", f),
            .numbers = numbers,
            .arguments = {{0, x}, {dof_, h_}},
            .num_values = dof_};
  }

  /// base + c·scale·x, where scale is the variable in the place of h.
  Block scaled_sum(const Block& base, const Block& x, const Vector& values, double scale,
                   double factor) {
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
    Vector numbers(values.begin(), values.begin() + dof_);
    numbers.insert(numbers.end(), {scale, factor});
    const Block y = program_.add_variables(dof_);
    program_.add({.y = y,
                  .terms = {{.function = node_sum(system_.configuration_space(), "scaled", f),
                             .numbers = numbers,
                             .arguments = {{0, x}, {dof_, h_}},
                             .num_values = dof_}},
                  .linear_terms = {{base, 0, 1.0}}});
    return y;
  }

  /// Table 2 of [ArnoldCardonaBruels2015]: v_0 moves by the part of h²(C_q v̈ + c v̂v̇) that constraints feel.
  Block correct_velocity(const dae::State& state, double h, const Known& jerk,
                         const MotionBlocks& at) {
    const NodeFunction f{.vectors = 3,
                         .scalars = 1,
                         .data_scalars = 2,
                         .evaluate = [](const lie::GroupList& node, Tapes x, Tapes d) {
                           const int dof = node.dof();
                           const Taped& step = x[index(3 * dof)];
                           std::vector<Taped> result(index(dof));
                           node.apply_ad<Taped>(slice(x, dof, 0), slice(x, dof, 1), result);
                           for (std::size_t i = 0; i < index(dof); ++i) {
                             result[i] =
                                 step * step * (d[0] * x[index(2 * dof) + i] + d[1] * result[i]);
                           }
                           return result;
                         }};
    const dae::AlphaParameters& p = options_.method.parameters;
    const double c_q = p.c_q(), commutator = p.commutator_coefficient(options_.method.sigma);
    Vector numbers = state.v, error(index(dof_));
    numbers.insert(numbers.end(), state.v_dot.begin(), state.v_dot.end());
    numbers.insert(numbers.end(), jerk.values.begin(), jerk.values.end());
    numbers.insert(numbers.end(), {h, c_q, commutator});
    const Block e = program_.add_variables(dof_);
    program_.add(
        {.y = e,
         .terms = {
             {.function = node_sum(system_.configuration_space(), "local_error", f),
              .numbers = numbers,
              .arguments = {{0, at.v}, {dof_, at.v_dot}, {2 * dof_, jerk.block}, {3 * dof_, h_}},
              .num_values = dof_}}});
    system_.configuration_space().apply_ad<double>(state.v, state.v_dot, error);
    for (std::size_t i = 0; i < error.size(); ++i) {
      error[i] = h * h * (c_q * jerk.values[i] + commutator * error[i]);
    }
    const Vector solution = consistency_.normal_part(state, error);
    Relation relation{.y = add_unknowns()};
    add_normal_terms(state, at, relation.y, {}, solution, relation);
    add_gradient_times(state, at, first_part(relation.y), solution, 1, relation);
    add_gradient_times(state, at, e, error, -1, relation);
    set_matrix(state, relation);
    const Block x = first_part(relation.y);
    program_.add(std::move(relation));
    const Block v = program_.add_variables(dof_);
    program_.add({.y = v, .linear_terms = {{at.v, 0, 1.0}, {x, 0, 1.0}}});
    return v;
  }

  /// v + (r² - 1) x, where x is the part of v that violates dΦ/dt = 0.
  Block rescale_normal_velocity(const dae::State& state, double ratio, const MotionBlocks& at) {
    const Vector solution =
        consistency_.normal_velocity(state, consistency_.velocity_residual(state));
    Relation relation{.y = add_unknowns()};
    const Block x = first_part(relation.y);
    add_normal_terms(state, at, relation.y, {}, solution, relation);
    add_gradient_times(state, at, x, solution, 1, relation);
    relation.terms.push_back(element_term(ElementFunction::kConstraints, point(state), at,
                                          constraints_, constraints_, dof_, -1));
    set_matrix(state, relation);
    program_.add(std::move(relation));
    const Block square = scaled_sum({}, x, solution, ratio, 1);
    Vector scaled(index(dof_));
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] = ratio * solution[i];
    const Block minus = program_.add_variables(dof_);
    program_.add({.y = minus, .linear_terms = {{at.v, 0, 1.0}, {x, 0, -1.0}}});
    return scaled_sum(minus, square, scaled, ratio, 1);
  }

  const dae::System& system_;
  dae::AlphaOptions options_;
  Vector controls_;
  MotionLayout layout_;
  StateLayout state_;
  OuterLayout outer_;
  int dof_, constraints_, algebraic_;
  dae::Consistency consistency_;
  Program program_;
  ProgramDerivative::Links links_;
  Block p_, u_, t_, h_;
  std::map<ElementFunction, std::shared_ptr<KernelSum>> sums_;
};

}  // namespace

std::unique_ptr<Derivative> start_derivative(const dae::System& system,
                                             const dae::IntegrateOptions& options,
                                             const StartMade& start) {
  dae::AlphaOptions alpha = options.alpha;
  // Other methods start from consistent values.
  if (options.method != dae::Method::kAlpha) alpha.start = dae::StartingValues::kClassical;
  return Builder(system, alpha, start.controls)
      .start(start.consistent, start.h, options.initial.has_value());
}

std::unique_ptr<Derivative> step_change_derivative(const dae::System& system,
                                                   const dae::AlphaOptions& options,
                                                   const dae::State& state,
                                                   std::span<const double> controls, double ratio) {
  return Builder(system, options, controls).change(state, ratio);
}

}  // namespace liegrad::sensitivity
