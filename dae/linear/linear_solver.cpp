#include "liegrad/dae/linear/linear_solver.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <variant>

#include "liegrad/dae/linear/dense_lu.hpp"
#include "liegrad/dae/linear/minimum_norm.hpp"
#include "liegrad/dae/linear/sparse_solver.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::dae {

namespace {

using Entry = std::pair<int, int>;

std::string text(int row, int column) {
  return "(" + std::to_string(row) + ", " + std::to_string(column) + ")";
}

MatrixEntries sorted(const SparsePattern& pattern) {
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
  // By columns, and each of them by rows: linear in the number of entries.
  std::vector<int> ends(static_cast<std::size_t>(n) + 1, 0);
  for (const Entry& entry : pattern.entries) ++ends[static_cast<std::size_t>(entry.second) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<int> rows(pattern.entries.size()), next(ends.begin(), ends.end() - 1);
  for (const auto& [row, column] : pattern.entries) {
    rows[static_cast<std::size_t>(next[static_cast<std::size_t>(column)]++)] = row;
  }
  MatrixEntries entries;
  for (int column = 0; column < n; ++column) {
    const auto begin = rows.begin() + ends[static_cast<std::size_t>(column)];
    const auto end = rows.begin() + ends[static_cast<std::size_t>(column) + 1];
    std::sort(begin, end);
    std::for_each(begin, std::unique(begin, end),
                  [&](int row) { entries.emplace_back(row, column); });
  }
  entries.shrink_to_fit();
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

  static Solver make(const SparsePattern& pattern, std::shared_ptr<const MatrixEntries> entries,
                     LinearSolverKind kind) {
    const int size = pattern.size;
    if (kind == LinearSolverKind::kAutomatic) {
      kind = size <= kLargestDenseSystem ? LinearSolverKind::kDense : LinearSolverKind::kSparse;
    }
    if (kind == LinearSolverKind::kDense) return {DenseLu(size, has_inertia(pattern.blocks))};
    if (kind == LinearSolverKind::kSparse) {
      return {SparseSolver(size, std::move(entries), pattern.blocks)};
    }
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
    : entries_(std::make_shared<const MatrixEntries>(sorted(pattern))),
      solver_(std::make_unique<Solver>(Solver::make(pattern, entries_, kind))) {
  column_ends_.assign(static_cast<std::size_t>(pattern.size), 0);
  for (const auto& [row, column] : *entries_) ++column_ends_[static_cast<std::size_t>(column)];
  std::partial_sum(column_ends_.begin(), column_ends_.end(), column_ends_.begin());
}
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

std::optional<int> LinearSolver::find(int row, int column) const {
  if (row < 0 || column < 0 || column >= size()) return std::nullopt;
  const auto begin =
      entries_->begin() + (column == 0 ? 0 : column_ends_[static_cast<std::size_t>(column) - 1]);
  const auto end = entries_->begin() + column_ends_[static_cast<std::size_t>(column)];
  const auto found = std::lower_bound(begin, end, Entry(row, column));
  if (found == end || found->first != row) return std::nullopt;
  return solver_->visit([&](const auto& s) { return s.position(row, column); });
}

int LinearSolver::position(int row, int column) const {
  if (const std::optional<int> found = find(row, column)) return *found;
  throw InvalidArgument("the entry " + text(row, column) +
                        " is not in the pattern of the linear solver; add it to the pattern");
}

std::span<double> LinearSolver::values() {
  return solver_->visit([](auto& s) { return s.values(); });
}

bool LinearSolver::factorize() {
  return solver_->visit([](auto& s) { return s.factorize(); });
}

bool LinearSolver::factorize_in_place(std::span<const double> right) {
  if (auto* dense = std::get_if<DenseLu>(&solver_->any)) return dense->factorize_in_place(right);
  if (auto* sparse = std::get_if<SparseSolver>(&solver_->any)) return sparse->factorize_in_place();
  return factorize();
}

bool LinearSolver::begin_filling(std::span<const double> right) {
  auto* const sparse = std::get_if<SparseSolver>(&solver_->any);
  return sparse != nullptr && sparse->begin_filling(right);
}

void LinearSolver::clear_until(int pivot) {
  std::get_if<SparseSolver>(&solver_->any)->clear_until(pivot);
}

bool LinearSolver::eliminate_until(int pivot) {
  return std::get_if<SparseSolver>(&solver_->any)->eliminate_until(pivot);
}

bool LinearSolver::finish_filling() {
  return std::get_if<SparseSolver>(&solver_->any)->finish_filling();
}

bool LinearSolver::solve_filled(std::span<double> x) const {
  if (const auto* dense = std::get_if<DenseLu>(&solver_->any)) return dense->solve_reduced(x);
  const auto* const sparse = std::get_if<SparseSolver>(&solver_->any);
  return sparse != nullptr && sparse->solve_filled(x);
}

int LinearSolver::pivot_of(int unknown) const {
  const auto* const sparse = std::get_if<SparseSolver>(&solver_->any);
  return sparse != nullptr ? sparse->pivot_of(unknown) : 0;
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

void LinearSolver::solve(int columns, std::span<double> b) const {
  if (columns == 1) return solve(b);
  solver_->visit([&](const auto& s) { s.solve(columns, b); });
}

void LinearSolver::solve_transposed(int columns, std::span<double> b) const {
  if (columns == 1) return solve_transposed(b);
  solver_->visit([&](const auto& s) { s.solve_transposed(columns, b); });
}

}  // namespace liegrad::dae
