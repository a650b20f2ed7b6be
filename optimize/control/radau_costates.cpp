#include "liegrad/control/radau_costates.hpp"

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {

using dae::index;

/// The Lagrangian of all that follows a point is the cost to go from it, and of what follows only the relations of the next
/// step read its δ. At the last point the derivatives of what leads there are the same with the other sign.
std::vector<std::vector<double>> radau_costates(const Transcription& transcription, Nlp& nlp,
                                                const Solution& solution) {
  const GridLayout& layout = transcription.layout();
  const RowLayout& rows = transcription.rows();
  const lie::GroupList& space = transcription.problem().system().configuration_space();
  const int dof = space.dof(), last = layout.num_steps;
  std::vector<std::vector<double>> by_delta(index(last), std::vector<double>(index(dof), 0.0));
  nlp.set_point(solution.x);
  std::vector<double> entries(nlp.jacobian_pattern().size());
  nlp.jacobian(entries);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto& [constraint, column] = nlp.jacobian_pattern()[k];
    const int row = constraint + 1, point = column / layout.width, offset = column % layout.width;
    if (point < 1 || point > last || offset >= layout.q + dof) continue;
    const int step = point < last ? point + 1 : last;
    const int place = row - rows.step_to(step);
    if (place < 0 || place >= rows.step_size) continue;
    by_delta[index(point - 1)][index(offset)] +=
        (point < last ? 1 : -1) * entries[k] * solution.multipliers[index(constraint)];
  }
  // From q̄_n∘exp(δ_n + ε) to q_n∘exp(ε): by T⁻¹(δ_n).
  std::vector<std::vector<double>> costates = by_delta;
  std::vector<double> unit(index(dof)), moved(index(dof));
  for (int n = 1; n <= last; ++n) {
    const std::span<const double> delta =
        std::span(solution.x).subspan(index(layout.at(n, layout.q)), index(dof));
    for (std::size_t i = 0; i < unit.size(); ++i) {
      std::fill(unit.begin(), unit.end(), 0.0);
      unit[i] = 1;
      space.apply_tangent_operator_inverse<double>(delta, unit, moved);
      double sum = 0;
      for (std::size_t k = 0; k < moved.size(); ++k) sum += by_delta[index(n - 1)][k] * moved[k];
      costates[index(n - 1)][i] = sum;
    }
  }
  return costates;
}

}  // namespace liegrad::control
