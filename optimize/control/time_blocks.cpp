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
                       std::span<const int> columns)
    : rows_(rows.begin(), rows.end()),
      columns_(columns.begin(), columns.end()),
      scales_(stages.size(), 1.0),
      scaled_(rows.size()),
      largest_(stages.size()) {
  int num_stages = 0;
  for (const int stage : stages) num_stages = std::max(num_stages, stage + 1);
  stages_.resize(at(num_stages + 1));
  const auto stage_of = [&](int unknown) {
    return stages[at(unknown)] == kBorder ? num_stages : stages[at(unknown)];
  };
  // Unknowns with few entries come first: their elimination leaves few behind.
  std::vector<int> degree(stages.size(), 0), order(stages.size()), position(stages.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    ++degree[at(rows[k])];
    ++degree[at(columns[k])];
  }
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return degree[at(a)] < degree[at(b)]; });
  for (const int unknown : order) {
    Stage& stage = stages_[at(stage_of(unknown))];
    position[at(unknown)] = static_cast<int>(stage.unknowns.size());
    stage.unknowns.push_back(unknown);
  }

  // The boundary of a stage is what it touches of the next one, and the border.
  const auto earlier_first = [&](std::size_t k) {
    std::pair pair(rows[k], columns[k]);
    if (stage_of(pair.first) > stage_of(pair.second)) std::swap(pair.first, pair.second);
    return pair;
  };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto [early, late] = earlier_first(k);
    const int distance = stage_of(late) - stage_of(early);
    if (distance == 0 || stage_of(late) == num_stages) continue;
    if (distance > 1) {
      throw InvalidArgument(
          "a condition couples points of the grid that are no neighbours, which elimination in "
          "time does not know; take the linear solver mumps");
    }
    stages_[at(stage_of(early))].boundary.push_back(late);
  }
  std::vector<int> in_boundary(stages.size(), 0);  // of the stage before
  const std::vector<int> border = stages_.back().unknowns;
  for (int n = 0; n < num_stages; ++n) {
    std::vector<int>& list = stages_[at(n)].boundary;
    std::sort(list.begin(), list.end(),
              [&](int a, int b) { return position[at(a)] < position[at(b)]; });
    list.erase(std::unique(list.begin(), list.end()), list.end());
    for (std::size_t i = 0; i < list.size(); ++i) in_boundary[at(list[i])] = static_cast<int>(i);
    list.insert(list.end(), border.begin(), border.end());
  }

  // Where the boundary of a stage stands in the front of the next one: the border stands behind all else.
  for (int n = 1; n <= num_stages; ++n) {
    const Stage& stage = stages_[at(n)];
    Stage& before = stages_[at(n - 1)];
    const std::size_t own = before.boundary.size() - border.size();
    for (std::size_t i = 0; i < own; ++i) before.next.push_back(position[at(before.boundary[i])]);
    const std::size_t size = stage.unknowns.size() + stage.boundary.size();
    for (std::size_t i = size - border.size(); i < size; ++i) {
      before.next.push_back(static_cast<int>(i));
    }
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto [early, late] = earlier_first(k);
    Stage& stage = stages_[at(stage_of(early))];
    int i = position[at(late)];
    if (stage_of(late) != stage_of(early)) {
      const std::size_t behind = stage.boundary.size() - border.size();
      i = static_cast<int>(stage.unknowns.size()) +
          (stage_of(late) == num_stages ? static_cast<int>(behind) + position[at(late)]
                                        : in_boundary[at(late)]);
    }
    stage.entries.push_back({static_cast<int>(k), i, position[at(early)]});
  }
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
  carried_.clear();
  int delayed = 0;
  late_.clear();
  for (std::size_t n = 0; n < stages_.size(); ++n) {
    if (stop.is_made()) return Outcome::kSingular;
    const Stage& stage = stages_[n];
    // Delayed unknowns, then those of the stage.
    complete_.assign(late_.begin(), late_.end());
    complete_.insert(complete_.end(), stage.unknowns.begin(), stage.unknowns.end());
    front_.start(complete_, stage.boundary);
    if (n > 0) {
      const std::vector<int>& next = stages_[n - 1].next;
      const auto place = [&](int i) { return i < delayed ? i : delayed + next[at(i - delayed)]; };
      const int size = delayed + static_cast<int>(next.size());
      std::size_t source = 0;
      for (int j = 0; j < size; ++j) {
        for (int i = j; i < size; ++i) front_.add(place(i), place(j), carried_[source++]);
      }
    }
    for (const Entry& entry : stage.entries) {
      front_.add(delayed + entry.i, delayed + entry.j, entries[at(entry.source)]);
    }
    front_.eliminate(threshold_, kTiny * scale, factor_);
    delayed = front_.num_delayed();
    num_delayed_ += delayed;
    most_delayed_ = std::max(most_delayed_, delayed);
    // What never finds a pivot would make each front larger than the last one.
    if (delayed > kMostDelayed + static_cast<int>(stage.unknowns.size())) {
      return Outcome::kTooManyDelayed;
    }
    late_.clear();
    for (int i = 0; i < delayed; ++i) late_.push_back(front_.unknown_left(i));
    carried_.clear();
    for (int j = 0; j < front_.size_left(); ++j) {
      for (int i = j; i < front_.size_left(); ++i) carried_.push_back(front_.entry_left(i, j));
    }
  }
  return delayed == 0 ? Outcome::kRegular : Outcome::kSingular;
}

}  // namespace liegrad::control
