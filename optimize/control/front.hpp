#pragma once

#include <Eigen/Core>
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
  void start(const std::vector<int>& complete, const std::vector<int>& boundary);
  /// Adds to entries (i, j) and (j, i).
  void add(int i, int j, double value);

  /// Columns without an entry above `tiny` have no pivot.
  void eliminate(double threshold, double tiny, SparseFactor& factor);

  // What is left: delayed unknowns, then the boundary.

  int num_delayed() const { return complete_ - eliminated_; }
  int size_left() const { return size_ - eliminated_; }
  int unknown_left(int i) const { return unknowns_[static_cast<std::size_t>(eliminated_ + i)]; }
  /// Precondition: j ≤ i.
  double entry_left(int i, int j) const { return matrix_(eliminated_ + i, eliminated_ + j); }

 private:
  bool find_pivot(double threshold, double tiny, int& first, int& second) const;
  void interchange(int k, int p);
  void eliminate_one(SparseFactor& factor);
  void eliminate_two(SparseFactor& factor);

  /// Columns of complete unknowns are whole; of the boundary's columns only the lower triangle is kept up to date.
  Eigen::MatrixXd matrix_;
  std::vector<int> unknowns_;
  std::vector<int> reached_;     ///< rows in which the column of a pivot is not zero
  std::vector<double> entries_;  ///< of L there, two for each row
  int size_ = 0, complete_ = 0, eliminated_ = 0;
};

}  // namespace liegrad::control
