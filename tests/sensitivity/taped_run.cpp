#include "taped_run.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <Eigen/LU>

#include "liegrad/dae/equations/taped_step.hpp"
#include "liegrad/dae/system/element_functions.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;
using dae::index;
using dae::Taped;
using Tapes = std::vector<Taped>;
using Span = std::span<const Taped>;
using Equations = std::function<Tapes(Span)>;

std::vector<double> values_of(Span x) {
  std::vector<double> values;
  for (const Taped& entry : x) values.push_back(CppAD::Value(CppAD::Var2Par(entry)));
  return values;
}
Tapes constants(std::span<const double> x) { return {x.begin(), x.end()}; }
Tapes joined(std::initializer_list<Span> parts) {
  Tapes all;
  for (const Span& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Solutions z of equations R(z; x) = 0 as functions of x.
///
/// The run is computed twice. In the first pass all numbers are constants: Newton's method finds z_0, with the
/// matrix J that CppAD gives. In the second pass x is recorded, and z_0 - J⁻¹R(z_0; x) has the derivative of
/// the solution, as R(z_0) = 0; the same once more removes what rounding leaves.
class ImplicitFunctions {
 public:
  void record() { recording_ = true; }

  Tapes solve(std::span<const double> guess, const Equations& equations) {
    if (!recording_) roots_.push_back(find(guess, equations));
    const Root& root = roots_[recording_ ? next_++ : roots_.size() - 1];
    Tapes z(root.z.begin(), root.z.end());
    for (int i = 0; i < 2; ++i) {
      const Tapes residual = equations(z);
      for (std::size_t k = 0; k < z.size(); ++k) {
        for (std::size_t j = 0; j < z.size(); ++j) {
          z[k] -= root.inverse(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)) *
                  residual[j];
        }
      }
    }
    return z;
  }

 private:
  struct Root {
    std::vector<double> z;
    Eigen::MatrixXd inverse;
  };

  static Root find(std::span<const double> guess, const Equations& equations) {
    constexpr int kMaxIterations = 20;
    Root root{{guess.begin(), guess.end()}, {}};
    const Eigen::Index n = std::ssize(guess);
    for (int i = 0; i < kMaxIterations; ++i) {
      Tapes z(root.z.begin(), root.z.end());
      CppAD::Independent(z);
      Tapes residual = equations(z);
      CppAD::ADFun<double> tape(z, residual);
      const std::vector<double> at = root.z, all = tape.Jacobian(at);
      Eigen::MatrixXd jacobian(n, n);
      for (Eigen::Index k = 0; k < n * n; ++k)
        jacobian(k / n, k % n) = all[static_cast<std::size_t>(k)];
      root.inverse = jacobian.inverse();
      const std::vector<double> right = tape.Forward(0, at);
      const Eigen::VectorXd step =
          root.inverse * Eigen::Map<const Eigen::VectorXd>(right.data(), n);
      for (std::size_t k = 0; k < root.z.size(); ++k)
        root.z[k] -= step(static_cast<Eigen::Index>(k));
      if (step.cwiseAbs().maxCoeff() <= 1e-9 * std::max(1.0, dae::max_of(root.z))) return root;
    }
    throw Error("the equations of a taped run were not solved");
  }

  bool recording_ = false;
  std::vector<Root> roots_;
  std::size_t next_ = 0;
};

/// A system at one time, and what else its equations depend on.
struct TapedState {
  Taped t;
  Tapes q, v, v_dot, a, lambda, s, parameters, controls;
};

/// The inputs of an element's functions, see dae::ElementInputs, with corrections of zero.
Tapes element_inputs(const dae::System& system, const dae::PlacedElement& element,
                     const TapedState& at) {
  const dae::ElementKind& kind = system.kind_of(element);
  const dae::ElementInputs in = kind.inputs({});
  const lie::GroupList& space = system.configuration_space();
  Tapes x(index(in.num_inputs), Taped(0));
  for (std::size_t k = 0; k < element.nodes.size(); ++k) {
    const int node = element.nodes[k];
    const lie::NodeGroup& group = space.group(node);
    dae::NodeView::of<Taped>(group, Span(at.q).subspan(index(space.coeff_offset(node))),
                             std::span(x).subspan(index(in.nodes[k].view)));
    std::copy_n(at.v.begin() + space.dof_offset(node), group.dof(), x.begin() + in.nodes[k].v);
    std::copy_n(at.v_dot.begin() + space.dof_offset(node), group.dof(),
                x.begin() + in.nodes[k].v_dot);
    dae::set_identity_map(group, x.data() + in.nodes[k].map);
  }
  const dae::ElementShape& shape = kind.shape();
  std::copy_n(at.lambda.begin() + element.first_multiplier, shape.constraints,
              x.begin() + in.multipliers);
  auto next = x.begin() + in.multipliers + shape.constraints;
  for (const int i : element.multipliers_read) *next++ = at.lambda[index(i)];
  std::copy_n(at.s.begin() + element.first_algebraic, shape.algebraic, x.begin() + in.algebraic);
  next = x.begin() + in.parameters;
  for (const int i : element.parameters) *next++ = at.parameters[index(i)];
  next = x.begin() + in.controls;
  for (const int i : element.controls) *next++ = at.controls[index(i)];
  x[index(in.time)] = at.t;
  return x;
}

/// The sums that the equations of a system consist of, at a state.
struct Rows {
  Tapes motion, algebraic;                 ///< M v̇ + g + Bᵀλ, h_s
  Tapes position, velocity, acceleration;  ///< Φ, dΦ/dt, d²Φ/dt²
};
Rows rows_at(const dae::System& system, const TapedState& at) {
  const lie::GroupList& space = system.configuration_space();
  Rows sum{Tapes(index(system.dof()), Taped(0)), {}, {}, {}, {}};
  sum.algebraic.resize(index(system.num_algebraic()));
  for (Tapes* const rows : {&sum.position, &sum.velocity, &sum.acceleration}) {
    rows->resize(index(system.num_multipliers()));
  }
  constexpr dae::ConstraintRows kAll = {.position = true, .velocity = true};
  for (const dae::PlacedElement& element : system.elements()) {
    const dae::ElementKind& kind = system.kind_of(element);
    const dae::ElementInputs in = kind.inputs({});
    const dae::ElementFunctions functions(kind, in);
    const Tapes x = element_inputs(system, element, at);
    const Tapes out = functions.step(x, kAll);
    std::size_t next = 0;
    for (const int node : element.nodes) {
      for (int k = 0; k < space.group(node).dof(); ++k) {
        sum.motion[index(space.dof_offset(node) + k)] += out[next++];
      }
    }
    for (int i = 0; i < kind.shape().algebraic; ++i) {
      sum.algebraic[index(element.first_algebraic + i)] = out[next++];
    }
    if (kind.shape().constraints == 0) continue;
    const Tapes accelerations = functions.constraint_derivative(x, 2);
    for (int i = 0; i < kind.shape().constraints; ++i) {
      const std::size_t row = index(element.first_multiplier + i);
      sum.position[row] = out[next + index(i)];
      sum.velocity[row] = out[next + index(kind.shape().constraints + i)];
      sum.acceleration[row] = accelerations[index(i)];
    }
  }
  return sum;
}

/// All outputs but the residuals, in the order of dae::Outputs.
Tapes outputs_at(const dae::System& system, const TapedState& at) {
  Tapes out;
  const auto put = [&out](const auto& numbers) {
    out.insert(out.end(), std::begin(numbers), std::end(numbers));
  };
  const lie::GroupList& space = system.configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    const lie::NodeGroup& group = space.group(i);
    const Span q = Span(at.q).subspan(index(space.coeff_offset(i)), index(group.num_coeffs()));
    const Span v = Span(at.v).subspan(index(space.dof_offset(i)), index(group.dof()));
    const Span v_dot = Span(at.v_dot).subspan(index(space.dof_offset(i)), index(group.dof()));
    if (system.nodes()[index(i)].first_order) {
      put(v);
      put(v_dot);
      continue;
    }
    switch (group.kind) {
      case lie::GroupKind::kRn:
        put(q);
        put(v);
        put(v_dot);
        break;
      case lie::GroupKind::kSO2:
        put(std::array<Taped, 3>{CppAD::atan2(q[1], q[0]), v[0], v_dot[0]});
        break;
      case lie::GroupKind::kSE2: {
        // u = U z and u' = (U' + i ω U) z with complex numbers z = (q1, q2), U = (v2, v3).
        const std::array<Taped, 2> u = {q[0] * v[1] - q[1] * v[2], q[1] * v[1] + q[0] * v[2]};
        put(q.subspan(2, 2));
        put(std::array<Taped, 2>{CppAD::atan2(q[1], q[0]), v[0]});
        put(u);
        put(std::array<Taped, 3>{v_dot[0], q[0] * v_dot[1] - q[1] * v_dot[2] - v[0] * u[1],
                                 q[1] * v_dot[1] + q[0] * v_dot[2] + v[0] * u[0]});
        break;
      }
      case lie::GroupKind::kSO3:
      case lie::GroupKind::kSO3xR3:
      case lie::GroupKind::kSE3: {
        const auto rotation =
            lie::SO3<Taped>::from_coeffs(lie::Vec<Taped, 4>(q[0], q[1], q[2], q[3]));
        const bool turns_only = group.kind == lie::GroupKind::kSO3;
        if (!turns_only) put(q.subspan(4, 3));
        put(rotation.quaternion());
        put(v.first(3));
        if (turns_only) {
          put(v_dot);
          break;
        }
        lie::Vec<Taped, 3> u(v[3], v[4], v[5]), u_dot(v_dot[3], v_dot[4], v_dot[5]);
        if (group.kind == lie::GroupKind::kSE3) {
          // With the angular velocity in the inertial frame: u' = R U' + ω × u.
          const lie::Mat<Taped, 3> turn = rotation.matrix();
          const lie::Vec<Taped, 3> omega = turn * lie::Vec<Taped, 3>(v[0], v[1], v[2]);
          u = (turn * u).eval();
          u_dot = (turn * u_dot + lie::rotation::cross<Taped>(omega, u)).eval();
        }
        put(u);
        put(v_dot.first(3));
        put(u_dot);
        break;
      }
    }
  }
  // Kinetic and potential energy, linear and angular momentum.
  Tapes sums(index(dae::ObservableRows::kOutputs), Taped(0));
  bool has_energy = false, has_momentum = false;
  for (const dae::PlacedElement& element : system.elements()) {
    const dae::ElementKind& kind = system.kind_of(element);
    const dae::ElementInputs in = kind.inputs({});
    const Tapes observed = dae::ElementFunctions(kind, in)
                               .observables(element_inputs(system, element, at));
    put(Span(at.lambda).subspan(index(element.first_multiplier), index(kind.shape().constraints)));
    put(Span(at.s).subspan(index(element.first_algebraic), index(kind.shape().algebraic)));
    put(Span(observed).subspan(sums.size()));
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += observed[i];
    has_energy |= kind.model().has_kinetic_energy() || kind.model().has_potential_energy();
    has_momentum |= kind.model().has_momentum();
  }
  if (has_energy) put(std::array<Taped, 3>{sums[0] + sums[1], sums[0], sums[1]});
  if (has_momentum) put(Span(sums).subspan(2));
  return out;
}

/// d/dτ f(x + τ direction) for recorded numbers of both, where f was recorded before.
Tapes derivative_along(CppAD::ADFun<Taped, double>& f, const Tapes& x, const Tapes& direction) {
  f.Forward(0, x);
  return f.Forward(1, direction);
}

class Simulation {
 public:
  Simulation(const dae::System& system, const dae::IntegrateOptions& options,
             const TapedVariables& variables, const std::vector<TapedReading>& readings)
      : system_(system), options_(options), variables_(variables), outputs_(system) {
    dae::IntegrateOptions run = options;
    run.sample_interval = 0;
    run.keep_samples = true;
    run.alpha.consistency.project = true;
    run.on_start = [this](const dae::State&, double h) { first_step_known_ = h; };
    solution_ = dae::integrate(system, run);
    if (solution_.summary.termination != dae::Termination::kReachedEnd) {
      throw Error("the run to be taped failed: " + solution_.summary.message);
    }
    for (const TapedReading& reading : readings) {
      readings_.push_back({outputs_.column(reading.column), reading.t});
    }
  }

  TapedRun run() {
    const Tapes start = initial_variables();
    simulate(start);
    implicit_.record();
    Tapes x = start;
    CppAD::Independent(x);
    Tapes y = simulate(x);
    CppAD::ADFun<double> tape(x, y);
    TapedRun result;
    result.operations = tape.size_op();
    const std::vector<double> at = values_of(start), values = tape.Forward(0, at);
    result.values = Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values));
    result.jacobian.resize(std::ssize(y), std::ssize(x));
    for (std::size_t i = 0; i < y.size(); ++i) {
      std::vector<double> weights(y.size(), 0.0);
      weights[i] = 1;
      const std::vector<double> gradient = tape.Reverse(1, weights);
      result.jacobian.row(static_cast<Eigen::Index>(i)) =
          Eigen::Map<const Eigen::RowVectorXd>(gradient.data(), std::ssize(gradient));
    }
    return result;
  }

 private:
  struct Reading {
    int column;
    std::optional<double> t;
  };

  const dae::State& state(std::size_t n) const { return solution_.samples[n]; }
  std::size_t num_steps() const { return solution_.samples.size() - 1; }
  std::size_t dof() const { return index(system_.dof()); }
  std::size_t constraints() const { return index(system_.num_multipliers()); }
  const dae::AlphaMethod& method() const { return options_.alpha.method; }

  // Variables.

  std::vector<double> controls_at(double t) const {
    std::vector<double> controls(system_.controls().size(), 0.0);
    if (options_.controls) options_.controls(t, controls);
    return controls;
  }

  Tapes initial_variables() const {
    Tapes x;
    for (const std::string& name : variables_.parameters) x.emplace_back(system_.parameter(name));
    if (variables_.initial_configuration) x.insert(x.end(), dof(), Taped(0));
    if (variables_.initial_velocity) x.insert(x.end(), dof(), Taped(0));
    if (variables_.t_end) x.emplace_back(options_.t_end);
    if (variables_.step) x.emplace_back(options_.step);
    if (!variables_.controls) return x;
    for (std::size_t n = 0; n <= num_steps(); ++n) {
      for (const double control : controls_at(state(n).t)) x.emplace_back(control);
    }
    return x;
  }

  void read_variables(const Tapes& x) {
    parameters_ = constants(system_.parameter_values());
    std::size_t next = 0;
    for (const std::string& name : variables_.parameters) {
      parameters_[index(system_.parameter_index(name))] = x[next++];
    }
    const auto take = [&](bool chosen, Tapes& numbers) {
      for (Taped& number : numbers) number = chosen ? x[next++] : number;
    };
    initial_shift_.assign(dof(), Taped(0));
    initial_push_ = initial_shift_;
    take(variables_.initial_configuration, initial_shift_);
    take(variables_.initial_velocity, initial_push_);
    const Taped t_end = variables_.t_end ? x[next++] : Taped(options_.t_end);
    const Taped step = variables_.step ? x[next++] : Taped(options_.step);
    set_steps(t_end, step);
    controls_.clear();
    for (std::size_t n = 0; n <= num_steps(); ++n) {
      controls_.push_back(constants(controls_at(state(n).t)));
      take(variables_.controls, controls_.back());
    }
  }

  /// The end of the run stretches all steps alike; a last shorter one makes up for fixed ones.
  void set_steps(const Taped& t_end, const Taped& step) {
    const double interval = options_.t_end - options_.t_start;
    const Taped stretch = (t_end - options_.t_start) / interval;
    steps_.clear();
    for (std::size_t n = 1; n <= num_steps(); ++n) steps_.emplace_back(state(n).step);
    first_step_ = first_step_known_;
    if (!options_.adaptive) {
      first_step_ = step;
      Taped rest = interval;
      for (Taped& length : steps_) {
        const bool is_rest = length < options_.step * (1 - 1e-9);
        length = is_rest ? rest : step;
        rest -= step;
      }
    }
    first_step_ *= stretch;
    for (Taped& length : steps_) length *= stretch;
  }

  // The run.

  Tapes simulate(const Tapes& x) {
    read_variables(x);
    TapedState now = start();
    Tapes values(readings_.size());
    Taped before = first_step_;
    for (std::size_t n = 0; n < num_steps(); ++n) {
      if (state(n + 1).step != (n == 0 ? first_step_known_ : state(n).step)) {
        change_step(steps_[n] / before, now);
      }
      const TapedState end = step(n, now);
      for (std::size_t i = 0; i < readings_.size(); ++i) {
        const std::optional<double>& t = readings_[i].t;
        const std::size_t column = index(readings_[i].column);
        if (t && *t > state(n).t && *t <= state(n + 1).t) {
          values[i] = outputs_at(system_, between(now, end, steps_[n], *t))[column];
        } else if (!t && n + 1 == num_steps()) {
          values[i] = outputs_at(system_, end)[column];
        }
      }
      now = end;
      before = steps_[n];
    }
    return values;
  }

  TapedState step(std::size_t n, const TapedState& now) {
    const dae::State& known = state(n + 1);
    const bool stabilized = options_.alpha.formulation == Formulation::kStabilized;
    dae::TapedStep taped{.h = steps_[n],
                         .t_end = now.t + steps_[n],
                         .start = {now.q, now.v, now.v_dot, now.a},
                         .parameters = parameters_,
                         .controls = controls_[n + 1],
                         .delta_q = {},
                         .lambda = {},
                         .s = {},
                         .eta = {}};
    const auto set_unknowns = [&](Span z) {
      const auto part = [&z](std::size_t count) {
        const Span first = z.first(count);
        z = z.subspan(count);
        return Tapes(first.begin(), first.end());
      };
      taped.delta_q = part(dof());
      taped.lambda = part(constraints());
      taped.s = part(now.s.size());
      taped.eta = part(z.size());
    };
    std::vector<double> guess = known.increment;
    guess.insert(guess.end(), known.lambda.begin(), known.lambda.end());
    guess.insert(guess.end(), known.s.begin(), known.s.end());
    if (stabilized) guess.insert(guess.end(), known.eta.begin(), known.eta.end());
    dae::StepEnd<Taped> end;
    const auto residual = [&](Span z) {
      set_unknowns(z);
      return taped.residual(system_, options_.alpha.formulation, method(), end);
    };
    set_unknowns(implicit_.solve(guess, residual));
    taped.residual(system_, options_.alpha.formulation, method(), end);
    return {taped.t_end,  end.q,   end.v,       end.v_dot,       end.a,
            taped.lambda, taped.s, parameters_, controls_[n + 1]};
  }

  /// The velocity x across the constraints with B x = y, from K (x, ν, σ) = (0, y, 0), where K is the
  /// derivative of (19) by (v̇, λ, s): M x + Bᵀν = 0 where forces do not depend on λ.
  Tapes normal_velocity(const TapedState& at, const Tapes& y) {
    const std::size_t unknowns = dof() + constraints() + at.s.size();
    if (!balance_) record_balance(at);
    const Tapes x = balance_inputs(at);
    Tapes direction(x.size(), Taped(0));
    Tapes solution = implicit_.solve(std::vector<double>(unknowns, 0.0), [&](Span z) {
      std::copy(z.begin(), z.end(), direction.begin());
      Tapes result = derivative_along(*balance_, x, direction);
      for (std::size_t i = 0; i < y.size(); ++i) result[dof() + i] -= y[i];
      return result;
    });
    solution.resize(dof());
    return solution;
  }

  void change_step(const Taped& ratio, TapedState& now) {
    for (std::size_t i = 0; i < dof(); ++i) {
      now.a[i] = now.v_dot[i] + ratio * (now.a[i] - now.v_dot[i]);
    }
    if (options_.alpha.formulation != Formulation::kIndex3 || constraints() == 0) return;
    const Tapes normal = normal_velocity(now, rows_at(system_, now).velocity);
    for (std::size_t i = 0; i < dof(); ++i) now.v[i] += (ratio * ratio - 1.0) * normal[i];
  }

  // The start.

  TapedState start() {
    TapedState now{Taped(options_.t_start),
                   {},
                   {},
                   Tapes(dof(), Taped(0)),
                   {},
                   Tapes(constraints(), Taped(0)),
                   Tapes(index(system_.num_algebraic()), Taped(0)),
                   parameters_,
                   controls_[0]};
    set_initial_values(now);
    if (constraints() > 0) project(now);
    const dae::State& known = state(0);
    std::vector<double> guess = known.v_dot;
    guess.insert(guess.end(), known.lambda.begin(), known.lambda.end());
    guess.insert(guess.end(), known.s.begin(), known.s.end());
    set_accelerations(guess, now);
    now.a = now.v_dot;
    if (options_.alpha.start != dae::StartingValues::kClassical) set_starting_values(guess, now);
    return now;
  }

  void set_initial_values(TapedState& now) const {
    const dae::InitialValues given = options_.initial.value_or(
        dae::InitialValues{system_.initial_configuration(), system_.initial_velocity()});
    now.q = constants(given.q);
    now.v = constants(given.v);
    if (!options_.initial && system_.initial_function() != nullptr) {
      Tapes chosen;
      for (const int i : system_.initial_parameters()) chosen.push_back(parameters_[index(i)]);
      (*system_.initial_function())(Span(chosen), std::span(now.q), std::span(now.v));
    }
    system_.configuration_space().plus<Taped>(now.q, initial_shift_, now.q);
    for (std::size_t i = 0; i < dof(); ++i) now.v[i] += initial_push_[i];
  }

  /// Back to Φ = 0 and dΦ/dt = 0 along M⁻¹Bᵀ. Where both hold to rounding the first derivative of the
  /// projection is that of one iteration, in which M and B are as good as constant.
  void project(TapedState& now) {
    Tapes shift = normal_velocity(now, rows_at(system_, now).position);
    for (Taped& entry : shift) entry = -entry;
    system_.configuration_space().plus<Taped>(now.q, shift, now.q);
    const Tapes push = normal_velocity(now, rows_at(system_, now).velocity);
    for (std::size_t i = 0; i < dof(); ++i) now.v[i] -= push[i];
  }

  /// Equations (19).
  Tapes balance(const TapedState& at) const {
    const Rows rows = rows_at(system_, at);
    return joined({rows.motion, rows.acceleration, rows.algebraic});
  }

  static void put(Span z, TapedState& at) {
    const auto take = [&z](Tapes& part) {
      std::copy_n(z.begin(), part.size(), part.begin());
      z = z.subspan(part.size());
    };
    take(at.v_dot);
    take(at.lambda);
    take(at.s);
  }

  void set_accelerations(std::span<const double> guess, TapedState& at) {
    const Tapes z = implicit_.solve(guess, [&](Span unknowns) {
      put(unknowns, at);
      return balance(at);
    });
    put(z, at);
  }

  /// Tables 1 and 2 of [ArnoldCardonaBruels2015]; the factor of the commutator is that of
  /// [HolzingerArnoldGerstmayr2025, Eq. (40)].
  void set_starting_values(std::span<const double> guess, TapedState& now) {
    const Tapes jerk = options_.alpha.start == dae::StartingValues::kCorrected
                           ? jerk_by_ad(now)
                           : jerk_by_difference(guess, now);
    const dae::AlphaParameters& p = method().parameters;
    const Taped h = first_step_;
    for (std::size_t i = 0; i < dof(); ++i) now.a[i] += p.delta_alpha() * h * jerk[i];
    if (options_.alpha.formulation != Formulation::kIndex3 || constraints() == 0) return;
    Tapes bracket(dof());
    system_.configuration_space().apply_ad<Taped>(now.v, now.v_dot, bracket);
    const double factor = (1.0 / 3 - method().sigma * p.beta / p.gamma) / 4;
    TapedState along = now, still = now;
    for (std::size_t i = 0; i < dof(); ++i) {
      along.v[i] = h * h * (p.c_q() * jerk[i] + factor * bracket[i]);
      still.v[i] = 0;
    }
    Tapes felt = rows_at(system_, along).velocity;
    const Tapes zero = rows_at(system_, still).velocity;
    for (std::size_t i = 0; i < felt.size(); ++i) felt[i] -= zero[i];
    const Tapes correction = normal_velocity(now, felt);
    for (std::size_t i = 0; i < dof(); ++i) now.v[i] += correction[i];
  }

  Tapes jerk_by_difference(std::span<const double> guess, const TapedState& now) {
    constexpr double kSpan = 0.1;  // s of Table 1
    Tapes jerk(dof(), Taped(0));
    for (const double side : {1.0, -1.0}) {
      const Taped tau = side * kSpan * first_step_;
      TapedState beside = now;
      Tapes theta(dof());
      for (std::size_t i = 0; i < dof(); ++i) {
        theta[i] = tau * now.v[i] + 0.5 * tau * tau * now.v_dot[i];
        beside.v[i] += tau * now.v_dot[i];
      }
      beside.t += tau;
      system_.configuration_space().plus<Taped>(now.q, theta, beside.q);
      set_accelerations(guess, beside);
      for (std::size_t i = 0; i < dof(); ++i) {
        jerk[i] += side * beside.v_dot[i] / (2 * kSpan * first_step_);
      }
    }
    return jerk;
  }

  /// v̈ from d/dτ of (19) along q∘exp(τv), v + τv̇, t + τ, (v̇, λ, s) + τ(v̈, λ', s'). The equations were
  /// recorded in the first pass as a function of all of these; here that tape is run on recorded numbers.
  Tapes jerk_by_ad(const TapedState& now) {
    const std::size_t unknowns = dof() + constraints() + now.s.size();
    if (!balance_) record_balance(now);
    const Tapes at = balance_inputs(now);
    Tapes rate = joined({Tapes(unknowns, Taped(0)), now.v, now.v_dot, Tapes{Taped(1)}});
    rate.resize(at.size(), Taped(0));
    Tapes solution = implicit_.solve(std::vector<double>(unknowns, 0.0), [&](Span z) {
      std::copy(z.begin(), z.end(), rate.begin());
      // A tape of another level, so that z may itself be recorded.
      return derivative_along(*balance_, at, rate);
    });
    solution.resize(dof());
    return solution;
  }

  /// The inputs of the recorded equations (19): v̇, λ, s, δ, v, t, q, parameters, controls.
  Tapes balance_inputs(const TapedState& at) const {
    return joined({at.v_dot, at.lambda, at.s, Tapes(dof(), Taped(0)), at.v, Tapes{at.t}, at.q,
                   at.parameters, at.controls});
  }

  /// Equations (19) at q∘exp(δ). Recorded in the first pass, in which all numbers are constants.
  void record_balance(const TapedState& now) {
    Tapes x = balance_inputs(now);
    CppAD::Independent(x);
    Span rest = x;
    const auto part = [&rest](std::size_t count) {
      const Span first = rest.first(count);
      rest = rest.subspan(count);
      return Tapes(first.begin(), first.end());
    };
    TapedState at;
    at.v_dot = part(dof());
    at.lambda = part(constraints());
    at.s = part(now.s.size());
    const Tapes delta = part(dof());
    at.v = part(dof());
    at.t = part(1)[0];
    at.q = part(now.q.size());
    at.parameters = part(now.parameters.size());
    at.controls = part(now.controls.size());
    system_.configuration_space().plus<Taped>(at.q, delta, at.q);
    Tapes rows = balance(at);
    const CppAD::ADFun<double> tape(x, rows);
    // CppAD's move constructor swaps with members that it has not set.
    balance_.emplace() = tape.base2ad();
  }

  /// The motion at a time in a step, as dae::DenseOutput has it.
  TapedState between(const TapedState& start, const TapedState& end, const Taped& h,
                     double t) const {
    const lie::GroupList& space = system_.configuration_space();
    const Taped x = (t - start.t) / h;
    Tapes theta(dof()), slope_end(dof()), second_end(dof()), at(dof()), slope(dof());
    space.minus<Taped>(end.q, start.q, theta);
    space.apply_tangent_operator_inverse<Taped>(theta, end.v, slope_end);
    // v̇ = T θ̈ + Ṫ θ̇.
    space.tangent_operator_derivative<Taped>(theta, slope_end, slope_end, second_end);
    for (std::size_t i = 0; i < dof(); ++i) second_end[i] = end.v_dot[i] - second_end[i];
    space.apply_tangent_operator_inverse<Taped>(theta, second_end, second_end);
    for (std::size_t i = 0; i < dof(); ++i) {
      // θ(x) = c1 x + … + c5 x⁵ with θ(1) and both derivatives at both ends given.
      const Taped c1 = h * start.v[i], c2 = 0.5 * h * h * start.v_dot[i];
      const Taped r0 = theta[i] - c1 - c2, r1 = h * slope_end[i] - c1 - 2.0 * c2;
      const Taped r2 = h * h * second_end[i] - 2.0 * c2;
      const Taped c3 = 10.0 * r0 - 4.0 * r1 + 0.5 * r2;
      const Taped c4 = -15.0 * r0 + 7.0 * r1 - r2;
      const Taped c5 = 6.0 * r0 - 3.0 * r1 + 0.5 * r2;
      at[i] = x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * c5))));
      slope[i] = (c1 + x * (2.0 * c2 + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))) / h;
    }
    TapedState result = end;
    result.t = t;
    space.plus<Taped>(start.q, at, result.q);
    space.apply_tangent_operator<Taped>(at, slope, result.v);
    for (std::size_t i = 0; i < dof(); ++i) {
      // The slope of the cubic polynomial that meets v and v̇.
      const Taped change = (end.v[i] - start.v[i]) / h;
      const Taped b2 = 3.0 * change - 2.0 * start.v_dot[i] - end.v_dot[i];
      const Taped b3 = start.v_dot[i] + end.v_dot[i] - 2.0 * change;
      result.v_dot[i] = start.v_dot[i] + x * (2.0 * b2 + 3.0 * x * b3);
    }
    const auto blend = [&x](const Tapes& a, const Tapes& b, Tapes& c) {
      for (std::size_t i = 0; i < c.size(); ++i) c[i] = (1.0 - x) * a[i] + x * b[i];
    };
    blend(start.lambda, end.lambda, result.lambda);
    blend(start.s, end.s, result.s);
    return result;
  }

  const dae::System& system_;
  const dae::IntegrateOptions& options_;
  const TapedVariables& variables_;
  dae::Outputs outputs_;
  std::vector<Reading> readings_;
  dae::Solution solution_;
  double first_step_known_ = 0;
  ImplicitFunctions implicit_;
  std::optional<CppAD::ADFun<Taped, double>> balance_;
  // Of the present pass.
  Tapes parameters_, initial_shift_, initial_push_, steps_;
  std::vector<Tapes> controls_;
  Taped first_step_;
};

}  // namespace

TapedRun taped_run(const dae::System& system, const dae::IntegrateOptions& options,
                   const TapedVariables& variables, const std::vector<TapedReading>& readings) {
  return Simulation(system, options, variables, readings).run();
}

}  // namespace liegrad::testing
