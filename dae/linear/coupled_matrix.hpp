#pragma once

#include <vector>

#include "liegrad/dae/equations/assembly.hpp"

namespace liegrad::dae {

/// A matrix of copies × copies blocks, each with the pattern of the matrix of an assembly: that of the stages of a step,
/// or of the real and the imaginary part of one.
///
/// The copies of an unknown stand in one block of the sparse solver, so that elimination takes the same way as for one
/// copy: linear in the number of bodies along a tree.
class CoupledMatrix {
 public:
  CoupledMatrix(const Assembly& assembly, int copies, LinearSolverKind kind);

  int copies() const { return copies_; }
  int size() const { return copies_ * size_; }
  /// Makes factor times the matrix that the assembly holds the block of a row and a column, with its rows of Φ
  /// multiplied by position_factor, too. Columns of multipliers and algebraic states belong to blocks on the diagonal only.
  void set_block(int row, int column, Assembly& assembly, double factor, double position_factor);
  LinearSolver& solver() { return solver_; }
  const LinearSolver& solver() const { return solver_; }

 private:
  struct Entry {
    int from;  ///< in the values of the assembly's matrix
    bool is_position;
    bool is_on_diagonal;  ///< only
  };
  static SparsePattern pattern(const Assembly& assembly, int copies);

  int copies_, size_;
  std::vector<Entry> entries_;
  LinearSolver solver_;
  std::vector<std::vector<int>>
      to_;  ///< by block: where its entries stand, -1 for those that it has not
};

}  // namespace liegrad::dae
