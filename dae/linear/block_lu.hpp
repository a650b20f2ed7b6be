#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "liegrad/dae/equations/matrix_entries.hpp"
#include "liegrad/dae/linear/panels.hpp"

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
  BlockLu(int size, std::shared_ptr<const MatrixEntries> entries, const BlockStructure& structure);

  int size() const { return size_; }
  /// Index into values(), -1 if the entry's block is not in the pattern.
  int position(int row, int column) const;
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }

  /// False when an entry is not finite or a pivot block is nearly singular. Only the first call allocates.
  bool factorize();
  /// The same, but the factors take the place of values(), which are lost, also where it fails. A third less of memory
  /// is touched.
  bool factorize_in_place();
  /// The same while values() are filled, see LinearSolver.
  bool begin_filling(std::span<const double> right);
  void clear_until(int pivot);
  bool eliminate_until(int pivot);
  int num_pivots() const { return static_cast<int>(pivots_.size()); }
  int pivot_of(int unknown) const { return pivot_of_[static_cast<std::size_t>(unknown)]; }
  void solve(std::span<double> b) const;
  /// A⁻¹ times the right-hand side that was given to begin_filling(), if it was reduced with the matrix; else false.
  bool solve_filled(std::span<double> x) const;
  void solve_transposed(std::span<double> b) const;
  /// Of many right-hand sides, see LinearSolver.
  void solve(int columns, std::span<double> b) const;
  void solve_transposed(int columns, std::span<double> b) const;

 private:
  /// A block beside a pivot, below it and to its right; of the latter only the first columns are not zero.
  struct Neighbour {
    int block, lower, upper, columns;
  };
  /// One elimination step.
  struct Pivot {
    int size, first;  ///< unknowns first … first + size - 1 of the new order
    int diagonal;     ///< where it is stored
    int neighbours, num_neighbours, targets;
    int begin, end;  ///< what is copied to the factors when it is eliminated, see find_copies()
  };

  using Lists = std::vector<std::vector<int>>;

  static std::vector<int> find_order(const Lists& graph, const std::vector<int>& stages);
  static Lists touched_pivots(const Lists& graph, const std::vector<int>& order);
  static std::vector<int> with_branches_together(const std::vector<int>& order,
                                                 const Lists& touched);
  void find_copies();
  void find_neighbours(const Lists& touched, const std::vector<int>& order,
                       const std::vector<int>& sizes);
  void find_columns();
  void allocate();
  const Neighbour* neighbour(int pivot, int block) const;
  int block_offset(int row_pivot, int column_pivot) const;
  bool factorize_into(double* factors);
  bool factorize_with_new_scales(double* factors);
  void find_scales();
  enum class Side { kRows, kColumns };
  void scale_by_norms(Side side);
  double scale_of(int unknown) const;
  void multiply_scales(std::span<double> product) const;
  bool solves_for_scales(std::span<double> product) const;
  bool is_well_conditioned(const Pivot& pivot, const double* inverse) const;
  bool invert(const Pivot& pivot, double* block) const;
  bool eliminate(double* factors, int begin, int end);
  void reduce(const Pivot& pivot, const double* factors, const double* right, double* x) const;
  void substitute(const double* factors, double* x, double* b) const;
  void clear(int end);
  const double* factors() const { return is_in_place_ ? values_.data() : factors_.data(); }

  int size_;
  std::vector<Pivot> pivots_;
  std::vector<Neighbour> neighbours_;
  /// Of each pivot, for all pairs of its neighbours: where their product is subtracted.
  std::vector<int> targets_;
  std::vector<int> place_;     ///< unknown → its number in the new order
  std::vector<int> unknown_;   ///< and back
  std::vector<int> pivot_of_;  ///< unknown → pivot
  std::vector<char> is_first_stage_;
  std::shared_ptr<const MatrixEntries> entries_;
  std::vector<double> values_, factors_;
  bool is_in_place_ = false;          ///< the factors stand in values_
  int cleared_ = 0, eliminated_ = 0;  ///< values and pivots, while they are filled
  std::span<const double> right_;     ///< what is reduced meanwhile, if anything
  /// Of equations and unknowns in the new order, such that pivots are about one.
  std::vector<double> row_scale_, column_scale_;
  int factorizations_with_scales_ = 0;
  std::vector<double> trial_;
  mutable std::vector<double> work_;
  mutable bool is_reduced_ = false;  ///< right_, in work_
  mutable panels::Rows rows_;
};

}  // namespace liegrad::dae
