#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/linear/panels.hpp"

namespace liegrad::dae {

namespace dense_lu_detail {
struct Kernels;
}

/// P A = L U of a small dense matrix, with partial pivoting. Nothing is allocated after construction.
///
/// Rows are stored one after the other, each with an even number of entries: the rows that are
/// subtracted from each other and exchanged are then contiguous, and their last packet needs no
/// care. What would be the 10th entry of a row of 9 stays zero.
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
  /// The column found to be a combination of those before it; -1 after a success.
  int singular_unknown() const { return singular_unknown_; }

  void solve(std::span<double> b) const;
  void solve_transposed(std::span<double> b) const;
  /// Of many right-hand sides, see LinearSolver.
  void solve(int columns, std::span<double> b) const;
  void solve_transposed(int columns, std::span<double> b) const;
  /// |A|₁ |A⁻¹|₁, exactly, in as many solutions as there are unknowns.
  double condition() const;

 private:
  bool has_extreme_inertia() const;
  void find_scales();
  bool pivot_is_rounding(int k) const;

  int n_, stride_;
  const dense_lu_detail::Kernels* kernels_;
  std::vector<double> a_;
  std::vector<double> lu_;
  std::vector<double> squares_;
  std::vector<int> order_;
  /// Powers of two with which inertias are about one, and the largest entries of other equations and unknowns: beside
  /// directions nothing would be left of the inertia of a small mechanism.
  std::vector<double> row_scale_, column_scale_;
  bool is_scaled_ = false;  ///< otherwise they are all one
  std::vector<bool> has_inertia_;
  int factorizations_with_scales_ = 0;
  mutable std::vector<double> work_, column_;
  mutable panels::Rows rows_;
  int singular_unknown_ = -1;
};

}  // namespace liegrad::dae
