#include "liegrad/control/certificate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "liegrad/control/resimulation.hpp"
#include "liegrad/control/switching.hpp"
#include "liegrad/control/time_blocks.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {
namespace {

using dae::index;

/// Keeps the distance to a bound that is met within rounding from being zero.
constexpr double kSmallestSlack = 1e-12;
/// In place of the zeros of equations that may depend on each other.
constexpr std::array kRegularizations = {1e-8, 1e-10, 1e-12};

Interval counted_in(double unit, const Interval& given) {
  return {given.lower / unit, given.upper / unit};
}

}  // namespace

void find_inertia(Program& nlp, const Iterate& at, const StopRequest& stop,
                  Certificate& certificate) {
  const KktLayout layout(nlp);
  std::vector<int> rows, columns;
  std::vector<double> entries;
  const auto add = [&](int row, int column, double value) {
    rows.push_back(row);
    columns.push_back(column);
    entries.push_back(value);
  };
  nlp.set_point(at.x);
  std::vector<double> hessian(nlp.hessian_pattern().size()),
      jacobian(nlp.jacobian_pattern().size());
  std::vector<double> g(index(nlp.num_constraints()));
  nlp.hessian(1.0, at.multipliers, hessian);
  nlp.jacobian(jacobian);
  nlp.constraints(g);
  // The inertia is the same in all units, the digits that are left of it are not.
  const UnitScales& units = nlp.units;
  const auto unit = [&](int i) { return units.empty() ? 1.0 : units.variables[index(i)]; };
  const auto row_unit = [&](int i) { return units.empty() ? 1.0 : units.rows[index(i)]; };
  for (std::size_t k = 0; k < hessian.size(); ++k) {
    const auto& [i, j] = nlp.hessian_pattern()[k];
    const int row = layout.place[index(i)], column = layout.place[index(j)];
    if (row >= 0 && column >= 0) add(row, column, hessian[k] * unit(i) * unit(j) / units.cost);
  }
  for (std::size_t k = 0; k < jacobian.size(); ++k) {
    const auto& [i, j] = nlp.jacobian_pattern()[k];
    const int column = layout.place[index(j)];
    if (column >= 0) add(layout.num_free + i, column, jacobian[k] * unit(j) / row_unit(i));
  }
  for (int i = 0; i < nlp.num_variables(); ++i) {
    const int place = layout.place[index(i)];
    if (place < 0) continue;
    const double force = unit(i) / units.cost;
    add(place, place,
        barrier(at.x[index(i)] / unit(i), counted_in(unit(i), nlp.variable_interval(i)),
                at.lower_multipliers[index(i)] * force, at.upper_multipliers[index(i)] * force));
  }
  const std::size_t first_row = entries.size();
  for (int i = 0; i < layout.num_rows; ++i) {
    const Interval given = nlp.constraint_interval(i);
    if (given.is_point()) {
      add(layout.num_free + i, layout.num_free + i, 0);
      continue;
    }
    const double y = at.multipliers[index(i)] * row_unit(i) / units.cost;
    // A multiplier belongs to the upper bound where it is positive.
    const double sigma = barrier(g[index(i)] / row_unit(i), counted_in(row_unit(i), given),
                                 std::max(-y, 0.0), std::max(y, 0.0));
    add(layout.num_free + i, layout.num_free + i, -1 / std::max(sigma, 1e-12));
  }
  certificate.unknowns = layout.num_free;
  certificate.equations = layout.num_rows;
  TimeBlocks blocks(layout.stages, rows, columns, nlp.front_order());
  const auto is_minimum = [&] {
    certificate.zero = blocks.factorize(entries, stop) ? 0 : 1;
    certificate.negative = certificate.zero == 0 ? blocks.negative() : 0;
    certificate.positive =
        certificate.zero == 0 ? layout.num_free + layout.num_rows - certificate.negative : 0;
    return certificate.zero == 0 && certificate.negative == layout.num_rows;
  };
  certificate.local_minimum = is_minimum();
  if (certificate.local_minimum || stop.is_made()) return;
  // Equations that depend on each other make the matrix singular at a minimum too. With -ε in place of their zeros the
  // inertia is right if and only if W + Σ_x + JᵀJ/ε is positive definite, which suffices for a minimum whatever the rank
  // of J is, and which no ε makes true at a saddle.
  const Certificate found = certificate;
  for (const double epsilon : kRegularizations) {
    for (int i = 0; i < layout.num_rows; ++i) {
      if (nlp.constraint_interval(i).is_point()) entries[first_row + index(i)] = -epsilon;
    }
    certificate.local_minimum = is_minimum();
    certificate.dependent_equations = certificate.local_minimum;
    if (certificate.local_minimum || stop.is_made()) return;
  }
  // A matrix that is singular by itself is judged by the last ε.
  if (found.zero == 0) certificate = found;
}

void find_hamiltonian(Transcription& transcription, const Solution& solution,
                      Certificate& certificate) {
  certificate.hamiltonian = transcription.step_length_derivatives(solution.multipliers);
  if (certificate.hamiltonian.empty()) return;
  const auto [low, high] =
      std::minmax_element(certificate.hamiltonian.begin(), certificate.hamiltonian.end());
  certificate.hamiltonian_spread = *high - *low;
  certificate.hamiltonian_mean =
      std::accumulate(certificate.hamiltonian.begin(), certificate.hamiltonian.end(), 0.0) /
      static_cast<double>(certificate.hamiltonian.size());
}

double barrier(double x, const Interval& bounds, double lower_multiplier, double upper_multiplier) {
  double sum = 0;
  if (std::isfinite(bounds.lower)) {
    sum += std::abs(lower_multiplier) / std::max(x - bounds.lower, kSmallestSlack);
  }
  if (std::isfinite(bounds.upper)) {
    sum += std::abs(upper_multiplier) / std::max(bounds.upper - x, kSmallestSlack);
  }
  return sum;
}

Certificate certify(Transcription& transcription, Nlp& nlp, const Solution& solution,
                    const StopRequest& stop) {
  Certificate certificate;
  const Iterate at{solution.x, solution.multipliers, solution.lower_multipliers,
                   solution.upper_multipliers};
  find_inertia(nlp, at, stop, certificate);
  const LagrangianGradient gradient(nlp, at);
  find_switching(transcription, solution, gradient.values, gradient.sizes, certificate);
  if (!stop.is_made()) find_hamiltonian(transcription, solution, certificate);
  if (!stop.is_made()) resimulate(transcription, solution, stop, certificate);
  certificate.is_complete = !stop.is_made();
  return certificate;
}

}  // namespace liegrad::control
