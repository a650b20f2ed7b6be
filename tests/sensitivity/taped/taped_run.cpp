#include "taped_run.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "liegrad/dae/start/starting_values.hpp"
#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "support/taped_step.hpp"
#include "taped_balance.hpp"
#include "taped_dense_output.hpp"
#include "taped_munthe_kaas.hpp"
#include "taped_radau.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;
using dae::index;
using Span = TapeSpan;

class Simulation {
 public:
  Simulation(const dae::System& system, const dae::IntegrateOptions& options,
             const TapedVariables& variables, const std::vector<TapedReading>& readings)
      : system_(system),
        options_(options),
        variables_(variables),
        outputs_(system),
        balance_(system, implicit_) {
    dae::IntegrateOptions run = options;
    run.keep_samples = false;
    run.alpha.consistency.project = true;
    run.on_start = [this](const dae::MethodState& state, double h) {
      states_.push_back(state);
      first_step_known_ = h;
    };
    run.on_step = [this](const dae::MethodState& state) {
      states_.push_back(state);
      return true;
    };
    const dae::IntegrateSummary summary = dae::integrate(system, run).summary;
    if (summary.termination != dae::Termination::kReachedEnd) {
      throw Error("the run to be taped failed: " + summary.message);
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

  const dae::MethodState& state(std::size_t n) const { return states_[n]; }
  std::size_t num_steps() const { return states_.size() - 1; }
  std::size_t dof() const { return index(system_.dof()); }
  std::size_t constraints() const { return index(system_.num_multipliers()); }
  const dae::AlphaMethod& method() const { return options_.alpha.method; }
  bool is_radau() const { return options_.method == dae::Method::kRadau; }
  /// Its state is q and v: v̇, λ and s are those of (19) everywhere, and a change of the step changes nothing.
  bool is_runge_kutta() const { return is_radau() || options_.method == dae::Method::kMuntheKaas; }

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
      const double before_known = n == 0 ? first_step_known_ : state(n).step;
      if (!is_runge_kutta() && state(n + 1).step != before_known) {
        change_step(steps_[n] / before, now);
      }
      const TapedState end = is_runge_kutta() ? runge_kutta_step(n, now) : alpha_step(n, now);
      for (std::size_t i = 0; i < readings_.size(); ++i) {
        const std::optional<double>& t = readings_[i].t;
        const std::size_t column = index(readings_[i].column);
        if (t && *t > state(n).t && *t <= state(n + 1).t) {
          values[i] = outputs_at(system_, between(n, now, end, *t))[column];
        } else if (!t && n + 1 == num_steps()) {
          values[i] = outputs_at(system_, end)[column];
        }
      }
      now = end;
      before = steps_[n];
    }
    return values;
  }

  TapedState between(std::size_t n, const TapedState& now, const TapedState& end, double t) {
    TapedState there = taped_between(system_.configuration_space(), now, end, steps_[n], t);
    if (!is_runge_kutta()) return there;
    there.controls = controls_within(n, t);
    balance_.set_accelerations(guess_at(state(n + 1)), there);
    return there;
  }

  TapedState runge_kutta_step(std::size_t n, const TapedState& now) {
    const TapedStepEnd to{
        steps_[n], controls_[n + 1],
        [&](double c) { return controls_within(n, state(n).t + c * state(n + 1).step); },
        guess_at(state(n + 1))};
    return is_radau()
               ? taped_radau_step(system_, options_.radau.stages, now, to, implicit_, balance_)
               : taped_munthe_kaas_step(system_, options_.tableau, now, to, balance_);
  }

  /// They move with those at the end of the step.
  Tapes controls_within(std::size_t n, double t) const {
    Tapes controls = constants(controls_at(t));
    const std::vector<double> end = controls_at(state(n + 1).t);
    for (std::size_t i = 0; i < end.size(); ++i) controls[i] += controls_[n + 1][i] - end[i];
    return controls;
  }

  static std::vector<double> guess_at(const dae::State& known) {
    std::vector<double> guess = known.v_dot;
    guess.insert(guess.end(), known.lambda.begin(), known.lambda.end());
    guess.insert(guess.end(), known.s.begin(), known.s.end());
    return guess;
  }

  TapedState alpha_step(std::size_t n, const TapedState& now) {
    const dae::MethodState& known = state(n + 1);
    const dae::AlphaMemory<const double> memory = dae::alpha_memory(known);
    const bool stabilized = options_.alpha.formulation == Formulation::kStabilized;
    TapedStep taped{.h = steps_[n],
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
    std::vector<double> guess(memory.increment.begin(), memory.increment.end());
    guess.insert(guess.end(), known.lambda.begin(), known.lambda.end());
    guess.insert(guess.end(), known.s.begin(), known.s.end());
    if (stabilized) guess.insert(guess.end(), memory.eta.begin(), memory.eta.end());
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

  void change_step(const Taped& ratio, TapedState& now) {
    for (std::size_t i = 0; i < dof(); ++i) {
      now.a[i] = now.v_dot[i] + ratio * (now.a[i] - now.v_dot[i]);
    }
    if (options_.alpha.formulation != Formulation::kIndex3 || constraints() == 0) return;
    const Tapes normal = balance_.normal_velocity(now, rows_at(system_, now).velocity);
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
    const std::vector<double> guess = guess_at(state(0));
    balance_.set_accelerations(guess, now);
    now.a = now.v_dot;
    if (is_runge_kutta()) return now;
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
  /// projection is that of one iteration, in which M and B are as good as constant; otherwise more iterations lead there.
  void project(TapedState& now) {
    for (int i = 0; i < (options_.alpha.consistency.project ? 6 : 1); ++i) {
      Tapes shift = balance_.normal_velocity(now, rows_at(system_, now).position);
      for (Taped& entry : shift) entry = -entry;
      system_.configuration_space().plus<Taped>(now.q, shift, now.q);
    }
    const Tapes push = balance_.normal_velocity(now, rows_at(system_, now).velocity);
    for (std::size_t i = 0; i < dof(); ++i) now.v[i] -= push[i];
  }

  /// Tables 1 and 2 of [ArnoldCardonaBruels2015]; the factor of the commutator is that of
  /// [HolzingerArnoldGerstmayr2025, Eq. (40)].
  void set_starting_values(std::span<const double> guess, TapedState& now) {
    const Tapes jerk = options_.alpha.start == dae::StartingValues::kCorrected
                           ? balance_.jerk(now)
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
    const Tapes correction = balance_.normal_velocity(now, felt);
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
      balance_.set_accelerations(guess, beside);
      for (std::size_t i = 0; i < dof(); ++i) {
        jerk[i] += side * beside.v_dot[i] / (2 * kSpan * first_step_);
      }
    }
    return jerk;
  }

  const dae::System& system_;
  const dae::IntegrateOptions& options_;
  const TapedVariables& variables_;
  dae::Outputs outputs_;
  std::vector<Reading> readings_;
  std::vector<dae::MethodState> states_;
  double first_step_known_ = 0;
  ImplicitFunctions implicit_;
  TapedBalance balance_;
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
