// How large the terms are that elements add to equations, each element by itself.

#include <algorithm>
#include <cmath>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

void Assembly::measure_forces(std::span<double> force, std::span<double> inertia,
                              std::span<double> rates) {
  std::ranges::fill(force, 0.0);
  std::ranges::fill(inertia, 0.0);
  std::ranges::fill(rates, 0.0);
  for (const Chunk& chunk : chunks_) {
    Group& group = groups_[index(chunk.group)];
    load_and_call(group, *group.newton, chunk.first, chunk.count, Load::kForSteps);
    const ad::Pattern& entries = group.newton->layout().parts[1].pattern;
    const int dof = group.kind->dof(), velocities = group.in.multiplier_corrections;
    for (int lane = 0; lane < chunk.count; ++lane) {
      const int e = chunk.first + lane;
      const PlacedElement& element = system_->elements()[index(group.elements[index(e)])];
      const PlaceTable::Element row = group.rows_of_outputs.of(e);
      const double* const value = group.outputs.data() + lane;
      const double* const derivative = value + group.matrix_offset * group.lanes;
      for (int i = 0; i < group.rows.position; ++i) {
        force[index(motion_index(row[i]))] += std::abs(value[i * group.lanes]);
      }
      for (int i = group.rows.velocity; i < group.rows.num_outputs; ++i) {
        rates[index(element.first_multiplier + i - group.rows.velocity)] =
            std::abs(value[i * group.lanes]);
      }
      for (int i = 0; i < std::ssize(entries); ++i) {
        const auto& [output, variable] = entries[index(i)];
        if (output >= group.rows.position) continue;
        const double entry = derivative[i * group.lanes];
        if (variable >= velocities) {
          const int unknown = unknown_of(element, group, variable);
          const double balanced = unknown < algebraic_offset()
                                      ? multipliers_[index(unknown - multiplier_offset())]
                                      : algebraic_[index(unknown - algebraic_offset())];
          force[index(motion_index(row[output]))] += std::abs(entry * balanced);
        } else if (variable % dof == output) {
          inertia[index(row[output])] += entry;
        }
      }
    }
  }
  for (double& entry : inertia) entry = std::abs(entry);
}

Assembly::Products Assembly::measure_products(std::span<const double> x,
                                              std::span<const double> y) {
  of_x_.assign(index(size_), 0.0);
  of_y_.assign(index(size_), 0.0);
  for (const Chunk& chunk : chunks_) {
    Group& group = groups_[index(chunk.group)];
    load_and_call(group, *group.newton, chunk.first, chunk.count, Load::kForSteps);
    const ad::Pattern& entries = group.newton->layout().parts[1].pattern;
    const int dof = group.kind->dof(), num_rows = group.rows.num_outputs, lanes = group.lanes;
    // Those of the chunk side by side, and what they add up to.
    products_.assign(index(2 * (dof + num_rows) * lanes), 0.0);
    double* const own_x = products_.data();
    double* const own_y = own_x + dof * lanes;
    double* const sum_x = own_y + dof * lanes;
    double* const sum_y = sum_x + num_rows * lanes;
    for (int lane = 0; lane < chunk.count; ++lane) {
      const PlaceTable::Element row = group.rows_of_outputs.of(chunk.first + lane);
      for (int i = 0; i < dof; ++i) {
        own_x[i * lanes + lane] = x[index(row[i])];
        own_y[i * lanes + lane] = y[index(row[i])];
      }
    }
    for (int i = 0; i < std::ssize(entries); ++i) {
      const auto& [output, variable] = entries[index(i)];
      if (variable >= group.in.multiplier_corrections) continue;
      const double* const entry = group.outputs.data() + (group.matrix_offset + i) * lanes;
      const int column = variable % dof * lanes, to = output * lanes;
      for (int lane = 0; lane < chunk.count; ++lane) {
        const double magnitude = std::abs(entry[lane]);
        sum_x[to + lane] += magnitude * own_x[column + lane];
        sum_y[to + lane] += magnitude * own_y[column + lane];
      }
    }
    for (int lane = 0; lane < chunk.count; ++lane) {
      const PlaceTable::Element row = group.rows_of_outputs.of(chunk.first + lane);
      for (int i = 0; i < num_rows; ++i) {
        of_x_[index(row[i])] += sum_x[i * lanes + lane];
        of_y_[index(row[i])] += sum_y[i * lanes + lane];
      }
    }
  }
  return {of_x_, of_y_};
}

}  // namespace liegrad::dae
