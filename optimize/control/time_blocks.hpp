#pragma once

#include <span>
#include <vector>

#include "liegrad/control/symmetric_factor.hpp"

namespace liegrad::control {

/// A sparse symmetric matrix whose unknowns belong to stages of time, each coupled with the one before and the one after
/// it and with a border that all see (a free horizon, parameters):
///
///     D_0  E_1ᵀ          F_0ᵀ
///     E_1  D_1  E_2ᵀ     F_1ᵀ
///          E_2  …   …    …
///     F_0  F_1  …        G
///
/// Stages are eliminated one after the other, each by a dense factorisation that counts its eigenvalues' signs: the work
/// is linear in the number of stages, and the sum of the counts is the inertia of the matrix.
class TimeBlocks {
 public:
  static constexpr int kBorder = -1;

  /// The stage of each unknown, and the entries of the lower triangle, which may repeat. Throws InvalidArgument if one
  /// couples stages that are not neighbours.
  TimeBlocks(std::span<const int> stages, std::span<const int> rows, std::span<const int> columns);

  /// False if a block is singular.
  bool factorize(std::span<const double> entries);
  int negative() const { return negative_; }
  void solve(std::span<double> b);

 private:
  struct Stage {
    int size = 0;
    std::vector<int> unknowns;
    Eigen::MatrixXd diagonal;            ///< D_n, reduced
    std::vector<int> coupled;            ///< rows of stage n+1 in which E_{n+1} is not zero
    Eigen::MatrixXd next, border;        ///< these rows of E_{n+1}; F_n, reduced
    SymmetricFactor::RightSides solved;  ///< D_n⁻¹ (E_{n+1}ᵀ, F_nᵀ)
    SymmetricFactor factor;
    SymmetricFactor::RightSides right;  ///< one
    Eigen::MatrixXd update;
  };

  std::vector<Stage> stages_;
  std::vector<int> border_;
  Eigen::MatrixXd corner_;
  SymmetricFactor corner_factor_;
  SymmetricFactor::RightSides corner_right_;
  Eigen::VectorXd vector_;
  std::vector<double*> places_;  ///< where each entry is added
  int negative_ = 0;
};

}  // namespace liegrad::control
