#include "liegrad/control/mesh.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {
namespace {

using dae::index;

constexpr double kShareToSplit = 1.0 / 3;
constexpr double kErrorToSplit = 0.1;
/// Of neighbouring steps, with rounding.
constexpr double kLargestRatio = 2.001;

/// The second derivative of v̇_i at a point between others.
double curvature(const dae::State& before, const dae::State& at, const dae::State& after,
                 std::size_t i) {
  const double left = (at.v_dot[i] - before.v_dot[i]) / (at.t - before.t);
  const double right = (after.v_dot[i] - at.v_dot[i]) / (after.t - at.t);
  return 2 * (right - left) / (after.t - before.t);
}

}  // namespace

std::vector<double> step_errors(const Solution& solution) {
  const std::vector<GridState>& states = solution.states;
  const std::size_t steps = states.size() - 1;
  double scale = 0;
  for (const dae::State& state : states) scale = std::max(scale, dae::max_of(state.v));
  if (scale == 0) scale = 1;
  std::vector<double> curvatures(states.size(), 0.0), errors(steps);
  for (std::size_t n = 1; n < steps; ++n) {
    for (std::size_t i = 0; i < states[n].v_dot.size(); ++i) {
      curvatures[n] =
          std::max(curvatures[n], std::abs(curvature(states[n - 1], states[n], states[n + 1], i)));
    }
  }
  for (std::size_t n = 0; n < steps; ++n) {
    const double h = states[n + 1].t - states[n].t;
    errors[n] = h * h * h / 12 * std::max(curvatures[n], curvatures[n + 1]) / scale;
  }
  return errors;
}

std::vector<double> finer_mesh(const Solution& solution) {
  const std::vector<double> errors = step_errors(solution);
  const std::size_t steps = errors.size();
  std::vector<double> sorted = errors;
  const auto rank =
      static_cast<std::ptrdiff_t>(std::floor((1 - kShareToSplit) * static_cast<double>(steps)));
  std::nth_element(sorted.begin(), sorted.begin() + rank, sorted.end());
  const double largest = *std::max_element(errors.begin(), errors.end());
  const double limit = std::min(sorted[index(static_cast<int>(rank))], kErrorToSplit * largest);

  std::vector<double> lengths(steps);
  std::vector<bool> splits(steps);
  for (std::size_t n = 0; n < steps; ++n) {
    lengths[n] = solution.states[n + 1].t - solution.states[n].t;
    splits[n] = errors[n] >= limit;
  }
  const auto length = [&](std::size_t n) { return splits[n] ? 0.5 * lengths[n] : lengths[n]; };
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t n = 0; n < steps; ++n) {
      const double before = n > 0 ? length(n - 1) : length(n);
      const double after = n + 1 < steps ? length(n + 1) : length(n);
      if (splits[n] || lengths[n] <= kLargestRatio * std::min(before, after)) continue;
      splits[n] = changes = true;
    }
  }

  const double begin = solution.states.front().t, duration = solution.states.back().t - begin;
  std::vector<double> mesh = {0};
  for (std::size_t n = 0; n < steps; ++n) {
    const double start = (solution.states[n].t - begin) / duration;
    const double end = n + 1 == steps ? 1 : (solution.states[n + 1].t - begin) / duration;
    if (splits[n]) mesh.push_back(0.5 * (start + end));
    mesh.push_back(end);
  }
  return mesh;
}

}  // namespace liegrad::control
