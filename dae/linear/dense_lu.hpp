#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/linear/panels.hpp"

namespace liegrad::dae {

namespace dense_lu {
struct Factors;
struct Kernels;
}  // namespace dense_lu

/// P A = L U of a small dense matrix, with partial pivoting; where inertias are known, rows stay in their order as long as
/// pivots are not much smaller than what is below them. Nothing is allocated after construction.
///
/// Rows are stored one after the other, each with an even number of entries: the rows that are
/// subtracted from each other and exchanged are then contiguous, and their last packet needs no
/// care. Behind each row there is room for a right-hand side, which is zero if there is none.
class DenseLu {
 public:
  /// `has_inertia` says which unknowns have an equation with their own inertia on the diagonal, by which all others are
  /// scaled; empty: nothing is scaled.
  explicit DenseLu(int size, std::vector<bool> has_inertia = {});

  int size() const { return n_; }
  int position(int row, int column) const { return row * stride_ + column; }
  std::span<double> values() { return a_; }

  /// False when an entry is not finite, or when a pivot is no larger than the rounding of the numbers
  /// that it is the sum of. The scale of a row or a column does not matter.
  bool factorize();
  /// The same, but the factors may take the place of values(), which are lost. A right-hand side is reduced with the
  /// matrix, if that can be done, and solve_reduced() gives its solution, once; else that returns false.
  bool factorize_in_place(std::span<const double> right);
  bool solve_reduced(std::span<double> x) const;
  /// The column found to be a combination of those before it; -1 after a success.
  int singular_unknown() const { return singular_unknown_; }

  void solve(std::span<double> b) const;
  void solve_transposed(std::span<double> b) const;
  /// Of many right-hand sides, see LinearSolver.
  void solve(int columns, std::span<double> b) const;
  void solve_transposed(int columns, std::span<double> b) const;

 private:
  bool has_extreme_inertia() const;
  void find_scales();
  using Factorize = int (*)(const dense_lu::Factors& f, int n, bool& suspicious);
  void copy_scaled();
  bool eliminate(Factorize factorize);
  const double* factors() const { return is_in_place_ ? a_.data() : copy_.data(); }
  bool pivot_is_rounding(int k) const;

  int n_, stride_;
  const dense_lu::Kernels* kernels_;
  std::vector<double> a_;
  std::vector<double> copy_;         ///< in which the factors stand
  bool is_in_place_ = false;         ///< unless they stand in a_
  mutable bool is_reduced_ = false;  ///< a right-hand side, behind the factors
  std::vector<double> squares_;
  std::vector<int> order_;
  /// Powers of two with which inertias are about one, and the largest entries of other equations and unknowns: beside
  /// directions nothing would be left of the inertia of a small mechanism.
  std::vector<double> row_scale_, column_scale_;
  bool is_scaled_ = false;  ///< otherwise they are all one
  std::vector<bool> has_inertia_;
  int factorizations_with_scales_ = 0;
  mutable std::vector<double> work_;
  mutable panels::Rows rows_;
  int singular_unknown_ = -1;
};

}  // namespace liegrad::dae
