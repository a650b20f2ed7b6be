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

}  // namespace

Problem with_other_guess(const Problem& problem, unsigned number) {
  std::mt19937 random(number);
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
  other.set_guess([&space = system.configuration_space(), own = problem.guess(), sizes,
                   start = system.initial_configuration(),
                   end = problem.end_configuration()](double s) {
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

}  // namespace liegrad::control
