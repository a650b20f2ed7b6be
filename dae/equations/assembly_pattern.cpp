// Where the rows and unknowns of elements stand in those of the system, and the pattern that follows.

#include <algorithm>
#include <limits>
#include <utility>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/linear/small_blocks.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

int Assembly::row_of(const PlacedElement& element, const Group& group, int output) const {
  const ElementRows& rows = group.rows;
  if (output >= rows.velocity) {
    // Index 2 has these rows in place of the position constraints.
    const int first =
        formulation_ == Formulation::kIndex2 ? multiplier_offset() : stabilizer_offset();
    return first + element.first_multiplier + output - rows.velocity;
  }
  if (output >= rows.position) {
    return multiplier_offset() + element.first_multiplier + output - rows.position;
  }
  if (output >= rows.algebraic) {
    return algebraic_offset() + element.first_algebraic + output - rows.algebraic;
  }
  int dof = output;
  for (const int node : element.nodes) {
    const int count = system_->configuration_space().group(node).dof();
    if (dof < count) return system_->configuration_space().dof_offset(node) + dof;
    dof -= count;
  }
  return -1;
}

int Assembly::unknown_of(const PlacedElement& element, const Group& group, int variable) const {
  const ElementInputs& in = group.in;
  if (variable >= in.algebraic_corrections) {
    return algebraic_offset() + element.first_algebraic + variable - in.algebraic_corrections;
  }
  if (variable >= in.multiplier_corrections) {
    const int i = variable - in.multiplier_corrections;
    const int own = group.kind->shape().constraints;
    return multiplier_offset() +
           (i < own ? element.first_multiplier + i : element.multipliers_read[index(i - own)]);
  }
  return row_of(element, group, variable % group.kind->dof());
}

SparsePattern Assembly::collect_pattern() {
  blocks_ = block_structure();
  SparsePattern pattern{.size = size_, .blocks = blocks_};
  for (const Group& group : groups_) {
    for (const int e : group.elements) {
      const PlacedElement& element = system_->elements()[index(e)];
      for (const auto& [output, variable] : group.newton->layout().parts[1].pattern) {
        pattern.entries.emplace_back(row_of(element, group, output),
                                     unknown_of(element, group, variable));
      }
    }
  }
  if (form_.split) collect_stabilizer(pattern);
  return pattern;
}

void Assembly::collect_stabilizer(SparsePattern& pattern) {
  stabilizer_.emplace(*system_);
  for (Group& group : groups_) {
    find_stabilizer_entries(group);
    for (int e = 0; e < group.num_elements() && group.columns; ++e) {
      const PlacedElement& element = system_->elements()[index(group.elements[index(e)])];
      group.columns->for_each_entry(*stabilizer_, e, [&](int output, int multiplier) {
        pattern.entries.emplace_back(row_of(element, group, output),
                                     stabilizer_offset() + multiplier);
      });
    }
  }
}

/// Which derivatives of a group are by position, and which of these are B: those of Φ.
void Assembly::find_stabilizer_entries(Group& group) const {
  const ad::Pattern& entries = group.newton->layout().parts[1].pattern;
  std::vector<StabilizerColumns::Derivative> derivatives;
  for (int i = 0; i < std::ssize(entries); ++i) {
    const auto& [output, variable] = entries[index(i)];
    if (variable >= group.kind->dof()) continue;
    int node = 0, coordinate = variable;
    for (; coordinate >= group.kind->groups()[index(node)].dof(); ++node) {
      coordinate -= group.kind->groups()[index(node)].dof();
    }
    derivatives.push_back({node, output, coordinate, i});
    if (output >= group.rows.position && output < group.rows.velocity) {
      const int dof = group.kind->groups()[index(node)].dof();
      group.gradient.push_back({i, node, dof * (output - group.rows.position) + coordinate});
    }
  }
  if (derivatives.empty()) return;
  std::vector<std::vector<int>> nodes;
  for (const int e : group.elements) {
    const PlacedElement& element = system_->elements()[index(e)];
    nodes.push_back(element.nodes);
    for (const int node : element.nodes) {
      if (group.gradient.empty()) continue;
      group.first_numbers.push_back(stabilizer_->first_number(node, element.first_multiplier));
    }
  }
  group.columns.emplace(std::move(derivatives), nodes);
}

/// Blocks are the velocities of a node, rotation and position apart where they do not commute anyway, and the
/// multipliers of an element, with those that stabilise. A node without inertia, as joint coordinates
/// are, shares the block of the first constraint on it, or its own would be singular.
BlockStructure Assembly::block_structure() const {
  constexpr int kLargest = 6, kLargestTogether = 16;
  static_assert(3 * kLargestTogether <= small_blocks::kLargestBlock);
  BlockStructure blocks;
  blocks.block_of_unknown.assign(index(size_), -1);
  const auto add_block = [&blocks](int stage) {
    blocks.stages.push_back(stage);
    return static_cast<int>(blocks.stages.size()) - 1;
  };
  const auto add_blocks = [&](int first, int count, int largest, int stage) {
    for (int i = 0; i < count; ++i) {
      if (i % largest == 0) add_block(stage);
      blocks.block_of_unknown[index(first + i)] = static_cast<int>(blocks.stages.size()) - 1;
    }
  };
  const lie::GroupList& space = system_->configuration_space();
  std::vector<bool> is_inert(index(dof_), false);
  for (const Group& group : groups_) {
    const std::vector<bool> rows = group.kind->has_inertia();
    for (const int e : group.elements) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i]) continue;
        const PlacedElement& element = system_->elements()[index(e)];
        is_inert[index(row_of(element, group, static_cast<int>(i)))] = true;
      }
    }
  }
  std::vector<bool> has_inertia(index(space.size()), true);
  for (int node = 0; node < space.size(); ++node) {
    for (int i = 0; i < space.group(node).dof(); ++i) {
      has_inertia[index(node)] =
          has_inertia[index(node)] && is_inert[index(space.dof_offset(node) + i)];
    }
    if (!has_inertia[index(node)]) continue;
    const bool splits = space.group(node).kind == lie::GroupKind::kSO3xR3;
    add_blocks(space.dof_offset(node), space.group(node).dof(), splits ? 3 : kLargest, 0);
  }
  for (const PlacedElement& element : system_->elements()) {
    const ElementShape& shape = system_->kind_of(element).shape();
    add_blocks(algebraic_offset() + element.first_algebraic, shape.algebraic, kLargest, 0);
    const int multipliers = multiplier_offset() + element.first_multiplier;
    add_blocks(multipliers, shape.constraints, kLargest, 1);
    for (int i = 0; i < shape.constraints && form_.split; ++i) {
      blocks.block_of_unknown[index(stabilizer_offset() + element.first_multiplier + i)] =
          blocks.block_of_unknown[index(multipliers + i)];
    }
    if (shape.constraints == 0) continue;
    int size = std::min(shape.constraints, kLargest) * (form_.split ? 2 : 1);
    for (const int node : element.nodes) {
      const int first = space.dof_offset(node), dof = space.group(node).dof();
      if (has_inertia[index(node)] || dof > kLargest / 2 || size + dof > kLargestTogether ||
          blocks.block_of_unknown[index(first)] >= 0) {
        continue;
      }
      size += dof;
      std::fill_n(blocks.block_of_unknown.begin() + first, dof,
                  blocks.block_of_unknown[index(multipliers)]);
    }
  }
  // What is left has neither inertia nor constraints; the solver will say that it is singular.
  for (int& block : blocks.block_of_unknown) {
    if (block < 0) block = add_block(0);
  }
  return blocks;
}

void Assembly::find_positions() {
  for (Group& group : groups_) {
    const ad::Pattern& entries = group.newton->layout().parts[1].pattern;
    const auto position = [&](int e, int entry) {
      const PlacedElement& element = system_->elements()[index(group.elements[index(e)])];
      const auto& [output, variable] = entries[index(entry)];
      return matrix_->position(row_of(element, group, output),
                               unknown_of(element, group, variable));
    };
    group.matrix_positions =
        PlaceTable(group.num_elements(), static_cast<int>(entries.size()), position);
  }
  for (Group& group : groups_) {
    if (!group.columns) continue;
    group.columns->find_positions(*stabilizer_, [&](int e, int output, int multiplier) {
      const PlacedElement& element = system_->elements()[index(group.elements[index(e)])];
      return matrix_->position(row_of(element, group, output), stabilizer_offset() + multiplier);
    });
  }
}

/// Where all elements are evaluated alone, and the matrix is not eliminated while it is filled.
void Assembly::find_sums() {
  const bool all_alone = std::ranges::all_of(groups_, [](const Group& g) { return g.lanes == 1; });
  if (!all_alone || matrix_->kind() == LinearSolverKind::kSparse) return;
  std::vector<std::vector<int>> of_rows(residual_.size()), of_entries(matrix_values_.size());
  int next = 0;
  for (const Group& group : groups_) {
    for (int e = 0; e < group.num_elements(); ++e) {
      const PlaceTable::Element row = group.rows_of_outputs.of(e);
      for (int i = 0; i < group.rows_of_outputs.num_outputs(); ++i) {
        of_rows[index(row[i])].push_back(next + i);
      }
      const PlaceTable::Element position = group.matrix_positions.of(e);
      for (int i = 0; i < group.matrix_positions.num_outputs(); ++i) {
        of_entries[index(position[i])].push_back(next + group.matrix_offset + i);
      }
      next += group.newton->layout().num_outputs;
    }
  }
  step_outputs_.assign(index(next), 0.0);
  sums_ = Sums{GatheredSums(of_rows), GatheredSums(of_entries)};
}

/// Neighbours in the matrix are evaluated one after the other, so that a pivot is complete soon after it was begun.
void Assembly::find_chunks() {
  for (int g = 0; g < std::ssize(groups_); ++g) {
    const Group& group = groups_[index(g)];
    for_each_chunk(group, [&](int first, int count) {
      Chunk chunk{g, first, count, std::numeric_limits<int>::max(), 0};
      const auto touch = [&](int unknown) {
        const int pivot = matrix_->pivot_of(unknown);
        chunk.first_pivot = std::min(chunk.first_pivot, pivot);
        chunk.last_pivot = std::max(chunk.last_pivot, pivot);
      };
      for (int e = first; e < first + count; ++e) {
        const PlacedElement& element = system_->elements()[index(group.elements[index(e)])];
        // The residual is reduced with the matrix, also where an element adds numbers without derivatives to it.
        for (int i = 0; i < group.rows.num_outputs; ++i) touch(row_of(element, group, i));
        for (const auto& [output, variable] : group.newton->layout().parts[1].pattern) {
          touch(unknown_of(element, group, variable));
        }
        if (!group.columns) continue;
        group.columns->for_each_entry(*stabilizer_, e, [&](int output, int multiplier) {
          touch(row_of(element, group, output));
          touch(stabilizer_offset() + multiplier);
        });
      }
      // Elements without equations touch nothing.
      chunk.first_pivot = std::min(chunk.first_pivot, chunk.last_pivot);
      chunks_.push_back(chunk);
    });
  }
  std::ranges::stable_sort(chunks_, {}, &Chunk::first_pivot);
}

std::string Assembly::unknown_name(int unknown) const {
  if (unknown < dof_) return system_->coordinate_name(unknown);
  if (unknown < algebraic_offset()) {
    return "the multiplier of " + system_->constraint_name(unknown - dof_);
  }
  if (unknown < stabilizer_offset()) return system_->algebraic_name(unknown - algebraic_offset());
  return "the stabilising multiplier of " + system_->constraint_name(unknown - stabilizer_offset());
}

}  // namespace liegrad::dae
