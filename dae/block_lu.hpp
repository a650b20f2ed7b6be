#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace liegrad::dae {

/// Which unknowns belong together, as numbers of blocks by unknown, and by block when it is eliminated:
/// blocks of a lower stage come first. An equation has the block of the unknown of its number. No block may
/// have more than small_blocks::kLargestBlock unknowns.
struct BlockStructure {
  std::vector<int> block_of_unknown = {};
  std::vector<int> stages = {};
};

/// L U of a sparse matrix of small dense blocks, in an order that is found once.
///
/// Multibody systems have a matrix (M Bᵀ; B 0) with M regular in blocks of one body, so that velocities can
/// be eliminated body by body and multipliers after them, with the matrix -B M⁻¹Bᵀ: along a tree that is
/// linear in the number of bodies, and as this matrix is definite, blocks may be taken in any order.
/// Digits are lost to different masses only, as many as their ratio has. Pivots are chosen inside of
/// blocks only. Where that is not enough, because a
/// body has no mass or constraints depend on each other, factorize() says so, and a solver that
/// chooses its pivots freely must be used.
class BlockLu {
 public:
  /// The entries (row, column) are sorted by column, then by row, and appear once.
  BlockLu(int size, std::span<const std::pair<int, int>> entries, const BlockStructure& structure);

  int size() const { return size_; }
  /// Index into values(), -1 if the entry's block is not in the pattern.
  int position(int row, int column) const;
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }

  /// False when an entry is not finite or a pivot block is nearly singular. Neither this nor a solution
  /// allocates.
  bool factorize();
  void solve(std::span<double> b) const;
  void solve_transposed(std::span<double> b) const;

 private:
  /// A block beside a pivot, below it and to its right.
  struct Neighbour {
    int block, lower, upper;
  };
  /// One elimination step.
  struct Pivot {
    int size, first;  ///< unknowns first … first + size - 1 of the new order
    int diagonal;     ///< where it is stored
    int neighbours, num_neighbours, targets, copies, num_copies;
  };

  using Lists = std::vector<std::vector<int>>;

  static std::vector<int> find_order(const Lists& graph, const std::vector<int>& stages);
  static Lists touched_pivots(const Lists& graph, const std::vector<int>& order);
  static std::vector<int> with_branches_together(const std::vector<int>& order,
                                                 const Lists& touched);
  void find_copies();
  void allocate(const Lists& touched, const std::vector<int>& order, const std::vector<int>& sizes);
  int block_offset(int row_pivot, int column_pivot) const;
  bool factorize_with_new_scales();
  void find_scales();
  enum class Side { kRows, kColumns };
  void scale_by_norms(Side side);
  bool solves_for_scales();
  bool is_well_conditioned(const Pivot& pivot, const double* inverse) const;
  bool invert(const Pivot& pivot, double* block) const;
  bool eliminate();

  int size_;
  std::vector<Pivot> pivots_;
  std::vector<Neighbour> neighbours_;
  /// Of each pivot, for all pairs of its neighbours: where their product is subtracted.
  std::vector<int> targets_;
  std::vector<std::pair<int, int>>
      copies_;                 ///< of each pivot, what it copies from values_ to factors_
  std::vector<int> place_;     ///< unknown → its number in the new order
  std::vector<int> pivot_of_;  ///< unknown → pivot
  std::vector<char> is_first_stage_;
  std::vector<std::pair<int, int>> entries_;
  std::vector<int> positions_;  ///< of the entries
  std::vector<double> values_, factors_;
  /// Of equations and unknowns in the new order, such that pivots are about one.
  std::vector<double> row_scale_, column_scale_;
  int factorizations_with_scales_ = 0;
  std::vector<double> trial_;
  mutable std::vector<double> work_;
};

}  // namespace liegrad::dae
