#pragma once

#include <cstddef>
#include <span>

#include <gtest/gtest.h>
#include <Eigen/Core>

namespace liegrad::dae {

/// Solutions of many right-hand sides, which stand side by side, are those of one after the other but for rounding, which
/// the condition of the matrix makes a relative tolerance of.
template <class Solver>
void expect_as_one_by_one(const Solver& solver, Eigen::Index n, double tolerance) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto numbers = [](auto& x) {
    return std::span<double>(x.data(), static_cast<std::size_t>(x.size()));
  };
  for (const int columns : {2, 8, 21}) {
    const RowMajor b = RowMajor::Random(n, columns);
    RowMajor x = b, y = b;
    solver.solve(columns, numbers(x));
    solver.solve_transposed(columns, numbers(y));
    for (int c = 0; c < columns; ++c) {
      Eigen::VectorXd one = b.col(c), other = one;
      solver.solve(numbers(one));
      solver.solve_transposed(numbers(other));
      EXPECT_LE((x.col(c) - one).norm(), tolerance * one.norm()) << c << " of " << columns;
      EXPECT_LE((y.col(c) - other).norm(), tolerance * other.norm()) << c << " of " << columns;
    }
  }
}

}  // namespace liegrad::dae
