#pragma once

#include <span>
#include <vector>

namespace liegrad::control {

/// A = L D Lᵀ of a sparse symmetric matrix, column after column in the order of elimination, with 1×1 and 2×2 blocks in
/// D. The signs of the eigenvalues of A are those of D.
class SparseFactor {
 public:
  struct Block {
    double d11, d21, d22;
  };

  void clear();

  /// Where the rows and entries of the next pivot are to be written.
  struct Room {
    int* rows;
    double* entries;
  };
  /// Room for as many rows and entries, until a pivot is added.
  Room room(int rows, int entries);
  /// A pivot of one unknown, whose column of L has entries in as many rows of the room.
  void add_pivot(int unknown, double d, int num_rows);
  /// A pivot of two unknowns, whose columns have entries in the same rows: two for each.
  void add_pivot(int first, int second, const Block& d, int num_rows);

  int negative() const { return negative_; }
  std::size_t num_entries() const { return num_rows_; }
  /// b ← A⁻¹ b.
  void solve(std::span<double> b) const;

 private:
  struct Pivot {
    int first, second;  ///< -1 when there is one unknown
    Block inverse;      ///< of D; with one unknown 1/d in its first place
    int num_rows;
  };

  std::vector<Pivot> pivots_;
  // Their first `num_rows_` and `num_values_`; the rest is room.
  std::vector<int> rows_;
  std::vector<double> values_;  ///< one for each row, or two
  std::size_t num_rows_ = 0, num_values_ = 0;
  int negative_ = 0;
};

}  // namespace liegrad::control
