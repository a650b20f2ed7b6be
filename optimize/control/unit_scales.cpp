#include "liegrad/control/unit_scales.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {
namespace {

using dae::index;

/// Horizons and controls within these are left as they are.
constexpr Interval kUsualTimes = {1e-2, 1e2}, kUsualForces = {1e-3, 1e5};

double decade(double x) { return x > 0 ? std::pow(10.0, std::round(std::log10(x))) : 1.0; }
bool is_within(double x, const Interval& usual) { return x >= usual.lower && x <= usual.upper; }

/// Units of the unknowns of a point.
struct PointUnits {
  std::vector<double> units;
  std::vector<bool> is_force, is_acceleration;
};

PointUnits point_units(const Transcription& transcription, double tau) {
  const GridLayout& layout = transcription.layout();
  const dae::Model& system = transcription.problem().system();
  const int dof = system.dof(), multipliers = system.num_multipliers();
  const int controls = static_cast<int>(system.controls().size());
  PointUnits at{std::vector<double>(index(layout.width), 1.0),
                std::vector<bool>(index(layout.width), false),
                std::vector<bool>(index(layout.width), false)};
  const auto put = [&](int first, int count, double unit) {
    std::fill_n(at.units.begin() + first, count, unit);
  };
  const auto mark = [](std::vector<bool>& list, int first, int count) {
    std::fill_n(list.begin() + first, count, true);
  };
  const auto put_motion = [&](int v, int v_dot, int lambda, int control, int time) {
    put(v, dof, 1 / tau);
    put(v_dot, dof, 1 / (tau * tau));
    mark(at.is_acceleration, v_dot, dof);
    mark(at.is_force, lambda, multipliers);
    mark(at.is_force, control, controls);
    if (layout.has_times) put(time, 1, tau);
  };
  put_motion(layout.v, layout.v_dot, layout.lambda, layout.controls, layout.time);
  put(layout.a, dof, 1 / (tau * tau));
  put(layout.start_a, dof, 1 / (tau * tau));
  if (layout.controls > layout.stabilizer) put(layout.stabilizer, multipliers, 1 / tau);
  for (const GridLayout::Stage& stage : layout.stages) {
    put_motion(stage.v, stage.v_dot, stage.lambda, stage.controls, stage.time);
    put(stage.stabilizer, multipliers, 1 / tau);
  }
  return at;
}

/// The force that gives what an unknown acts on an acceleration of 1/τ², the largest one of all points.
void find_forces(const Transcription& transcription, const Nlp& nlp,
                 std::span<const double> jacobian, PointUnits& at) {
  const GridLayout& layout = transcription.layout();
  const int end = layout.at(layout.num_steps + 1, 0);
  std::vector<double> inertia(index(nlp.num_constraints()), 0.0);
  for (std::size_t k = 0; k < jacobian.size(); ++k) {
    const auto& [row, column] = nlp.jacobian_pattern()[k];
    const std::size_t offset = index(column % layout.width);
    if (column >= end || !at.is_acceleration[offset]) continue;
    inertia[index(row)] = std::max(inertia[index(row)], std::abs(jacobian[k]) * at.units[offset]);
  }
  std::vector<double> forces(index(layout.width), 0.0);
  for (std::size_t k = 0; k < jacobian.size(); ++k) {
    const auto& [row, column] = nlp.jacobian_pattern()[k];
    const std::size_t offset = index(column % layout.width);
    if (column >= end || !at.is_force[offset] || jacobian[k] == 0) continue;
    forces[offset] = std::max(forces[offset], inertia[index(row)] / std::abs(jacobian[k]));
  }
  for (std::size_t i = 0; i < forces.size(); ++i) {
    if (at.is_force[i]) at.units[i] = decade(forces[i]);
  }
  const std::vector<Interval>& bounds = transcription.problem().control_bounds();
  const auto use_bounds = [&](int first) {
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      const double largest = std::max(std::abs(bounds[k].lower), std::abs(bounds[k].upper));
      if (std::isfinite(largest)) at.units[index(first) + k] = decade(largest);
    }
  };
  use_bounds(layout.controls);
  for (const GridLayout::Stage& stage : layout.stages) use_bounds(stage.controls);
}

}  // namespace

UnitScales unit_scales(const Transcription& transcription, Nlp& nlp) {
  const GridLayout& layout = transcription.layout();
  const double horizon = transcription.problem().horizon(), tau = decade(horizon);
  PointUnits at = point_units(transcription, tau);
  std::vector<double> x = transcription.guess(), jacobian(nlp.jacobian_pattern().size());
  nlp.set_point(x);
  nlp.jacobian(jacobian);
  find_forces(transcription, nlp, jacobian, at);
  bool is_usual = is_within(horizon, kUsualTimes);
  const int num_controls = static_cast<int>(transcription.problem().system().controls().size());
  for (int k = 0; k < num_controls; ++k) {
    is_usual = is_usual && is_within(at.units[index(layout.controls + k)], kUsualForces);
  }
  if (is_usual || !std::all_of(jacobian.begin(), jacobian.end(),
                               [](double entry) { return std::isfinite(entry); })) {
    return {};
  }

  UnitScales scales;
  scales.variables.assign(x.size(), 1.0);
  for (int n = 0; n <= layout.num_steps; ++n) {
    for (int i = 0; i < layout.width; ++i) {
      scales.variables[index(layout.at(n, i))] = at.units[index(i)];
      const bool is_control = i >= layout.controls && i < layout.controls + num_controls;
      if (is_control) x[index(layout.at(n, i))] = at.units[index(i)];
    }
  }
  if (layout.horizon >= 0) scales.variables[index(layout.horizon)] = tau;
  scales.rows.assign(index(nlp.num_constraints()), 0.0);
  for (std::size_t k = 0; k < jacobian.size(); ++k) {
    const auto& [row, column] = nlp.jacobian_pattern()[k];
    double& largest = scales.rows[index(row)];
    largest = std::max(largest, std::abs(jacobian[k]) * scales.variables[index(column)]);
  }
  for (double& row : scales.rows) row = decade(row);
  std::vector<double> gradient(x.size());
  nlp.set_point(x);
  nlp.cost_gradient(gradient);
  double largest = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    largest = std::max(largest, std::abs(gradient[i]) * scales.variables[i]);
  }
  scales.cost = std::isfinite(largest) ? decade(largest) : 1;
  return scales;
}

}  // namespace liegrad::control
