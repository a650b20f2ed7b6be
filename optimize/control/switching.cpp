#include "liegrad/control/switching.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {
namespace {

using dae::index;

/// Of the largest term of a switching function: values below have no sign.
constexpr double kNoSign = 1e-6;

/// How far a control is from the bound that a switching function asks for, as a share of what it can move: S > 0 asks for
/// the lower bound, where the Hamiltonian is least, and S < 0 for the upper one. Where there is none it is 1.
double distance(double u, double largest, const Interval& bounds, double s) {
  const double gap = s > 0 ? u - bounds.lower : bounds.upper - u;
  if (!std::isfinite(gap)) return 1;
  const double range = bounds.upper - bounds.lower;
  return std::clamp(gap / (std::isfinite(range) ? range : std::max(largest, gap)), 0.0, 1.0);
}

/// What the control at a point is multiplied with in an integral over time: half of the steps at both sides, or the whole
/// step that it is constant in.
double weight(const Transcription& transcription, int point) {
  const int last = transcription.layout().num_steps;
  if (transcription.options().constant_controls) {
    return transcription.step_share(std::max(point, 1));
  }
  return 0.5 * ((point > 0 ? transcription.step_share(point) : 0) +
                (point < last ? transcription.step_share(point + 1) : 0));
}

}  // namespace

LagrangianGradient::LagrangianGradient(Program& program, const Iterate& at)
    : values(index(program.num_variables())), sizes(values.size()) {
  program.set_point(at.x);
  program.cost_gradient(values);
  for (std::size_t i = 0; i < values.size(); ++i) sizes[i] = std::abs(values[i]);
  std::vector<double> jacobian(program.jacobian_pattern().size());
  program.jacobian(jacobian);
  for (std::size_t k = 0; k < jacobian.size(); ++k) {
    const auto& [row, column] = program.jacobian_pattern()[k];
    const double term = jacobian[k] * at.multipliers[index(row)];
    values[index(column)] += term;
    sizes[index(column)] += std::abs(term);
  }
}

void find_switching(const Transcription& transcription, const Solution& solution,
                    std::span<const double> gradient, std::span<const double> sizes,
                    Certificate& certificate) {
  const GridLayout& layout = transcription.layout();
  const std::vector<Interval>& bounds = transcription.problem().control_bounds();
  const double horizon = solution.summary.t_end;
  certificate.switching.assign(solution.controls.size(), std::vector<double>(bounds.size()));
  certificate.switches.assign(bounds.size(), 0);
  certificate.switching_disagreement = 0;
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    double largest_term = 0, largest_control = 0;
    for (int n = 0; n <= layout.num_steps; ++n) {
      const std::size_t place = index(layout.at(n, layout.controls)) + k;
      const double w = horizon * weight(transcription, n);
      certificate.switching[index(n)][k] = gradient[place] / w;
      largest_term = std::max(largest_term, sizes[place] / w);
      largest_control = std::max(largest_control, std::abs(solution.controls[index(n)][k]));
    }
    // Constant controls of the start are those of the first step: one value, whose derivative is that of both.
    if (transcription.options().constant_controls) {
      certificate.switching[1][k] += certificate.switching[0][k];
      certificate.switching[0][k] = certificate.switching[1][k];
    }
    if (bounds[k].is_point() || largest_term == 0) continue;
    double last_sign = 0;
    for (int n = 0; n <= layout.num_steps; ++n) {
      const double s = certificate.switching[index(n)][k] / largest_term;
      certificate.switching_disagreement = std::max(
          certificate.switching_disagreement,
          std::abs(s) * distance(solution.controls[index(n)][k], largest_control, bounds[k], s));
      if (std::abs(s) < kNoSign) continue;
      if (last_sign * s < 0) ++certificate.switches[k];
      last_sign = s;
    }
  }
}

}  // namespace liegrad::control
