#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "liegrad/control/border_stage.hpp"
#include "liegrad/control/front.hpp"
#include "liegrad/control/front_tree.hpp"
#include "liegrad/control/stop_request.hpp"

namespace liegrad::control {

/// A sparse symmetric matrix whose unknowns belong to stages of time, each coupled with the one before and the one after
/// it and with a border that all see (a free horizon, parameters):
///
///     D_0  E_1ᵀ          F_0ᵀ
///     E_1  D_1  E_2ᵀ     F_1ᵀ
///          E_2  …   …    …
///     F_0  F_1  …        G
///
/// Stages are eliminated one after the other, or what they do not share first, see FrontTree; each time as a dense front
/// whose boundary is what it touches of what follows. Unknowns without a good pivot are delayed to the next front. The
/// work is linear in the number of stages, and the signs of the pivots are the inertia of the matrix.
///
/// Short steps h scale unknowns apart: pivots of index 3 have h² beside entries of 1, fail the threshold, and would be
/// delayed from stage to stage. When more unknowns wait than a stage has, rows and columns are scaled to largest entries of
/// 1, from then on; when they wait even so, the matrix counts as singular.
class TimeBlocks {
 public:
  static constexpr int kBorder = kBorderStage;

  /// The stage of each unknown, and the entries of the lower triangle, which may repeat. Throws InvalidArgument if one
  /// couples stages that are not neighbours.
  TimeBlocks(std::span<const int> stages, std::span<const int> rows, std::span<const int> columns,
             FrontOrder order = FrontOrder::kStages);

  bool has_entries(std::span<const int> rows, std::span<const int> columns) const {
    return std::ranges::equal(rows, rows_) && std::ranges::equal(columns, columns_);
  }
  /// As if nothing had been factorised yet; memory is kept.
  void reset();

  /// False if the matrix is singular, or if it is asked to stop.
  bool factorize(std::span<const double> entries, const StopRequest& stop = {});
  int negative() const { return factor_.negative(); }
  void solve(std::span<double> b);
  /// Asks for larger pivots from now on; false if they are as large as they can be.
  bool increase_quality();

  /// Unknowns that were delayed in the last factorisation, once for each front that they left.
  int num_delayed() const { return num_delayed_; }
  /// The most of them in one front.
  int most_delayed() const { return most_delayed_; }
  std::size_t num_factor_entries() const { return factor_.num_entries(); }

 private:
  enum class Outcome { kRegular, kSingular, kTooManyDelayed };
  Outcome eliminate(std::span<const double> entries, const StopRequest& stop);
  void equilibrate(std::span<const double> entries);

  /// What a front leaves to that of its parent.
  struct Left {
    int node = 0;
    std::vector<int> late;         ///< unknowns that it has delayed
    std::vector<double> triangle;  ///< of these and its boundary, by columns
  };
  /// Starts the front of a node with what its children have left.
  void assemble(const FrontTree::Node& node);

  FrontTree tree_;
  Front front_;
  SparseFactor factor_;
  /// What no parent has taken yet: the first `num_left_`. The rest keeps its memory.
  std::vector<Left> left_;
  std::size_t num_left_ = 0;
  std::vector<int> complete_, places_;
  static constexpr double kFirstThreshold = 1e-8;
  double threshold_ = kFirstThreshold;
  int num_delayed_ = 0, most_delayed_ = 0;
  std::vector<int> rows_, columns_;  ///< of the entries
  bool is_equilibrated_ = false;
  std::vector<double> scales_, scaled_;  ///< of the unknowns; the entries with them
  std::vector<double> largest_;
};

}  // namespace liegrad::control
