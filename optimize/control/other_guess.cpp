#include "liegrad/control/other_guess.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {
namespace {

using dae::index;

constexpr int kWaves = 3;

/// Where a phase is guessed to end: at what is fixed there, else where it starts.
std::vector<double> end_of(const Problem& problem, std::vector<double> start) {
  const lie::GroupList& space = problem.system().configuration_space();
  const std::vector<bool>& fixed = problem.end_position_fixed();
  for (int node = 0; node < space.size(); ++node) {
    const auto first = fixed.begin() + space.dof_offset(node);
    if (std::find(first, first + space.group(node).dof(), true) ==
        first + space.group(node).dof()) {
      continue;
    }
    std::copy_n(problem.end_configuration().begin() + space.coeff_offset(node),
                space.group(node).num_coeffs(), start.begin() + space.coeff_offset(node));
  }
  return start;
}

Problem guessed_from(const Problem& problem, const std::vector<double>& start,
                     std::mt19937& random) {
  std::uniform_real_distribution<double> draw(-1, 1);
  Problem other = problem;
  const dae::Model& system = problem.system();
  for (std::size_t i = 0; i < system.controls().size(); ++i) {
    const Interval& bounds = problem.control_bounds()[i];
    const bool has_bounds = std::isfinite(bounds.lower) && std::isfinite(bounds.upper);
    const double middle = has_bounds ? 0.5 * (bounds.lower + bounds.upper) : 0;
    const double reach = has_bounds ? 0.5 * (bounds.upper - bounds.lower) : 1;
    const double value = middle + 0.5 * reach * draw(random);
    other.set_control_guess(system.controls()[i], std::clamp(value, bounds.lower, bounds.upper));
  }
  if (problem.has_free_horizon()) {
    const Interval& bounds = problem.horizon_bounds();
    other.set_free_horizon(
        std::clamp(problem.horizon() * std::exp2(draw(random)), bounds.lower, bounds.upper),
        bounds);
  }
  std::vector<double> sizes(index(kWaves * system.dof()));
  for (double& size : sizes) size = draw(random);
  other.set_guess([&space = system.configuration_space(), own = problem.guess(), sizes, start,
                   end = end_of(problem, start)](double s) {
    std::vector<double> q(start.size()), away(index(space.dof()), 0.0), result(start.size());
    if (own) {
      q = own(s);
    } else {
      space.interpolate<double>(start, end, s, q);
    }
    for (std::size_t i = 0; i < away.size(); ++i) {
      for (int k = 0; k < kWaves; ++k) {
        away[i] +=
            sizes[i * kWaves + index(k)] / (k + 1) * std::sin((k + 1) * std::numbers::pi * s);
      }
    }
    space.plus<double>(q, away, result);
    return result;
  });
  return other;
}

}  // namespace

Problem with_other_guess(const Problem& problem, unsigned number) {
  std::mt19937 random(number);
  return guessed_from(problem, problem.system().initial_configuration(), random);
}

PhasedProblem with_other_guess(const PhasedProblem& problem, unsigned number) {
  std::mt19937 random(number);
  PhasedProblem other = problem;
  std::vector<double> start;
  for (int k = 0; k < problem.size(); ++k) {
    const Problem& phase = problem.phase(k).problem;
    start = k == 0 ? phase.system().initial_configuration() : problem.link(k).start_behind(start);
    other.set_problem(k, guessed_from(phase, start, random));
    start = end_of(phase, std::move(start));
  }
  return other;
}

}  // namespace liegrad::control
