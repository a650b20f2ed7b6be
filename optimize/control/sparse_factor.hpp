#pragma once

#include <span>
#include <vector>

namespace liegrad::control {

/// A = L D Lᵀ of a sparse symmetric matrix, column after column in the order of elimination, with 1×1 and 2×2 blocks in
/// D. The signs of the eigenvalues of A are those of D.
class SparseFactor {
 public:
  void clear();

  /// A pivot of one unknown, and the entries of its column of L that follow with add().
  void add_pivot(int unknown, double d);
  /// A pivot of two unknowns, whose columns have entries in the same rows.
  void add_pivot(int first, int second, double d11, double d21, double d22);
  void add(int row, double l);
  void add(int row, double l1, double l2);

  int negative() const { return negative_; }
  std::size_t num_entries() const { return rows_.size(); }
  /// b ← A⁻¹ b.
  void solve(std::span<double> b) const;

 private:
  struct Pivot {
    int first, second;  ///< -1 when there is one unknown
    double d11, d21, d22;
    std::size_t begin, values;  ///< of its rows, of its entries
  };

  std::vector<Pivot> pivots_;
  std::vector<int> rows_;
  std::vector<double> values_;  ///< one for each row, or two
  int negative_ = 0;
};

}  // namespace liegrad::control
