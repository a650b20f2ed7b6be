#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/system/element_kind.hpp"

namespace liegrad::dae {

/// What element kernels read of the nodes: for each node, one after the other, its view, v, v̇ and
/// the matrix Q of ElementInputs, so that one copy moves it all to a kernel; and V apart from them.
class NodeStore {
 public:
  NodeStore() = default;
  NodeStore(const lie::GroupList& space, CorrectionForm form) {
    int next = 0, next_map = 0;
    for (int i = 0; i < space.size(); ++i) {
      const lie::NodeGroup& group = space.group(i);
      Block block{};
      block.first = next;
      block.v = next += NodeView::size(group);
      block.v_dot = next += group.dof();
      block.map = next += group.dof();
      next += node_map_size(group);
      block.size = next - block.first;
      block.velocity_map = next_map;
      if (form.velocity_map) next_map += node_map_size(group);
      blocks_.push_back(block);
    }
    numbers_.assign(static_cast<std::size_t>(next), 0.0);
    velocity_maps_.assign(static_cast<std::size_t>(next_map), 0.0);
  }

  double* view(int node) { return numbers_.data() + at(node).first; }
  double* v(int node) { return numbers_.data() + at(node).v; }
  double* v_dot(int node) { return numbers_.data() + at(node).v_dot; }
  double* map(int node) { return numbers_.data() + at(node).map; }
  double* velocity_map(int node) { return velocity_maps_.data() + at(node).velocity_map; }
  /// All numbers; those of a node begin at block_offset().
  const double* numbers() const { return numbers_.data(); }
  int block_offset(int node) const { return at(node).first; }
  int block_size(int node) const { return at(node).size; }

 private:
  struct Block {
    int first, v, v_dot, map, size, velocity_map;
  };
  const Block& at(int node) const { return blocks_[static_cast<std::size_t>(node)]; }

  std::vector<Block> blocks_;
  std::vector<double> numbers_, velocity_maps_;
};

}  // namespace liegrad::dae
