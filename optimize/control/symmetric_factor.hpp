#pragma once

#include <Eigen/Core>
#include <vector>

namespace liegrad::control {

/// P A Pᵀ = L D Lᵀ of a dense symmetric matrix that need not be definite, with 1×1 and 2×2 blocks in D chosen by the
/// diagonal pivoting of Bunch and Kaufman. The signs of the eigenvalues of A are those of D.
class SymmetricFactor {
 public:
  /// Reads the lower triangle. False if a pivot is zero to rounding; what there is then is of no use.
  bool factorize(const Eigen::Ref<const Eigen::MatrixXd>& a);

  int negative() const { return negative_; }
  /// b ← A⁻¹ b for many right sides, which stand side by side in rows: rows are what elimination works on.
  using RightSides = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  void solve(RightSides& b) const;

 private:
  void interchange(int k, int p);

  Eigen::MatrixXd factor_;   ///< L below the blocks of D
  std::vector<int> pivots_;  ///< the row exchanged with k; -p-1 for both rows of a 2×2 block
  int negative_ = 0;
};

}  // namespace liegrad::control
