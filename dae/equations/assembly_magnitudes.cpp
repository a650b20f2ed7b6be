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
    const int dof = group.kind->dof(), lanes = group.lanes, num_rows = group.rows.position;
    const int first_other = group.in.multiplier_corrections;
    const int others = group.in.num_variables - first_other;
    // Those of the chunk side by side: what its multipliers and algebraic states are, forces, and inertias.
    products_.assign(index((others + num_rows + dof) * lanes), 0.0);
    double* const balanced = products_.data();
    double* const sum = balanced + others * lanes;
    double* const diagonal = sum + num_rows * lanes;
    for (int lane = 0; lane < chunk.count; ++lane) {
      const int e = chunk.first + lane;
      const PlacedElement& element = system_->elements()[index(group.elements[index(e)])];
      for (int i = 0; i < others; ++i) {
        const int unknown = unknown_of(element, group, first_other + i);
        balanced[i * lanes + lane] = unknown < algebraic_offset()
                                         ? multipliers_[index(unknown - multiplier_offset())]
                                         : algebraic_[index(unknown - algebraic_offset())];
      }
    }
    for (int i = 0; i < num_rows * lanes; ++i) sum[i] = std::abs(group.outputs[index(i)]);
    for (int i = 0; i < std::ssize(entries); ++i) {
      const auto& [output, variable] = entries[index(i)];
      if (output >= num_rows) continue;
      const double* const entry = group.outputs.data() + (group.matrix_offset + i) * lanes;
      if (variable >= first_other) {
        const double* const by = balanced + (variable - first_other) * lanes;
        for (int lane = 0; lane < chunk.count; ++lane) {
          sum[output * lanes + lane] += std::abs(entry[lane] * by[lane]);
        }
      } else if (variable % dof == output) {
        for (int lane = 0; lane < chunk.count; ++lane) {
          diagonal[output * lanes + lane] += entry[lane];
        }
      }
    }
    for (int lane = 0; lane < chunk.count; ++lane) {
      const PlaceTable::Element row = group.rows_of_outputs.of(chunk.first + lane);
      for (int i = 0; i < num_rows; ++i) {
        force[index(motion_index(row[i]))] += sum[i * lanes + lane];
      }
      for (int i = 0; i < dof; ++i) inertia[index(row[i])] += diagonal[i * lanes + lane];
      for (int i = group.rows.velocity; i < group.rows.num_outputs; ++i) {
        const int constraint = group.first_multipliers[index(chunk.first + lane)];
        rates[index(constraint + i - group.rows.velocity)] =
            std::abs(group.outputs[index(i * lanes + lane)]);
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
    for (const Group::MotionEntry& e : group.motion_entries) {
      const double* const entry = group.outputs.data() + e.place * lanes;
      const int column = e.coordinate * lanes, to = e.row * lanes;
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
