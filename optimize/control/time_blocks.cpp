#include "liegrad/control/time_blocks.hpp"

#include <algorithm>
#include <map>

#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

TimeBlocks::TimeBlocks(std::span<const int> stages, std::span<const int> rows,
                       std::span<const int> columns) {
  std::vector<int> position(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (stages[i] == kBorder) {
      position[i] = static_cast<int>(border_.size());
      border_.push_back(static_cast<int>(i));
      continue;
    }
    if (at(stages[i]) >= stages_.size()) stages_.resize(at(stages[i]) + 1);
    Stage& stage = stages_[at(stages[i])];
    position[i] = stage.size++;
    stage.unknowns.push_back(static_cast<int>(i));
  }
  // Which rows of the next stage an elimination reaches.
  for (std::size_t k = 0; k < rows.size(); ++k) {
    int i = rows[k], j = columns[k];
    if (stages[at(i)] == kBorder || stages[at(j)] == kBorder) continue;
    if (stages[at(i)] < stages[at(j)]) std::swap(i, j);
    const int distance = stages[at(i)] - stages[at(j)];
    if (distance == 0) continue;
    if (distance > 1) {
      throw InvalidArgument(
          "a condition couples points of the grid that are no neighbours, which elimination in "
          "time "
          "does not know; take the linear solver mumps");
    }
    stages_[at(stages[at(j)])].coupled.push_back(position[at(i)]);
  }
  const auto num_border = static_cast<Eigen::Index>(border_.size());
  corner_.resize(num_border, num_border);
  for (Stage& stage : stages_) {
    std::sort(stage.coupled.begin(), stage.coupled.end());
    stage.coupled.erase(std::unique(stage.coupled.begin(), stage.coupled.end()),
                        stage.coupled.end());
    const auto num_coupled = static_cast<Eigen::Index>(stage.coupled.size());
    stage.diagonal.resize(stage.size, stage.size);
    stage.next.resize(num_coupled, stage.size);
    stage.border.resize(num_border, stage.size);
    stage.solved.resize(stage.size, num_coupled + num_border);
    stage.right.resize(stage.size, 1);
    stage.update.resize(num_coupled, num_coupled + num_border);
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    int i = rows[k], j = columns[k];
    // The later one is the row, the border the latest.
    const auto order = [&](int unknown) {
      const int stage = stages[at(unknown)];
      return std::pair(stage == kBorder ? static_cast<int>(stages_.size()) : stage,
                       position[at(unknown)]);
    };
    if (order(i) < order(j)) std::swap(i, j);
    const int row = position[at(i)], column = position[at(j)];
    if (stages[at(j)] == kBorder) {
      places_.push_back(&corner_(row, column));
      continue;
    }
    Stage& stage = stages_[at(stages[at(j)])];
    if (stages[at(i)] == kBorder) {
      places_.push_back(&stage.border(row, column));
    } else if (stages[at(i)] == stages[at(j)]) {
      places_.push_back(&stage.diagonal(row, column));
    } else {
      const auto found = std::lower_bound(stage.coupled.begin(), stage.coupled.end(), row);
      places_.push_back(&stage.next(found - stage.coupled.begin(), column));
    }
  }
}

bool TimeBlocks::factorize(std::span<const double> entries) {
  negative_ = 0;
  corner_.setZero();
  for (Stage& stage : stages_) {
    stage.diagonal.setZero();
    stage.next.setZero();
    stage.border.setZero();
  }
  for (std::size_t k = 0; k < places_.size(); ++k) *places_[k] += entries[k];
  for (std::size_t n = 0; n < stages_.size(); ++n) {
    Stage& stage = stages_[n];
    if (stage.size == 0) continue;
    if (!stage.factor.factorize(stage.diagonal)) return false;
    negative_ += stage.factor.negative();
    const Eigen::Index coupled = stage.next.rows(), border = stage.border.rows();
    stage.solved.leftCols(coupled) = stage.next.transpose();
    stage.solved.rightCols(border) = stage.border.transpose();
    stage.factor.solve(stage.solved);
    if (n + 1 < stages_.size()) {
      Stage& next = stages_[n + 1];
      Eigen::MatrixXd& update = stage.update;
      update.noalias() = stage.next * stage.solved;
      for (Eigen::Index i = 0; i < coupled; ++i) {
        const int row = stage.coupled[static_cast<std::size_t>(i)];
        for (Eigen::Index j = 0; j <= i; ++j) {
          next.diagonal(row, stage.coupled[static_cast<std::size_t>(j)]) -= update(i, j);
        }
        next.border.col(row) -= update.row(i).tail(border).transpose();
      }
    }
    corner_.noalias() -= stage.border * stage.solved.rightCols(border);
  }
  if (border_.empty()) return true;
  if (!corner_factor_.factorize(corner_)) return false;
  negative_ += corner_factor_.negative();
  return true;
}

void TimeBlocks::solve(std::span<double> b) {
  SymmetricFactor::RightSides& corner = corner_right_;
  corner.resize(static_cast<Eigen::Index>(border_.size()), 1);
  for (std::size_t i = 0; i < border_.size(); ++i) {
    corner(static_cast<Eigen::Index>(i), 0) = b[at(border_[i])];
  }
  for (Stage& stage : stages_) {
    for (int i = 0; i < stage.size; ++i) stage.right(i, 0) = b[at(stage.unknowns[at(i)])];
  }
  for (std::size_t n = 0; n < stages_.size(); ++n) {
    Stage& stage = stages_[n];
    const Eigen::Index coupled = stage.next.rows();
    vector_.noalias() = stage.solved.transpose() * stage.right.col(0);
    for (Eigen::Index i = 0; i < coupled; ++i) {
      stages_[n + 1].right(stage.coupled[static_cast<std::size_t>(i)], 0) -= vector_(i);
    }
    corner.col(0) -= vector_.tail(corner.rows());
  }
  if (!border_.empty()) corner_factor_.solve(corner);
  for (std::size_t n = stages_.size(); n-- > 0;) {
    Stage& stage = stages_[n];
    if (stage.size == 0) continue;
    const Eigen::Index coupled = stage.next.rows();
    stage.factor.solve(stage.right);
    vector_.resize(stage.solved.cols());
    for (Eigen::Index i = 0; i < coupled; ++i) {
      vector_(i) = stages_[n + 1].right(stage.coupled[static_cast<std::size_t>(i)], 0);
    }
    vector_.tail(corner.rows()) = corner.col(0);
    stage.right.col(0).noalias() -= stage.solved * vector_;
    for (int i = 0; i < stage.size; ++i) b[at(stage.unknowns[at(i)])] = stage.right(i, 0);
  }
  for (std::size_t i = 0; i < border_.size(); ++i) {
    b[at(border_[i])] = corner(static_cast<Eigen::Index>(i), 0);
  }
}

}  // namespace liegrad::control
