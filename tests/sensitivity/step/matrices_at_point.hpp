#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/sum_at_point.hpp"

namespace liegrad::testing {

inline double random_number(double size) {
  static std::mt19937 generator(7);
  return std::uniform_real_distribution<double>(-size, size)(generator);
}
inline std::vector<double> random_numbers(int count, double size) {
  std::vector<double> list(dae::index(count));
  for (double& x : list) x = random_number(size);
  return list;
}

/// Matrices of equations at their point, filled in.
class MatricesAtPoint {
 public:
  explicit MatricesAtPoint(sensitivity::SumAtPoint& equations)
      : f_(equations), n_(static_cast<int>(equations.point().size())) {}

  std::vector<double> residual() {
    std::vector<double> r(dae::index(f_.num_rows()), 0.0);
    f_.residual(r);
    return r;
  }
  Eigen::MatrixXd jacobian() {
    std::vector<double> entries(f_.jacobian_pattern().size(), 0.0);
    f_.jacobian(entries);
    Eigen::MatrixXd j = Eigen::MatrixXd::Zero(f_.num_rows(), n_);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      j(f_.jacobian_pattern()[i].first, f_.jacobian_pattern()[i].second) = entries[i];
    }
    return j;
  }
  Eigen::MatrixXd hessian(const std::vector<double>& weights) {
    std::vector<double> entries(f_.hessian_pattern().size(), 0.0);
    f_.hessian(weights, entries);
    Eigen::MatrixXd h = Eigen::MatrixXd::Zero(n_, n_);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto& [row, column] = f_.hessian_pattern()[i];
      EXPECT_GE(row, column);
      h(row, column) = h(column, row) = entries[i];
    }
    return h;
  }
  std::vector<double> gradient(const std::vector<double>& weights) {
    std::vector<double> g(dae::index(n_), 0.0);
    f_.adjoint(1, weights, g);
    return g;
  }
  /// Central differences of a function of the point, extrapolated once.
  template <class F>
  Eigen::MatrixXd difference(int rows, F&& f) {
    Eigen::MatrixXd d(rows, n_);
    for (int i = 0; i < n_; ++i) {
      double& x = f_.point()[dae::index(i)];
      const double at = x;
      const auto along = [&](double step) {
        x = at + step;
        const std::vector<double> up = f();
        x = at - step;
        const std::vector<double> down = f();
        x = at;
        Eigen::VectorXd column(rows);
        for (int k = 0; k < rows; ++k) {
          column(k) = (up[dae::index(k)] - down[dae::index(k)]) / (2 * step);
        }
        return column;
      };
      d.col(i) = (4 * along(1e-3) - along(2e-3)) / 3;
    }
    return d;
  }
  /// That the matrices agree with differences, and all products with the matrices.
  void check() {
    const Eigen::MatrixXd j = jacobian();
    const double scale = j.cwiseAbs().maxCoeff();
    ASSERT_GT(scale, 0.1);
    EXPECT_LT((j - difference(f_.num_rows(), [&] { return residual(); })).cwiseAbs().maxCoeff(),
              2e-8 * scale);
    const std::vector<double> weights = random_numbers(f_.num_rows(), 1);
    const Eigen::MatrixXd h = hessian(weights);
    EXPECT_GT(h.cwiseAbs().maxCoeff(), 0.1);
    EXPECT_LT((h - difference(n_, [&] { return gradient(weights); })).cwiseAbs().maxCoeff(),
              2e-8 * std::max(scale, h.cwiseAbs().maxCoeff()));

    using Vector = Eigen::Map<const Eigen::VectorXd>;
    const std::vector<double> direction = random_numbers(n_, 1);
    std::vector<double> rows(dae::index(f_.num_rows()), 0.0), second(dae::index(n_), 0.0);
    f_.tangent(1, direction, rows);
    f_.second(weights, direction, second);
    const std::vector<double> g = gradient(weights);
    EXPECT_LT((Vector(rows.data(), j.rows()) - j * Vector(direction.data(), n_)).norm(),
              1e-11 * scale * n_);
    EXPECT_LT((Vector(g.data(), n_) - j.transpose() * Vector(weights.data(), j.rows())).norm(),
              1e-11 * scale * n_);
    EXPECT_LT((Vector(second.data(), n_) - h * Vector(direction.data(), n_)).norm(),
              1e-11 * n_ * std::max(scale, h.cwiseAbs().maxCoeff()));
  }

 private:
  sensitivity::SumAtPoint& f_;
  int n_;
};

}  // namespace liegrad::testing
