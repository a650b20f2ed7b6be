#include "liegrad/dae/linear/sparse_solver.hpp"

#include <utility>

#include "liegrad/dae/linear/panels.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

/// After blocks have failed, so many matrices are factorised without trying them.
constexpr int kFactorizationsToNextTrial = 100;

}  // namespace

SparseSolver::SparseSolver(int size, std::shared_ptr<const MatrixEntries> entries,
                           const BlockStructure& structure)
    : size_(size), entries_(std::move(entries)) {
  if (structure.stages.empty()) {
    general_.emplace(size, *entries_);
  } else {
    blocks_.emplace(size, entries_, structure);
  }
}

SparseLu& SparseSolver::general() const {
  if (!general_) general_.emplace(size_, *entries_);
  if (blocks_) {
    // The entries of the general solver stand in the order of the list.
    for (std::size_t i = 0; i < entries_->size(); ++i) {
      const auto& [row, column] = (*entries_)[i];
      general_->values()[i] = blocks_->values()[index(blocks_->position(row, column))];
    }
  }
  return *general_;
}

int SparseSolver::position(int row, int column) const {
  return blocks_ ? blocks_->position(row, column) : general_->position(row, column);
}

std::span<double> SparseSolver::values() {
  return blocks_ ? blocks_->values() : general_->values();
}

bool SparseSolver::factorize() {
  uses_blocks_ = false;
  if (blocks_ && to_next_trial_ > 0) {
    --to_next_trial_;
  } else if (blocks_) {
    uses_blocks_ = blocks_->factorize();
    if (uses_blocks_) return true;
    to_next_trial_ = kFactorizationsToNextTrial;
  }
  return general().factorize();
}

bool SparseSolver::factorize_in_place() {
  if (!blocks_ || to_next_trial_ > 0) return factorize();
  uses_blocks_ = blocks_->factorize_in_place();
  return uses_blocks_;
}

bool SparseSolver::begin_filling(std::span<const double> right) {
  uses_blocks_ = blocks_ && to_next_trial_ == 0 && blocks_->begin_filling(right);
  return uses_blocks_;
}

bool SparseSolver::eliminate_until(int pivot) {
  uses_blocks_ = uses_blocks_ && blocks_->eliminate_until(pivot);
  return uses_blocks_;
}

int SparseSolver::singular_unknown() const {
  return uses_blocks_ ? -1 : general_->singular_unknown();
}

void SparseSolver::solve(std::span<double> b) const {
  uses_blocks_ ? blocks_->solve(b) : general_->solve(b);
}

void SparseSolver::solve_transposed(std::span<double> b) const {
  uses_blocks_ ? blocks_->solve_transposed(b) : general_->solve_transposed(b);
}

void SparseSolver::solve(int columns, std::span<double> b) const {
  if (uses_blocks_) return blocks_->solve(columns, b);
  column_.resize(index(size_));
  panels::solve_one_by_one(columns, b, column_, [this](auto& x) { general_->solve(x); });
}

void SparseSolver::solve_transposed(int columns, std::span<double> b) const {
  if (uses_blocks_) return blocks_->solve_transposed(columns, b);
  column_.resize(index(size_));
  panels::solve_one_by_one(columns, b, column_, [this](auto& x) { general_->solve_transposed(x); });
}

}  // namespace liegrad::dae
