// Directions that a Jacobian determines: against one that is made of its singular values and vectors.

#include "liegrad/optimize/fit/directions.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>

namespace liegrad::testing {
namespace {

/// Columns are orthonormal.
Eigen::MatrixXd orthonormal(int rows, int columns) {
  std::srand(7);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(Eigen::MatrixXd::Random(rows, columns));
  return qr.householderQ() * Eigen::MatrixXd::Identity(rows, columns);
}

TEST(Directions, AreTheRightSingularVectors) {
  constexpr int kRows = 40, kColumns = 5, kRank = 3;
  const Eigen::VectorXd singular = Eigen::Vector<double, kColumns>(1e3, 2, 1e-3, 1e-9, 0);
  const Eigen::MatrixXd v = orthonormal(kColumns, kColumns);
  const optimize::Directions found =
      optimize::directions_of(orthonormal(kRows, kColumns) * singular.asDiagonal() * v.transpose());

  ASSERT_EQ(found.effects.size(), kRank);
  ASSERT_EQ(found.determined.cols(), kRank);
  ASSERT_EQ(found.undetermined.cols(), kColumns - kRank);
  // Rounding of the largest one, which the others share.
  const double rounding = 1e-14 * singular(0);
  for (int i = 0; i < kRank; ++i) {
    EXPECT_NEAR(found.effects(i), singular(i), rounding);
    // A vector turns by rounding over its distance from the other singular values.
    EXPECT_NEAR(std::abs(found.determined.col(i).dot(v.col(i))), 1, rounding / singular(i));
  }
  EXPECT_LE((found.undetermined.transpose() * v.leftCols(kRank)).norm(),
            rounding / singular(kRank - 1));
  EXPECT_LE((found.undetermined.transpose() * found.undetermined -
             Eigen::MatrixXd::Identity(kColumns - kRank, kColumns - kRank))
                .norm(),
            1e-14);
}

TEST(Directions, OfASquareJacobianWithoutEffectAreAllUndetermined) {
  const optimize::Directions found = optimize::directions_of(Eigen::MatrixXd::Zero(3, 3));
  EXPECT_EQ(found.determined.cols(), 0);
  EXPECT_EQ(found.undetermined.cols(), 3);
  EXPECT_EQ(found.effects.size(), 0);
}

}  // namespace
}  // namespace liegrad::testing
