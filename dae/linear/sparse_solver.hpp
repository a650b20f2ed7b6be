#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "liegrad/dae/equations/matrix_entries.hpp"
#include "liegrad/dae/linear/block_lu.hpp"
#include "liegrad/dae/linear/sparse_lu.hpp"

namespace liegrad::dae {

/// A sparse matrix whose blocks are known is factorised by blocks, which is several times faster; by free
/// choice of pivots where that would lose digits, or where no blocks are known.
class SparseSolver {
 public:
  SparseSolver(int size, std::shared_ptr<const MatrixEntries> entries,
               const BlockStructure& structure);

  int size() const { return size_; }
  int position(int row, int column) const;
  std::span<double> values();

  bool factorize();
  /// The same, but factors of blocks take the place of values(), and no other solver is tried when they fail.
  bool factorize_in_place();
  /// See LinearSolver.
  bool begin_filling(std::span<const double> right);
  void clear_until(int pivot) { blocks_->clear_until(pivot); }
  bool eliminate_until(int pivot);
  bool finish_filling() { return eliminate_until(blocks_->num_pivots()); }
  int pivot_of(int unknown) const { return blocks_ ? blocks_->pivot_of(unknown) : 0; }
  int singular_unknown() const;
  void solve(std::span<double> b) const;
  bool solve_filled(std::span<double> x) const { return uses_blocks_ && blocks_->solve_filled(x); }
  void solve_transposed(std::span<double> b) const;
  /// Of many right-hand sides, see LinearSolver.
  void solve(int columns, std::span<double> b) const;
  void solve_transposed(int columns, std::span<double> b) const;

 private:
  /// The general solver with the same numbers, made when first needed.
  SparseLu& general() const;

  int size_;
  std::shared_ptr<const MatrixEntries> entries_;
  std::optional<BlockLu> blocks_;
  mutable std::optional<SparseLu> general_;
  bool uses_blocks_ = false;  ///< in the last factorisation
  int to_next_trial_ = 0;     ///< factorisations until blocks are tried again
  mutable std::vector<double> column_;
};

}  // namespace liegrad::dae
