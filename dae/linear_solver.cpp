#include "liegrad/dae/linear_solver.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "liegrad/dae/dense_lu.hpp"
#include "liegrad/dae/minimum_norm.hpp"
#include "liegrad/dae/sparse_solver.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::dae {

namespace {

using Entry = std::pair<int, int>;

bool by_column(const Entry& a, const Entry& b) {
  return a.second != b.second ? a.second < b.second : a.first < b.first;
}

std::string text(int row, int column) {
  return "(" + std::to_string(row) + ", " + std::to_string(column) + ")";
}

std::vector<Entry> sorted(const SparsePattern& pattern) {
  const int n = pattern.size;
  if (n < 1) {
    throw InvalidArgument("a linear solver of size " + std::to_string(n) +
                          " has nothing to solve; the size must be positive");
  }
  for (const auto& [row, column] : pattern.entries) {
    if (row < 0 || row >= n || column < 0 || column >= n) {
      throw InvalidArgument("the entry " + text(row, column) + " of a pattern is outside of its " +
                            std::to_string(n) + " rows and columns; count from zero");
    }
  }
  std::vector<Entry> entries = pattern.entries;
  std::sort(entries.begin(), entries.end(), by_column);
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  return entries;
}

}  // namespace

struct LinearSolver::Solver {
  std::variant<DenseLu, SparseSolver, MinimumNorm> any;

  /// Of the first stage are blocks with inertia.
  static std::vector<bool> has_inertia(const BlockStructure& blocks) {
    std::vector<bool> inert;
    for (const int block : blocks.block_of_unknown) {
      inert.push_back(blocks.stages[static_cast<std::size_t>(block)] == 0);
    }
    return inert;
  }

  static Solver make(const SparsePattern& pattern, const std::vector<Entry>& entries,
                     LinearSolverKind kind) {
    const int size = pattern.size;
    if (kind == LinearSolverKind::kAutomatic) {
      kind = size <= kLargestDenseSystem ? LinearSolverKind::kDense : LinearSolverKind::kSparse;
    }
    if (kind == LinearSolverKind::kDense) return {DenseLu(size, has_inertia(pattern.blocks))};
    if (kind == LinearSolverKind::kSparse) return {SparseSolver(size, entries, pattern.blocks)};
    return {MinimumNorm(size)};
  }

  // A comparison or two, where std::visit would jump through a table.
  template <class F>
  auto visit(F&& f) {
    if (auto* dense = std::get_if<DenseLu>(&any)) return f(*dense);
    if (auto* sparse = std::get_if<SparseSolver>(&any)) return f(*sparse);
    return f(*std::get_if<MinimumNorm>(&any));
  }
};

LinearSolver::LinearSolver(const SparsePattern& pattern, LinearSolverKind kind)
    : entries_(sorted(pattern)),
      solver_(std::make_unique<Solver>(Solver::make(pattern, entries_, kind))) {}
LinearSolver::~LinearSolver() = default;
LinearSolver::LinearSolver(LinearSolver&&) noexcept = default;
LinearSolver& LinearSolver::operator=(LinearSolver&&) noexcept = default;

LinearSolverKind LinearSolver::kind() const {
  constexpr LinearSolverKind kKinds[] = {LinearSolverKind::kDense, LinearSolverKind::kSparse,
                                         LinearSolverKind::kMinimumNorm};
  return kKinds[solver_->any.index()];
}

int LinearSolver::size() const {
  return solver_->visit([](const auto& s) { return s.size(); });
}

int LinearSolver::position(int row, int column) const {
  if (!std::binary_search(entries_.begin(), entries_.end(), Entry(row, column), by_column)) {
    throw InvalidArgument("the entry " + text(row, column) +
                          " is not in the pattern of the linear solver; add it to the pattern");
  }
  return solver_->visit([&](const auto& s) { return s.position(row, column); });
}

std::span<double> LinearSolver::values() {
  return solver_->visit([](auto& s) { return s.values(); });
}

bool LinearSolver::factorize() {
  return solver_->visit([](auto& s) { return s.factorize(); });
}

int LinearSolver::singular_unknown() const {
  return solver_->visit([](const auto& s) { return s.singular_unknown(); });
}

void LinearSolver::solve(std::span<double> b) const {
  solver_->visit([&](const auto& s) { s.solve(b); });
}

void LinearSolver::solve_transposed(std::span<double> b) const {
  solver_->visit([&](const auto& s) { s.solve_transposed(b); });
}

double LinearSolver::condition_estimate() const {
  return solver_->visit([](const auto& s) { return s.condition(); });
}

}  // namespace liegrad::dae
