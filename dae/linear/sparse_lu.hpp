#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace liegrad::dae {

/// L U of a sparse matrix by KLU. The pattern is ordered once; the first factorisation chooses the
/// pivots, later ones keep them, without allocating, until they are no longer good.
class SparseLu {
 public:
  /// The entries (row, column) are sorted by column, then by row, and appear once.
  SparseLu(int size, std::span<const std::pair<int, int>> entries);
  ~SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;

  int size() const;
  /// Index into values(), -1 if there is no such entry.
  int position(int row, int column) const;
  std::span<double> values();

  /// False when an entry is not finite, or when a pivot is no larger than rounding makes the zeros of
  /// its column. The scale of a row or a column does not matter.
  bool factorize();
  /// The column without a pivot; -1 after a success.
  int singular_unknown() const;
  /// How many times pivots were chosen.
  int num_pivotings() const;

  void solve(std::span<double> b) const;
  void solve_transposed(std::span<double> b) const;

 private:
  struct Klu;
  std::unique_ptr<Klu> klu_;
};

}  // namespace liegrad::dae
