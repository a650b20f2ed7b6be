#pragma once

#include <vector>

#include "liegrad/ad/codegen/expression.hpp"

namespace liegrad::ad {

/// An order of evaluation for a program in which an operation needed by one branch of a condition only
/// is done in that branch only, at any depth of nesting.
///
/// Selects with the same condition are merged into one two-sided branch where no data flow forbids it:
/// those that have equally many selects behind them (their level), so that a merged branch never
/// waits for itself. An operation needed by several branches, always under the same outcome of the same
/// condition, is done in the first of them and kept for the others.
struct Schedule {
  /// Selects on one condition, done together.
  struct Branch {
    Comparison comparison = Comparison::kLt;
    Id left = -1, right = -1;
    std::vector<Id> selects;
    int if_true = -1, if_false = -1;  ///< the regions of the two sides
    std::vector<Id> kept = {};        ///< nodes of either side that later branches read
  };

  /// A node to evaluate, or a branch.
  struct Item {
    Id node = -1;
    int branch = -1;
  };

  /// A list of items done one after the other; region 0 is done always.
  struct Region {
    int parent = -1;
    int depth = 0;
    std::vector<Item> items;
  };

  std::vector<Branch> branches;
  std::vector<Region> regions;

  /// Number of operations in a region and in the branches within.
  int size(int region) const;
};

Schedule schedule(const Program& program);

}  // namespace liegrad::ad
