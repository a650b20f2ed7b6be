// Where a search begins that has a solution to begin with.

#include <algorithm>
#include <cmath>

#include "liegrad/control/transcription.hpp"
#include "liegrad/dae/run/dense_output.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

using dae::index;

std::vector<double> between(const std::vector<double>& a, const std::vector<double>& b, double s) {
  std::vector<double> list(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) list[i] = (1 - s) * a[i] + s * b[i];
  return list;
}

/// The motion of a solution at a time. Positions that were linear between points would ask the first steps for accelerations of
/// the order of 1/h.
dae::State state_at(const Solution& solution, double t, dae::DenseOutput& motion) {
  const std::size_t k = solution.place(t).step;
  const dae::State &start = solution.states[k], &end = solution.states[k + 1];
  dae::State state;
  motion.set_step(start, end, end.t - start.t);
  motion.evaluate(t, state);
  return state;
}

void check(const Problem& problem, const Solution& solution) {
  const dae::Model& system = problem.system();
  const auto refuse = [&](const std::string& what, std::size_t has, std::size_t needs) {
    throw InvalidArgument("problem '" + problem.name() +
                          "': the solution to start from is one of another system: it has " +
                          std::to_string(has) + " " + what + ", not " + std::to_string(needs));
  };
  if (solution.states.size() < 2) refuse("grid points", solution.states.size(), 2);
  if (solution.controls.size() != solution.states.size()) {
    refuse("points with controls", solution.controls.size(), solution.states.size());
  }
  if (solution.parameters.size() != system.parameters().size()) {
    refuse("parameters", solution.parameters.size(), system.parameters().size());
  }
  const auto require = [&](const std::string& what, const std::vector<double>& list, int needs) {
    if (list.size() != index(needs)) refuse(what, list.size(), index(needs));
  };
  const auto check_state = [&](const dae::State& state) {
    require("coefficients", state.q, system.configuration_space().num_coeffs());
    require("velocities", state.v, system.dof());
    require("accelerations", state.v_dot, system.dof());
    require("multipliers", state.lambda, system.num_multipliers());
    require("algebraic unknowns", state.s, system.num_algebraic());
  };
  for (std::size_t n = 0; n < solution.states.size(); ++n) {
    check_state(solution.states[n]);
    require("values of a", solution.states[n].a, system.dof());
    require("controls", solution.controls[n], static_cast<int>(system.controls().size()));
  }
  for (const std::vector<StageState>& step : solution.stages) {
    for (const StageState& stage : step) {
      check_state(stage);
      require("stabilising multipliers", stage.eta, system.num_multipliers());
    }
  }
}

}  // namespace

void Transcription::start_from_guess() {
  references_ = first_references_;
  stage_references_ = first_stage_references_;
  guess_ = first_guess_;
  use_references();
}

/// Whether a solution of as many points has them at the same shares of its horizon.
bool Transcription::has_times_of(const Solution& solution) const {
  const double begin = solution.states.front().t, duration = solution.states.back().t - begin;
  for (int n = 0; n <= layout_.num_steps; ++n) {
    const double t = solution.states[index(n)].t - begin;
    if (std::abs(t - share(n) * duration) > 1e-9 * duration) return false;
  }
  return true;
}

/// Whether a solution of as many points has as many stages of each step.
bool Transcription::has_stages_of(const Solution& solution) const {
  if (!has_stages()) return solution.stages.empty();
  return solution.stages.size() == radau_steps_.size() &&
         std::all_of(solution.stages.begin(), solution.stages.end(),
                     [&](const auto& list) { return list.size() == layout_.stages.size(); });
}

/// With the stages of the solution where it has the same unknowns; between its points otherwise.
void Transcription::start_stages_from(const Solution& solution, bool same) {
  const dae::Model& system = problem_.system();
  dae::DenseOutput motion(system.configuration_space());
  const double begin = solution.states.front().t, duration = solution.states.back().t - begin;
  const int last = options_.radau_stages - 1;
  for (int n = 1; n <= layout_.num_steps; ++n) {
    const double horizon = layout_.horizon >= 0 ? duration : problem_.horizon();
    for (int i = 0; i <= last; ++i) {
      const GridLayout::Stage& at = layout_.stages[index(i)];
      const auto put = [&](int offset, const std::vector<double>& list) {
        std::copy(list.begin(), list.end(), guess_.begin() + layout_.at(n, offset));
      };
      const StageState* const known = same ? &solution.stages[index(n - 1)][index(i)] : nullptr;
      dae::State between_points;
      if (!same) {
        between_points = state_at(solution, begin + stage_share(n, i) * duration, motion);
      }
      const dae::State& state = same ? static_cast<const dae::State&>(*known) : between_points;
      put(at.v_dot, state.v_dot);
      put(at.lambda, state.lambda);
      put(at.s, state.s);
      std::vector<double> eta(index(system.num_multipliers()), 0.0);
      for (std::size_t k = 0; same && k < eta.size(); ++k) eta[k] = known->step * known->eta[k];
      put(at.stabilizer, eta);
      if (i == last) break;
      stage_references_[index(n - 1)][index(i)] = state.q;
      put(at.q, std::vector<double>(index(system.dof()), 0.0));
      put(at.v, state.v);
      const double c = control_share(i);
      for (std::size_t k = 0; k < system.controls().size(); ++k) {
        const auto u = [&](int point) {
          return guess_[index(layout_.at(point, layout_.controls)) + k];
        };
        guess_[index(layout_.at(n, at.controls)) + k] = (1 - c) * u(n - 1) + c * u(n);
      }
      if (layout_.has_times) guess_[index(layout_.at(n, at.time))] = horizon * stage_share(n, i);
    }
  }
}

bool Transcription::start_from(const Solution& solution) {
  check(problem_, solution);
  const dae::Model& system = problem_.system();
  const lie::GroupList& space = system.configuration_space();
  const int last = layout_.num_steps;
  const double begin = solution.states.front().t, duration = solution.states.back().t - begin;
  const bool same = static_cast<int>(solution.states.size()) == last + 1 &&
                    has_times_of(solution) && solution.formulation == options_.formulation &&
                    solution.x.size() == guess_.size() &&
                    solution.multipliers.size() == index(rows_.size - 1) &&
                    solution.lower_multipliers.size() == guess_.size() &&
                    solution.upper_multipliers.size() == guess_.size() && has_stages_of(solution);
  const double horizon = layout_.horizon >= 0 ? duration : problem_.horizon();
  std::vector<double> delta(index(space.dof()));
  dae::DenseOutput motion(space);
  for (int n = 0; n <= last; ++n) {
    const double t = begin + share(n) * duration;
    const auto [k, s] = solution.place(t);
    const dae::State state = state_at(solution, t, motion);
    const auto put = [&](int offset, const std::vector<double>& list) {
      std::copy(list.begin(), list.end(), guess_.begin() + layout_.at(n, offset));
    };
    if (n > 0 && (n < last || !keeps_end_reference())) references_[index(n)] = state.q;
    space.minus<double>(state.q, references_[index(n)], delta);
    put(layout_.q, delta);
    put(layout_.v, state.v);
    if (!has_stages()) put(layout_.a, between(solution.states[k].a, solution.states[k + 1].a, s));
    put(layout_.v_dot, state.v_dot);
    put(layout_.lambda, state.lambda);
    put(layout_.s, state.s);
    put(layout_.controls, between(solution.controls[k], solution.controls[k + 1], s));
    if (layout_.has_times) guess_[index(layout_.at(n, layout_.time))] = horizon * share(n);
    for (int i = 0; layout_.rescales && i < system.dof(); ++i) {
      const double v_dot = guess_[index(layout_.at(n, layout_.v_dot + i))];
      guess_[index(layout_.at(n, layout_.start_a + i))] =
          v_dot +
          step_ratio(std::max(n, 1)) * (guess_[index(layout_.at(n, layout_.a + i))] - v_dot);
    }
    for (int i = layout_.stabilizer; i < layout_.controls; ++i) {
      const int variable = layout_.at(n, i);
      guess_[index(variable)] = same ? solution.x[index(variable)] : 0.0;
    }
  }
  if (has_stages()) start_stages_from(solution, same);
  if (layout_.horizon >= 0) guess_[index(layout_.horizon)] = horizon;
  share_periodic();
  int next = layout_.parameters;
  for (const auto& [parameter, bounds] : problem_.free_parameters()) {
    guess_[index(next++)] = solution.parameters[index(parameter)];
  }
  use_references();
  return same;
}

}  // namespace liegrad::control
