// Where the rows and unknowns of elements stand in those of the system, and the pattern that follows.

#include <algorithm>
#include <map>

#include "liegrad/dae/assembly.hpp"
#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/small_blocks.hpp"

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

void Assembly::collect_pattern(SparsePattern& pattern) {
  std::map<std::pair<int, int>, int> position_index;
  for (Group& group : groups_) {
    const ad::Pattern& entries = group.newton->layout().parts[1].pattern;
    for (const int e : group.elements) {
      const PlacedElement& element = system_->elements()[index(e)];
      for (const auto& [output, variable] : entries) {
        const int row = row_of(element, group, output);
        const int column = unknown_of(element, group, variable);
        pattern.entries.emplace_back(row, column);
        if (!form_.split || variable >= group.kind->dof()) continue;
        const auto [found, added] =
            position_index.try_emplace({row, column}, static_cast<int>(position_pattern_.size()));
        if (added) position_pattern_.emplace_back(row, column);
        group.position_position.push_back(found->second);
      }
    }
    for (std::size_t i = 0; i < entries.size() && form_.split; ++i) {
      if (entries[i].second < group.kind->dof()) {
        group.position_part.push_back(static_cast<int>(i));
      }
    }
  }
  position_matrix_.assign(position_pattern_.size(), 0.0);
  if (form_.split) collect_stabilizer(position_index);
  std::vector<std::vector<int>> stabilizers_of_dof(index(dof_));
  for (std::size_t i = 0; i < stabilizer_.size(); ++i) {
    stabilizers_of_dof[index(stabilizer_[i].dof)].push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < position_pattern_.size(); ++i) {
    const auto& [row, column] = position_pattern_[i];
    for (const int s : stabilizers_of_dof[index(column)]) {
      const int target = stabilizer_offset() + stabilizer_[index(s)].multiplier;
      pattern.entries.emplace_back(row, target);
      products_.push_back({target, static_cast<int>(i), s});
    }
  }
}

/// Φ depends on positions only, so B is what its rows have of the position part. All coordinates of a
/// node are listed, as a method may mix them.
void Assembly::collect_stabilizer(const std::map<std::pair<int, int>, int>& position_index) {
  const lie::GroupList& space = system_->configuration_space();
  for (const PlacedElement& element : system_->elements()) {
    for (int i = 0; i < system_->kind_of(element).shape().constraints; ++i) {
      const int multiplier = element.first_multiplier + i;
      for (const int node : element.nodes) {
        for (int k = 0; k < space.group(node).dof(); ++k) {
          const int dof = space.dof_offset(node) + k;
          const auto found = position_index.find({multiplier_offset() + multiplier, dof});
          stabilizer_.push_back(
              {dof, multiplier, found == position_index.end() ? -1 : found->second, 0.0});
        }
      }
    }
  }
}

/// Blocks are the velocities of a node, rotation and position apart where they do not commute anyway, and the
/// multipliers of an element, with those that stabilise. A node without inertia, as joint coordinates
/// are, shares the block of the first constraint on it, or its own would be singular.
BlockStructure Assembly::block_structure() const {
  constexpr int kLargest = 6;
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
      if (has_inertia[index(node)] || dof > kLargest / 2 ||
          size + dof > small_blocks::kLargestBlock || blocks.block_of_unknown[index(first)] >= 0) {
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
    for (const int e : group.elements) {
      const PlacedElement& element = system_->elements()[index(e)];
      for (const auto& [output, variable] : group.newton->layout().parts[1].pattern) {
        group.matrix_position.push_back(matrix_->position(row_of(element, group, output),
                                                          unknown_of(element, group, variable)));
      }
    }
  }
  for (Product& product : products_) {
    const int row = position_pattern_[index(product.position_entry)].first;
    product.target = matrix_->position(row, product.target);
  }
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
