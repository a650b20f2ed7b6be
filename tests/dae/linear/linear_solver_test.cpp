// The linear solvers against Eigen's FullPivLU on random, saddle-point and singular matrices.

#include "liegrad/dae/linear/linear_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>

#include <Eigen/LU>
#include <Eigen/SVD>

#include "liegrad/dae/linear/sparse_lu.hpp"
#include "liegrad/lie/error.hpp"
#include "support/allocations.hpp"

#include "many_right_sides.hpp"

namespace liegrad::dae {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::Allocation;
using test::allocations_of;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr LinearSolverKind kDense = LinearSolverKind::kDense;
constexpr LinearSolverKind kSparse = LinearSolverKind::kSparse;
constexpr LinearSolverKind kMinimumNorm = LinearSolverKind::kMinimumNorm;
constexpr LinearSolverKind kExactKinds[] = {kDense, kSparse};

/// The entries that are not zero, last first and each of them twice.
SparsePattern pattern_of(const MatrixXd& a) {
  SparsePattern pattern{.size = static_cast<int>(a.rows())};
  for (int repetition = 0; repetition < 2; ++repetition) {
    for (int i = pattern.size - 1; i >= 0; --i) {
      for (int j = 0; j < pattern.size; ++j) {
        if (a(i, j) != 0) pattern.entries.emplace_back(i, j);
      }
    }
  }
  return pattern;
}

/// Zero-fills and adds, in two halves.
void assemble(LinearSolver& solver, const MatrixXd& a) {
  std::ranges::fill(solver.values(), 0.0);
  for (int i = 0; i < a.rows(); ++i) {
    for (int j = 0; j < a.cols(); ++j) {
      if (a(i, j) == 0) continue;
      const auto position = static_cast<std::size_t>(solver.position(i, j));
      solver.values()[position] += 0.5 * a(i, j);
      solver.values()[position] += 0.5 * a(i, j);
    }
  }
}

VectorXd solved(const LinearSolver& solver, VectorXd b) {
  solver.solve({b.data(), static_cast<std::size_t>(b.size())});
  return b;
}
VectorXd solved_transposed(const LinearSolver& solver, VectorXd b) {
  solver.solve_transposed({b.data(), static_cast<std::size_t>(b.size())});
  return b;
}

double one_norm(const MatrixXd& a) { return a.cwiseAbs().colwise().sum().maxCoeff(); }

/// Factorises and solves. Elimination with pivots is backward stable: errors are those of changing A
/// by some n ε |A|, of which the condition number makes errors of the solution.
void expect_solution(LinearSolver& solver, const MatrixXd& a) {
  assemble(solver, a);
  ASSERT_TRUE(solver.factorize()) << "singular at " << solver.singular_unknown();
  EXPECT_EQ(solver.singular_unknown(), -1);
  const auto n = a.rows();
  const VectorXd b = VectorXd::LinSpaced(n, 1, 2) + VectorXd::Unit(n, n / 2);
  const Eigen::FullPivLU<MatrixXd> exact(a);
  const double condition = one_norm(a) * one_norm(exact.inverse());
  const double tolerance = 10 * static_cast<double>(n) * kEpsilon * condition;
  const VectorXd x = exact.solve(b), y = MatrixXd(a.transpose()).fullPivLu().solve(b);
  EXPECT_LE((solved(solver, b) - x).norm(), tolerance * x.norm());
  EXPECT_LE((solved_transposed(solver, b) - y).norm(), tolerance * y.norm());
  expect_as_one_by_one(solver, n, tolerance);
}

/// `filled` of the entries, and an entry in every row and column.
MatrixXd random_matrix(int n, double filled, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  MatrixXd a = MatrixXd::Zero(n, n);
  std::vector<int> column(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) column[static_cast<std::size_t>(i)] = i;
  std::shuffle(column.begin(), column.end(), rng);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (uniform(rng) < filled || j == column[static_cast<std::size_t>(i)]) a(i, j) = normal(rng);
    }
  }
  return a;
}

/// (M/h² Bᵀ; B 0) with m constraints: a step of size h of a constrained system.
MatrixXd saddle_point(int n, int m, double h, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  MatrixXd a = MatrixXd::Zero(n + m, n + m);
  for (int i = 0; i < n; ++i) {
    a(i, i) = (1 + std::abs(normal(rng))) / (h * h);
    if (i > 0) a(i, i - 1) = a(i - 1, i) = 0.1 * normal(rng) / (h * h);
  }
  for (int k = 0; k < m; ++k) {
    for (int j = k; j < std::min(n, k + 3); ++j)
      a(n + k, j) = a(j, n + k) = normal(rng) + 3 * (j == k);
  }
  return a;
}

TEST(LinearSolver, SolvesDenselyAndSparselyLikeEigen) {
  std::mt19937 rng(1);
  for (int n = 1; n <= 70; n = n < 20 ? n + 1 : n + 7) {
    for (const double filled : {1.0, 0.3}) {
      const MatrixXd a = random_matrix(n, filled, rng);
      for (const LinearSolverKind kind : kExactKinds) {
        SCOPED_TRACE(testing::Message() << "size " << n << ", filled " << filled << ", kind "
                                        << static_cast<int>(kind));
        LinearSolver solver(pattern_of(a), kind);
        EXPECT_EQ(solver.kind(), kind);
        EXPECT_EQ(solver.size(), n);
        expect_solution(solver, a);
      }
    }
  }
}

TEST(LinearSolver, SolvesSaddlePointsOfLargeAndSmallSteps) {
  std::mt19937 rng(2);
  for (const LinearSolverKind kind : kExactKinds) {
    for (const auto& [n, m] : {std::pair{6, 3}, std::pair{12, 5}, std::pair{40, 20}}) {
      for (const double h : {1.0, 1e-3}) {
        const MatrixXd a = saddle_point(n, m, h, rng);
        SCOPED_TRACE(testing::Message() << n << " + " << m << ", h = " << h);
        LinearSolver solver(pattern_of(a), kind);
        expect_solution(solver, a);
      }
      // The pivots of the multipliers are now smaller than rounding of the others, but no rounding.
      LinearSolver solver(pattern_of(saddle_point(n, m, 1, rng)), kind);
      assemble(solver, saddle_point(n, m, 1e-9, rng));
      EXPECT_TRUE(solver.factorize()) << n << ", " << static_cast<int>(kind);
    }
  }
}

TEST(LinearSolver, StaysAccurateWhenItsPivotsBecomeBad) {
  std::mt19937 rng(3);
  for (const LinearSolverKind kind : kExactKinds) {
    for (const int n : {9, 20, 80}) {
      const MatrixXd a = random_matrix(n, n < 20 ? 1 : 0.1, rng);
      LinearSolver solver(pattern_of(a), kind);
      // Every other entry grows or shrinks by up to ten orders of magnitude, in turns.
      std::uniform_real_distribution<double> exponent(-5, 5);
      for (int k = 0; k < 10; ++k) {
        MatrixXd changed = a;
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) {
            if ((i + j + k) % 2 == 0) changed(i, j) *= std::pow(10, exponent(rng));
          }
        }
        // Residuals, as conditions are such that solutions mean little.
        assemble(solver, changed);
        ASSERT_TRUE(solver.factorize());
        const VectorXd b = VectorXd::Ones(n), x = solved(solver, b);
        const VectorXd y = solved_transposed(solver, b);
        const double tolerance = 100 * n * kEpsilon;
        EXPECT_LE((changed * x - b).norm(), tolerance * (changed.norm() * x.norm() + b.norm()));
        EXPECT_LE((changed.transpose() * y - b).norm(),
                  tolerance * (changed.norm() * y.norm() + b.norm()));
      }
    }
  }
}

TEST(SparseLu, KeepsPivotsWhileTheyAreGoodAndChoosesNewOnesAfterwards) {
  // (δ 1; 1 1): the first pivot is good for δ = 1, but not for δ = 1e-10, where it costs ten digits.
  const std::vector<std::pair<int, int>> all = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  SparseLu lu(2, all);
  const auto relative_residual = [&](double delta) {
    const double values[] = {delta, 1, 1, 1};
    std::ranges::copy(values, lu.values().begin());
    EXPECT_TRUE(lu.factorize());
    double x[] = {1, 3};
    lu.solve(x);
    const double size = (delta + 1) * std::abs(x[0]) + 2 * std::abs(x[1]) + 4;
    return (std::abs(delta * x[0] + x[1] - 1) + std::abs(x[0] + x[1] - 3)) / size;
  };
  EXPECT_LE(relative_residual(2), kEpsilon);
  EXPECT_LE(relative_residual(1.5), kEpsilon);
  EXPECT_EQ(lu.num_pivotings(), 1);
  EXPECT_LE(relative_residual(1e-10), kEpsilon);
  EXPECT_EQ(lu.num_pivotings(), 2);
  EXPECT_LE(relative_residual(0), kEpsilon);
  EXPECT_EQ(lu.num_pivotings(), 2);
}

TEST(LinearSolver, NamesTheUnknownOfASingularMatrix) {
  std::mt19937 rng(4);
  for (const LinearSolverKind kind : kExactKinds) {
    for (const int n : {2, 9, 16, 17, 40}) {
      const MatrixXd regular = random_matrix(n, 1, rng);
      LinearSolver solver(pattern_of(regular), kind);
      const int j = n / 2, other = n - 1;
      SCOPED_TRACE(testing::Message() << "size " << n << ", kind " << static_cast<int>(kind));

      MatrixXd a = regular;
      a.col(j).setZero();
      assemble(solver, a);
      EXPECT_FALSE(solver.factorize());
      EXPECT_EQ(solver.singular_unknown(), j);

      // One column is another one times a number that rounds, with scales that do not matter.
      a = regular;
      a.col(other) = (1e8 / 3.0) * a.col(0);
      assemble(solver, a);
      EXPECT_FALSE(solver.factorize());
      EXPECT_TRUE(kind == kSparse || solver.singular_unknown() == other);
      EXPECT_TRUE(solver.singular_unknown() >= 0 && solver.singular_unknown() < n);

      // And it recovers.
      expect_solution(solver, regular);
    }
  }
  // An unknown that no equation contains.
  for (const LinearSolverKind kind : kExactKinds) {
    LinearSolver solver({.size = 3, .entries = {{0, 0}, {1, 0}, {2, 2}}}, kind);
    std::ranges::fill(solver.values(), 0.0);
    solver.values()[static_cast<std::size_t>(solver.position(0, 0))] = 1;
    solver.values()[static_cast<std::size_t>(solver.position(2, 2))] = 1;
    EXPECT_FALSE(solver.factorize());
    EXPECT_EQ(solver.singular_unknown(), 1);
  }
}

TEST(LinearSolver, NamesAnUnknownOfRedundantConstraints) {
  std::mt19937 rng(5);
  for (const LinearSolverKind kind : kExactKinds) {
    MatrixXd a = saddle_point(12, 4, 1e-3, rng);
    a.row(15) = a.row(13) + a.row(14) / 3;
    a.col(15) = a.row(15).transpose();
    LinearSolver solver(pattern_of(a), kind);
    assemble(solver, a);
    EXPECT_FALSE(solver.factorize());
    // One of the three multipliers, as the dense solver says for sure.
    EXPECT_TRUE(kind == kSparse || solver.singular_unknown() == 15);
  }
}

/// That of saddle_point(), with the inertias known.
SparsePattern pattern_with_inertias(const MatrixXd& a, int num_constraints) {
  SparsePattern pattern = pattern_of(a);
  for (int i = 0; i < pattern.size; ++i) {
    pattern.blocks.block_of_unknown.push_back(i);
    pattern.blocks.stages.push_back(i < pattern.size - num_constraints ? 0 : 1);
  }
  return pattern;
}

TEST(LinearSolver, EliminatesInTheOrderOfInertiasAndReducesARightHandSide) {
  std::mt19937 rng(12);
  for (const auto& [n, m] : {std::pair{1, 0}, std::pair{2, 1}, std::pair{6, 3}, std::pair{9, 3},
                             std::pair{13, 6}, std::pair{24, 11}}) {
    // With the smallest inertias rows are exchanged.
    for (const double h : {0.1, 1.0, 30.0}) {
      SCOPED_TRACE(testing::Message() << n << " + " << m << ", h = " << h);
      const MatrixXd a = saddle_point(n, m, h, rng);
      LinearSolver solver(pattern_with_inertias(a, m), kDense), searching(pattern_of(a), kDense);
      expect_solution(searching, a);
      expect_solution(solver, a);
      const VectorXd b = VectorXd::LinSpaced(n + m, 1, 2);
      const VectorXd x = solved(solver, b), y = solved_transposed(solver, b);

      assemble(solver, a);
      ASSERT_TRUE(solver.factorize_in_place({b.data(), static_cast<std::size_t>(b.size())}));
      VectorXd reduced(n + m);
      const std::span<double> out(reduced.data(), static_cast<std::size_t>(n + m));
      ASSERT_TRUE(solver.solve_filled(out));
      EXPECT_FALSE(solver.solve_filled(out)) << "there is only one";
      EXPECT_LE((reduced - x).norm(), 1e-12 * x.norm());
      EXPECT_EQ(solved(solver, b), x) << "factors are the same in place";
      EXPECT_EQ(solved_transposed(solver, b), y);
    }
  }
}

TEST(LinearSolver, NamesTheSameUnknownInTheOrderOfInertias) {
  std::mt19937 rng(13);
  MatrixXd a = saddle_point(12, 4, 1, rng);
  a.row(15) = a.row(13) + a.row(14) / 3;
  a.col(15) = a.row(15).transpose();
  LinearSolver solver(pattern_with_inertias(a, 4), kDense);
  for (int repetition = 0; repetition < 2; ++repetition) {
    assemble(solver, a);
    EXPECT_FALSE(solver.factorize_in_place());
    assemble(solver, a);
    EXPECT_FALSE(solver.factorize());
    EXPECT_EQ(solver.singular_unknown(), 15);
  }
  a(3, 3) = std::numeric_limits<double>::quiet_NaN();
  assemble(solver, a);
  EXPECT_FALSE(solver.factorize_in_place());
}

TEST(LinearSolver, RefusesNumbersThatAreNotFinite) {
  std::mt19937 rng(6);
  for (const LinearSolverKind kind : {kDense, kSparse, kMinimumNorm}) {
    for (const int n : {1, 5, 9, 20}) {
      const MatrixXd regular = random_matrix(n, 0.5, rng);
      const SparsePattern pattern = pattern_of(regular);
      LinearSolver solver(pattern, kind);
      for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        for (const auto& [i, j] : pattern.entries) {
          assemble(solver, regular);
          solver.values()[static_cast<std::size_t>(solver.position(i, j))] = bad;
          EXPECT_FALSE(solver.factorize()) << i << ", " << j << " of " << n;
          EXPECT_TRUE(solver.singular_unknown() >= 0 && solver.singular_unknown() < n);
        }
      }
      assemble(solver, regular);
      EXPECT_TRUE(solver.factorize());
    }
  }
}

TEST(LinearSolver, FindsTheShortestSolutionOfAConsistentSingularSystem) {
  std::mt19937 rng(8);
  for (const int n : {4, 9, 30}) {
    // Of rank n - 2.
    MatrixXd a = random_matrix(n, 1, rng);
    a.col(1) = 2 * a.col(0) - a.col(2);
    a.col(3) = a.col(0) + 3 * a.col(2);
    LinearSolver solver(pattern_of(a), kMinimumNorm);
    EXPECT_EQ(solver.kind(), kMinimumNorm);
    assemble(solver, a);
    ASSERT_TRUE(solver.factorize());
    const Eigen::JacobiSVD<MatrixXd> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
    VectorXd inverse = svd.singularValues();
    for (int i = 0; i < n; ++i) inverse(i) = i < n - 2 ? 1 / inverse(i) : 0;
    const MatrixXd pseudo = svd.matrixV() * inverse.asDiagonal() * svd.matrixU().transpose();
    const double condition = svd.singularValues()(0) * inverse.maxCoeff();
    const double tolerance = 10 * n * kEpsilon * condition * condition;
    const VectorXd b = a * VectorXd::LinSpaced(n, -1, 2), x = pseudo * b;
    const VectorXd bt = a.transpose() * VectorXd::LinSpaced(n, 1, 3), y = pseudo.transpose() * bt;
    EXPECT_LE((solved(solver, b) - x).norm(), tolerance * x.norm());
    EXPECT_LE((a * solved(solver, b) - b).norm(), tolerance * b.norm());
    EXPECT_LE((solved_transposed(solver, bt) - y).norm(), tolerance * y.norm());
  }
  // Where there is an inverse, it is the solution.
  const MatrixXd a = random_matrix(9, 1, rng);
  LinearSolver solver(pattern_of(a), kMinimumNorm);
  expect_solution(solver, a);
}

TEST(LinearSolver, ChoosesByTheSize) {
  const auto kind = [](int n) { return LinearSolver(pattern_of(MatrixXd::Identity(n, n))).kind(); };
  EXPECT_EQ(kind(1), kDense);
  EXPECT_EQ(kind(kLargestDenseSystem), kDense);
  EXPECT_EQ(kind(kLargestDenseSystem + 1), kSparse);
}

TEST(LinearSolver, RejectsPatternsAndEntriesThatDoNotExist) {
  EXPECT_THROW(LinearSolver({.size = 0}), InvalidArgument);
  EXPECT_THROW(LinearSolver({.size = 2, .entries = {{0, 2}}}), InvalidArgument);
  EXPECT_THROW(LinearSolver({.size = 2, .entries = {{-1, 0}}}), InvalidArgument);
  const LinearSolver solver({.size = 2, .entries = {{0, 0}, {1, 1}}});
  EXPECT_THROW(solver.position(0, 1), InvalidArgument);
  EXPECT_THROW(solver.position(5, 5), InvalidArgument);
}

TEST_F(Allocation, OfALinearSolverIsNoneAfterItsFirstFactorisation) {
  EXPECT_EQ(allocations_of([] { test::keep(std::vector<double>(10)); }), 1);
  std::mt19937 rng(9);
  for (const LinearSolverKind kind : kExactKinds) {
    for (const auto& [n, m] : {std::pair{6, 3}, std::pair{20, 5}, std::pair{60, 30}}) {
      const MatrixXd a = saddle_point(n, m, 0.1, rng);
      LinearSolver solver(pattern_of(a), kind);
      assemble(solver, a);
      ASSERT_TRUE(solver.factorize());
      std::vector<double> b(static_cast<std::size_t>(n + m), 1.0);
      EXPECT_EQ(allocations_of([&] {
                  for (double& value : solver.values()) value *= 1.25;
                  solver.factorize();
                  solver.solve(b);
                  solver.solve_transposed(b);
                }),
                0)
          << n << ", " << static_cast<int>(kind);
    }
  }
}

}  // namespace
}  // namespace liegrad::dae
