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
  for (std::size_t n = 0; n < solution.states.size(); ++n) {
    const dae::State& state = solution.states[n];
    require("coefficients", state.q, system.configuration_space().num_coeffs());
    require("velocities", state.v, system.dof());
    require("accelerations", state.v_dot, system.dof());
    require("values of a", state.a, system.dof());
    require("multipliers", state.lambda, system.num_multipliers());
    require("algebraic unknowns", state.s, system.num_algebraic());
    require("controls", solution.controls[n], static_cast<int>(system.controls().size()));
  }
}

}  // namespace

void Transcription::start_from_guess() {
  references_ = first_references_;
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
                    solution.upper_multipliers.size() == guess_.size();
  const double horizon = layout_.horizon >= 0 ? duration : problem_.horizon();
  std::vector<double> delta(index(space.dof()));
  // Positions that were linear between points would ask the first steps for accelerations of the order of 1/h.
  dae::DenseOutput motion(space);
  dae::State at;
  for (int n = 0; n <= last; ++n) {
    const double t = begin + share(n) * duration;
    const auto [k, s] = solution.place(t);
    motion.set_step(solution.states[k], solution.states[k + 1]);
    motion.evaluate(t, at);
    const auto put = [&](int offset, const std::vector<double>& list) {
      std::copy(list.begin(), list.end(), guess_.begin() + layout_.at(n, offset));
    };
    if (n > 0 && (n < last || !keeps_end_reference())) references_[index(n)] = at.q;
    space.minus<double>(at.q, references_[index(n)], delta);
    put(layout_.q, delta);
    put(layout_.v, at.v);
    put(layout_.v_dot, at.v_dot);
    put(layout_.a, at.a);
    put(layout_.lambda, at.lambda);
    put(layout_.s, at.s);
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
