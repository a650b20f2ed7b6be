#pragma once

#include <span>
#include <vector>

namespace liegrad::control {

/// How stages of time are eliminated.
enum class FrontOrder {
  /// Each with all of its unknowns, one after the other.
  kStages,
  /// What a stage does not share with the one after it is eliminated first, stage by stage; what is left then follows one
  /// after the other. Better where most unknowns belong to one stage alone, as those of the stages of Radau steps do.
  kInnerFirst,
};

/// Which unknowns of a symmetric matrix are eliminated together, and what they touch:
///
///     kStages        stage 0 → stage 1 → … → stage N → border
///
///     kInnerFirst    inner 1   inner 2         inner N
///                       ↓         ↓               ↓
///                    shared 0 → shared 1 → … → shared N-1 → shared N → border
///
/// with inner 0 above shared 0 too. Each node is a dense front: its unknowns, complete when the fronts above it have been
/// added to it, and its boundary, what they touch of the fronts below.
struct FrontTree {
  struct Entry {
    int source;  ///< among the entries given
    int i, j;    ///< in the front of its node, behind what was delayed; j ≤ i
  };
  struct Node {
    std::vector<int> unknowns, boundary;
    std::vector<Entry> entries;
    int parent = -1;
    int num_children = 0;
    /// Where unknowns of the boundary stand in the front of the parent, behind what was delayed; increasing.
    std::vector<int> next;
  };
  /// Children stand before their parents, and the subtree of each child stands together: a stack holds what they hand on.
  std::vector<Node> nodes;

  /// The stage of each unknown, or kBorderStage, and the entries of the lower triangle, which may repeat. Throws
  /// InvalidArgument if one couples stages that are not neighbours.
  FrontTree(std::span<const int> stages, std::span<const int> rows, std::span<const int> columns,
            FrontOrder order);

 private:
  std::vector<int> nodes_of_unknowns(std::span<const int> stages, std::span<const int> rows,
                                     std::span<const int> columns, FrontOrder order);
};

}  // namespace liegrad::control
