#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "liegrad/control/sparse_factor.hpp"

namespace liegrad::control {

/// A dense symmetric matrix on its way to being eliminated. Its first unknowns are complete: no further entries will be
/// added to their rows, and they may be eliminated. The others, its boundary, belong to later fronts.
///
/// Pivots are blocks of one or two complete unknowns that are large enough beside all entries of their columns, those of
/// the boundary included, so that no entry of L exceeds 1/threshold [DuffReid1983]. An unknown without such a pivot is
/// delayed: it stays, and is eliminated with the next front.
class Front {
 public:
  /// Makes it zero, with the given unknowns.
  void start(std::span<const int> complete, std::span<const int> boundary);
  /// Adds to entries (i, j) and (j, i). Precondition: j ≤ i.
  void add(int i, int j, double value) { matrix_(i, j) += value; }
  /// Adds a lower triangle, column by column, whose rows stand at `places`, which increase.
  void add(std::span<const int> places, std::span<const double> triangle);

  /// Columns without an entry above `tiny` have no pivot.
  void eliminate(double threshold, double tiny, SparseFactor& factor);

  // What is left: delayed unknowns, then the boundary.

  int num_delayed() const { return complete_ - eliminated_; }
  int unknown_left(int i) const { return unknowns_[static_cast<std::size_t>(eliminated_ + i)]; }
  /// Its lower triangle, column by column.
  void append_left(std::vector<double>& triangle) const;

 private:
  /// The largest entry of a column apart from its diagonal and that of a row.
  double largest_apart_from(int column, int row) const;
  /// The row of a complete unknown with the largest entry of a column apart from its diagonal; -1 if all are zero.
  int largest_row(int column) const;
  bool find_pivot(double threshold, double tiny, int& first, int& second) const;
  void interchange(int k, int p);
  void eliminate_one(SparseFactor& factor);
  void eliminate_two(SparseFactor& factor);

  /// Its lower triangle. Whole registers of columns are computed with: what stands above the diagonal is never read.
  Eigen::MatrixXd matrix_;
  std::vector<int> unknowns_;
  std::vector<int> reached_;  ///< rows in which the column of a pivot is not zero
  int size_ = 0, complete_ = 0, eliminated_ = 0;
};

}  // namespace liegrad::control
