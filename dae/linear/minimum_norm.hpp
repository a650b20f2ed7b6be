#pragma once

#include <span>
#include <vector>

#include <Eigen/QR>

#include "liegrad/ad/eigen_alignment.hpp"

namespace liegrad::dae {

/// The shortest of the x that minimise |A x - b|, for systems that are singular but consistent, such as
/// those of redundant constraints. The rank is that of A beyond rounding of its largest numbers, so A
/// should be scaled. For small systems: the matrix is dense and O(n³) has a large factor here.
class MinimumNorm {
 public:
  explicit MinimumNorm(int size);

  int size() const { return static_cast<int>(a_.rows()); }
  int position(int row, int column) const { return row + column * size(); }
  std::span<double> values() { return {a_.data(), static_cast<std::size_t>(a_.size())}; }

  /// False only when an entry is not finite.
  bool factorize();
  /// The column of that entry; -1 after a success.
  int singular_unknown() const { return singular_unknown_; }
  int rank() const { return static_cast<int>(decomposition_.rank()); }

  void solve(std::span<double> b) const;
  void solve_transposed(std::span<double> b) const;
  /// Of many right-hand sides, see LinearSolver.
  void solve(int columns, std::span<double> b) const;
  void solve_transposed(int columns, std::span<double> b) const;

 private:
  Eigen::MatrixXd a_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition_;
  mutable Eigen::VectorXd x_;
  mutable std::vector<double> column_;
  int singular_unknown_ = -1;
};

}  // namespace liegrad::dae
