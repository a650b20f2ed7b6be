#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "liegrad/dae/equations/matrix_entries.hpp"
#include "liegrad/dae/linear/block_lu.hpp"
#include "liegrad/dae/linear/linear_solver_kind.hpp"

namespace liegrad::dae {

/// Where a square matrix may have non-zero entries: (row, column), in any order; an entry may be named
/// more than once.
struct SparsePattern {
  int size = 0;
  std::vector<std::pair<int, int>> entries = {};
  /// Blocks for the sparse solver, if they are known.
  BlockStructure blocks = {};
};

/// Systems up to this size are solved densely unless told otherwise: for chains of bodies with joints
/// dense and sparse factors take the same time at about 40 unknowns.
inline constexpr int kLargestDenseSystem = 36;

/// A x = b for matrices of one pattern, again and again:
///
///     std::ranges::fill(solver.values(), 0.0);
///     solver.values()[position] += …;          // positions are looked up once
///     if (!solver.factorize()) …               // solver.singular_unknown()
///     solver.solve(b);
///
/// Neither factorize() nor a solution allocates, except that the sparse solver does when it has to
/// choose new pivots, and the minimum-norm solver, which may always. An object belongs to one thread
/// at a time.
class LinearSolver {
 public:
  /// Throws InvalidArgument when the size is not positive or an entry is outside of the matrix.
  explicit LinearSolver(const SparsePattern& pattern,
                        LinearSolverKind kind = LinearSolverKind::kAutomatic);
  ~LinearSolver();
  LinearSolver(LinearSolver&&) noexcept;
  LinearSolver& operator=(LinearSolver&&) noexcept;

  /// What solves: never kAutomatic.
  LinearSolverKind kind() const;
  int size() const;

  /// The index into values() of an entry of the pattern; throws InvalidArgument for any other.
  int position(int row, int column) const;
  /// The same, or nothing.
  std::optional<int> find(int row, int column) const;
  /// The pattern.
  const MatrixEntries& entries() const { return *entries_; }
  /// All numbers that the factorisation reads. factorize() does not change them.
  std::span<double> values();

  /// False if the matrix is singular as far as rounding lets one tell, or not finite.
  bool factorize();
  /// Faster, as values() are lost: they must be filled anew, and given to factorize() where this returns false. A small
  /// system reduces a right-hand side with its matrix, see solve_filled().
  bool factorize_in_place(std::span<const double> right = {});
  /// A large matrix can be factorised in place while it is filled, so that numbers are eliminated where they still are in
  /// the cache. Unknowns belong to pivots, which are eliminated in the order of their numbers:
  ///
  ///     if (!solver.begin_filling(right)) …      // then it must be filled first
  ///     solver.clear_until(pivot);               // before something is added to entries of unknowns of earlier pivots
  ///     solver.eliminate_until(pivot);           // when nothing more will be added to these
  ///     solver.finish_filling();
  ///
  /// The last two return false where they fail, as factorize_in_place() does. A right-hand side that is filled with the
  /// matrix, equation by equation, is reduced with it, and solve_filled() gives its solution, once: half of the factors
  /// need not be read again.
  bool begin_filling(std::span<const double> right = {});
  void clear_until(int pivot);
  bool eliminate_until(int pivot);
  bool finish_filling();
  /// False, and nothing is done, if there is no such right-hand side.
  bool solve_filled(std::span<double> x) const;
  /// 0 where matrices are not factorised by pivots of several unknowns.
  int pivot_of(int unknown) const;
  /// After a failure: an unknown that the equations do not determine, as its column is a combination
  /// of others (or contains the number that is not finite); else -1.
  int singular_unknown() const;

  /// In place; only after a factorize() that returned true.
  void solve(std::span<double> b) const;
  /// Aᵀ x = b.
  void solve_transposed(std::span<double> b) const;
  /// The same of many right-hand sides, of which b has all numbers of an equation side by side. Memory grows with their
  /// number when it is larger than ever before.
  void solve(int columns, std::span<double> b) const;
  void solve_transposed(int columns, std::span<double> b) const;

 private:
  struct Solver;

  std::shared_ptr<const MatrixEntries> entries_;
  std::unique_ptr<Solver> solver_;
  std::vector<int> column_ends_;  // of entries_
};

}  // namespace liegrad::dae
