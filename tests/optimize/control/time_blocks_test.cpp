// Elimination in time against dense factorisations and eigenvalues.

#include "liegrad/control/time_blocks.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <random>

#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

int negative_eigenvalues(const Eigen::MatrixXd& a) {
  const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a).eigenvalues();
  return static_cast<int>((values.array() < 0).count());
}

Eigen::MatrixXd random_matrix(int n, std::mt19937& generator) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd a(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) a(i, j) = a(j, i) = normal(generator);
  }
  return a;
}

/// A matrix of one stage, all of it.
struct Dense {
  explicit Dense(const Eigen::MatrixXd& a) {
    const auto n = static_cast<int>(a.rows());
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        rows.push_back(i);
        columns.push_back(j);
        entries.push_back(a(i, j));
      }
    }
    stages.assign(static_cast<std::size_t>(n), 0);
  }
  std::vector<int> stages, rows, columns;
  std::vector<double> entries;
};

TEST(Front, SolvesAndCountsSignsOfIndefiniteMatrices) {
  std::mt19937 generator(3);
  for (int n = 1; n <= 24; ++n) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      Eigen::MatrixXd a = random_matrix(n, generator);
      // Zeros on the diagonal, as rows of constraints have.
      if (repeat % 2 == 0) a.diagonal().tail(n / 2).setZero();
      if (repeat % 4 == 0 && n > 1) a.diagonal().setZero();
      if (std::abs(a.determinant()) < 1e-3) continue;
      const Dense dense(a);
      TimeBlocks blocks(dense.stages, dense.rows, dense.columns);
      ASSERT_TRUE(blocks.factorize(dense.entries));
      EXPECT_EQ(blocks.negative(), negative_eigenvalues(a)) << n;
      const Eigen::VectorXd x = Eigen::VectorXd::Random(n);
      Eigen::VectorXd b = a * x;
      blocks.solve({b.data(), static_cast<std::size_t>(n)});
      EXPECT_LT((b - x).cwiseAbs().maxCoeff(), 1e-7) << n;
    }
  }
}

TEST(Front, RefusesASingularMatrix) {
  for (const Eigen::MatrixXd& a : {Eigen::MatrixXd(Eigen::MatrixXd::Zero(3, 3)),
                                   Eigen::MatrixXd(Eigen::MatrixXd::Ones(2, 2))}) {
    const Dense dense(a);
    TimeBlocks blocks(dense.stages, dense.rows, dense.columns);
    EXPECT_FALSE(blocks.factorize(dense.entries));
  }
}

struct Sparse {
  std::vector<int> stages, rows, columns;
  std::vector<double> entries;
  Eigen::MatrixXd dense;
};

/// Stages of 3 to 5 unknowns with a border of `border`, in an order that mixes them.
Sparse random_blocks(int num_stages, int border, std::mt19937& generator) {
  Sparse a;
  for (int n = 0; n < num_stages; ++n) {
    for (int i = 0; i < 3 + n % 3; ++i) a.stages.push_back(n);
  }
  for (int i = 0; i < border; ++i) a.stages.push_back(TimeBlocks::kBorder);
  std::shuffle(a.stages.begin(), a.stages.end(), generator);
  const int size = static_cast<int>(a.stages.size());
  a.dense = Eigen::MatrixXd::Zero(size, size);
  std::normal_distribution<double> normal;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j <= i; ++j) {
      const int s = a.stages[static_cast<std::size_t>(i)],
                t = a.stages[static_cast<std::size_t>(j)];
      const bool coupled =
          s == TimeBlocks::kBorder || t == TimeBlocks::kBorder || std::abs(s - t) <= 1;
      if (!coupled) continue;
      // Entries are given in two parts, which are added.
      for (int part = 0; part < 2; ++part) {
        const double value = normal(generator);
        a.rows.push_back(i);
        a.columns.push_back(j);
        a.entries.push_back(value);
        a.dense(i, j) += value;
      }
      a.dense(j, i) = a.dense(i, j);
    }
  }
  return a;
}

TEST(TimeBlocks, SolveAndCountSignsOfBorderedBlockTridiagonalMatrices) {
  std::mt19937 generator(5);
  for (const int num_stages : {1, 2, 3, 10}) {
    for (const int border : {0, 1, 3}) {
      const Sparse a = random_blocks(num_stages, border, generator);
      TimeBlocks blocks(a.stages, a.rows, a.columns);
      for (int repeat = 0; repeat < 2; ++repeat) {
        ASSERT_TRUE(blocks.factorize(a.entries));
        EXPECT_EQ(blocks.negative(), negative_eigenvalues(a.dense));
        const Eigen::VectorXd x = Eigen::VectorXd::Random(a.dense.rows());
        Eigen::VectorXd b = a.dense * x;
        blocks.solve({b.data(), static_cast<std::size_t>(b.size())});
        EXPECT_LT((b - x).cwiseAbs().maxCoeff(), 1e-8);
      }
    }
  }
}

/// Steps with unknowns of their own: of the `width` unknowns of a stage the first `shared` are coupled with the stage
/// behind, all others with their own stage and what is shared of the one before.
Sparse inner_blocks(int num_stages, int width, int shared, int border, std::mt19937& generator) {
  Sparse a;
  const int size = num_stages * width + border;
  for (int i = 0; i < size; ++i) {
    a.stages.push_back(i < num_stages * width ? i / width : TimeBlocks::kBorder);
  }
  a.dense = Eigen::MatrixXd::Zero(size, size);
  std::normal_distribution<double> normal;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j <= i; ++j) {
      const int s = a.stages[static_cast<std::size_t>(i)],
                t = a.stages[static_cast<std::size_t>(j)];
      const bool coupled = s == TimeBlocks::kBorder || s == t || (s == t + 1 && j % width < shared);
      if (!coupled) continue;
      // Half of what belongs to one stage has no diagonal, as multipliers of steps have none.
      if (i == j && s != TimeBlocks::kBorder && i % width > (shared + width) / 2) continue;
      a.rows.push_back(i);
      a.columns.push_back(j);
      a.entries.push_back(normal(generator));
      a.dense(i, j) = a.dense(j, i) = a.entries.back();
    }
  }
  return a;
}

TEST(TimeBlocks, EliminateInnerUnknownsFirstWithTheSameResult) {
  std::mt19937 generator(6);
  for (const int num_stages : {1, 2, 3, 12}) {
    for (const int shared : {0, 2, 4}) {
      for (const int border : {0, 2}) {
        const Sparse a = inner_blocks(num_stages, 14, shared, border, generator);
        TimeBlocks stages(a.stages, a.rows, a.columns),
            inner(a.stages, a.rows, a.columns, FrontOrder::kInnerFirst);
        ASSERT_TRUE(stages.factorize(a.entries));
        for (int repeat = 0; repeat < 2; ++repeat) {
          ASSERT_TRUE(inner.factorize(a.entries));
          EXPECT_EQ(inner.negative(), negative_eigenvalues(a.dense));
          const Eigen::VectorXd x = Eigen::VectorXd::Random(a.dense.rows());
          Eigen::VectorXd b = a.dense * x;
          inner.solve({b.data(), static_cast<std::size_t>(b.size())});
          EXPECT_LT((b - x).cwiseAbs().maxCoeff(), 1e-7) << num_stages << ' ' << shared;
        }
        // What a stage hands on is what is shared, not all that the next one touches it with.
        if (num_stages > 2 && shared > 0) {
          EXPECT_LT(inner.num_factor_entries(), stages.num_factor_entries());
        }
      }
    }
  }
}

/// Stages that are singular by themselves, or nearly, although the matrix is not: their unknowns wait for the next one.
TEST(TimeBlocks, DelayUnknownsThatHaveNoPivotInTheirStage) {
  std::mt19937 generator(7);
  for (const double size : {0.0, 1e-14, 1e-9}) {
    for (const int border : {0, 2}) {
      Sparse a = random_blocks(8, border, generator);
      a.dense.setZero();
      for (std::size_t k = 0; k < a.entries.size(); ++k) {
        const int i = a.rows[k], j = a.columns[k];
        const int s = a.stages[static_cast<std::size_t>(i)];
        if (s == a.stages[static_cast<std::size_t>(j)] && s % 3 == 0) a.entries[k] *= size;
        a.dense(i, j) += a.entries[k];
        if (i != j) a.dense(j, i) += a.entries[k];
      }
      for (const FrontOrder order : {FrontOrder::kStages, FrontOrder::kInnerFirst}) {
        TimeBlocks blocks(a.stages, a.rows, a.columns, order);
        ASSERT_TRUE(blocks.factorize(a.entries));
        EXPECT_GT(blocks.num_delayed(), 0);
        EXPECT_EQ(blocks.negative(), negative_eigenvalues(a.dense));
        const Eigen::VectorXd x = Eigen::VectorXd::Random(a.dense.rows());
        Eigen::VectorXd b = a.dense * x;
        blocks.solve({b.data(), static_cast<std::size_t>(b.size())});
        EXPECT_LT((b - x).cwiseAbs().maxCoeff(), 1e-8) << size;
      }
    }
  }
}

TEST(TimeBlocks, RefuseEntriesBetweenStagesThatAreNoNeighbours) {
  const std::vector<int> stages = {0, 1, 2}, rows = {2}, columns = {0};
  EXPECT_THROW(TimeBlocks(stages, rows, columns), InvalidArgument);
  EXPECT_THROW(TimeBlocks(stages, rows, columns, FrontOrder::kInnerFirst), InvalidArgument);
}

/// Half of the unknowns of each stage are scaled down so far that they have no pivot beside the others, in their own stage
/// and in all that follow: fronts would grow with the number of stages.
TEST(TimeBlocks, DoNotGrowWhereUnknownsAreScaledApart) {
  constexpr int kStages = 60, kHalf = 3, kWidth = 2 * kHalf, kSize = kStages * kWidth;
  std::mt19937 generator(8);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(kSize, kSize);
  Eigen::VectorXd scale(kSize);
  std::vector<int> stages, rows, columns;
  std::vector<double> entries;
  for (int i = 0; i < kSize; ++i) {
    stages.push_back(i / kWidth);
    scale(i) = i % kWidth < kHalf ? 1e-12 : 1.0;
    for (int j = std::max(0, (i / kWidth - 1) * kWidth); j <= i; ++j) {
      const double large = i == j ? (i % 2 == 0 ? 9.0 : -9.0) : 0.0;
      a(i, j) = a(j, i) = large + normal(generator);
      rows.push_back(i);
      columns.push_back(j);
      entries.push_back(scale(i) * scale(j) * a(i, j));
    }
  }
  TimeBlocks blocks(stages, rows, columns);
  ASSERT_TRUE(blocks.factorize(entries));
  EXPECT_EQ(blocks.negative(), negative_eigenvalues(a));
  EXPECT_LE(blocks.most_delayed(), kWidth);
  const Eigen::VectorXd x = Eigen::VectorXd::Random(kSize);
  // In units of the unknowns.
  Eigen::VectorXd b = scale.cwiseProduct(a * x);
  blocks.solve({b.data(), static_cast<std::size_t>(kSize)});
  EXPECT_LT((scale.cwiseProduct(b) - x).cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace liegrad::control
