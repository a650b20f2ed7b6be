#include "liegrad/control/time_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Barrier terms make some entries huge: others may be small beside them and right.
constexpr double kTiny = 1e-22;
/// Larger pivots delay many unknowns, and fronts grow.
constexpr double kLargestThreshold = 1e-2;
/// Besides as many as a stage has unknowns.
constexpr int kMostDelayed = 16;
/// Of scaling rows and columns; the second one leaves entries within a factor of two or so.
constexpr int kRounds = 2;

}  // namespace

TimeBlocks::TimeBlocks(std::span<const int> stages, std::span<const int> rows,
                       std::span<const int> columns, FrontOrder order)
    : tree_(stages, rows, columns, order),
      rows_(rows.begin(), rows.end()),
      columns_(columns.begin(), columns.end()),
      scales_(stages.size(), 1.0),
      scaled_(rows.size()),
      largest_(stages.size()) {}

void TimeBlocks::reset() {
  threshold_ = kFirstThreshold;
  is_equilibrated_ = false;
}

bool TimeBlocks::increase_quality() {
  if (threshold_ >= kLargestThreshold) return false;
  threshold_ = std::min(kLargestThreshold, std::pow(threshold_, 0.5));
  return true;
}

/// d_i such that the largest entry of each row of d_i a_ij d_j is about 1 [Ruiz2001].
void TimeBlocks::equilibrate(std::span<const double> entries) {
  std::fill(scales_.begin(), scales_.end(), 1.0);
  std::copy(entries.begin(), entries.end(), scaled_.begin());
  for (int round = 0; round < kRounds; ++round) {
    std::fill(largest_.begin(), largest_.end(), 0.0);
    for (std::size_t k = 0; k < scaled_.size(); ++k) {
      const double size = std::abs(scaled_[k]);
      double &row = largest_[at(rows_[k])], &column = largest_[at(columns_[k])];
      row = std::max(row, size);
      column = std::max(column, size);
    }
    for (std::size_t i = 0; i < scales_.size(); ++i) {
      largest_[i] = largest_[i] > 0 ? 1 / std::sqrt(largest_[i]) : 1.0;
      scales_[i] *= largest_[i];
    }
    for (std::size_t k = 0; k < scaled_.size(); ++k) {
      scaled_[k] *= largest_[at(rows_[k])] * largest_[at(columns_[k])];
    }
  }
}

void TimeBlocks::solve(std::span<double> b) {
  const auto scale = [&] {
    for (std::size_t i = 0; i < b.size(); ++i) b[i] *= scales_[i];
  };
  if (is_equilibrated_) scale();
  factor_.solve(b);
  if (is_equilibrated_) scale();
}

bool TimeBlocks::factorize(std::span<const double> entries, const StopRequest& stop) {
  Outcome outcome = eliminate(entries, stop);
  if (outcome == Outcome::kTooManyDelayed && !is_equilibrated_) {
    is_equilibrated_ = true;  // from now on: the matrices that follow are like this one
    outcome = eliminate(entries, stop);
  }
  return outcome == Outcome::kRegular;
}

TimeBlocks::Outcome TimeBlocks::eliminate(std::span<const double> given, const StopRequest& stop) {
  factor_.clear();
  num_delayed_ = most_delayed_ = 0;
  if (is_equilibrated_) equilibrate(given);
  const std::span<const double> entries =
      is_equilibrated_ ? std::span<const double>(scaled_) : given;
  double scale = 0;
  for (const double x : entries) scale = std::max(scale, std::abs(x));
  if (!std::isfinite(scale)) return Outcome::kSingular;
  num_left_ = 0;
  for (std::size_t n = 0; n < tree_.nodes.size(); ++n) {
    if (stop.is_made()) return Outcome::kSingular;
    const FrontTree::Node& node = tree_.nodes[n];
    assemble(node);
    const int first = static_cast<int>(complete_.size() - node.unknowns.size());
    for (const FrontTree::Entry& entry : node.entries) {
      front_.add(first + entry.i, first + entry.j, entries[at(entry.source)]);
    }
    front_.eliminate(threshold_, kTiny * scale, factor_);
    const int delayed = front_.num_delayed();
    num_delayed_ += delayed;
    most_delayed_ = std::max(most_delayed_, delayed);
    // What never finds a pivot would make each front larger than the last one.
    if (delayed > kMostDelayed + static_cast<int>(node.unknowns.size())) {
      return Outcome::kTooManyDelayed;
    }
    if (node.parent < 0) return delayed == 0 ? Outcome::kRegular : Outcome::kSingular;
    if (num_left_ == left_.size()) left_.emplace_back();
    Left& left = left_[num_left_++];
    left.node = static_cast<int>(n);
    left.late.clear();
    for (int i = 0; i < delayed; ++i) left.late.push_back(front_.unknown_left(i));
    left.triangle.clear();
    front_.append_left(left.triangle);
  }
  return Outcome::kSingular;  // there is a node without a parent, the last one
}

void TimeBlocks::assemble(const FrontTree::Node& node) {
  const std::size_t end = num_left_;
  num_left_ -= at(node.num_children);
  // Delayed unknowns, then those of the node.
  complete_.clear();
  for (std::size_t k = num_left_; k < end; ++k) {
    complete_.insert(complete_.end(), left_[k].late.begin(), left_[k].late.end());
  }
  const int delayed = static_cast<int>(complete_.size());
  complete_.insert(complete_.end(), node.unknowns.begin(), node.unknowns.end());
  front_.start(complete_, node.boundary);
  int first = 0;
  for (std::size_t k = num_left_; k < end; ++k) {
    places_.clear();
    for (std::size_t i = 0; i < left_[k].late.size(); ++i) places_.push_back(first++);
    for (const int place : tree_.nodes[at(left_[k].node)].next) places_.push_back(delayed + place);
    front_.add(places_, left_[k].triangle);
  }
}

}  // namespace liegrad::control
