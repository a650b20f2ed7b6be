#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "liegrad/control/program.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {

/// Jacobian, gradient and Hessian of a program at a point, with random weights, against extrapolated differences.
inline void expect_derivatives(Program& nlp, std::vector<double> x,
                               const std::function<std::string(int)>& variable_name) {
  using dae::index;
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> number(-1, 1);
  const int n = nlp.num_variables(), m = nlp.num_constraints();

  nlp.set_point(x);
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(m + 1, n), h = Eigen::MatrixXd::Zero(n, n);
  std::vector<double> entries(nlp.jacobian_pattern().size()), gradient(index(n));
  nlp.jacobian(entries);
  nlp.cost_gradient(gradient);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    j(nlp.jacobian_pattern()[k].first + 1, nlp.jacobian_pattern()[k].second) += entries[k];
  }
  j.row(0) = Eigen::Map<const Eigen::RowVectorXd>(gradient.data(), n);
  Eigen::VectorXd weights(m + 1);
  std::vector<double> multipliers;
  for (int i = 0; i <= m; ++i) {
    weights(i) = number(generator);
    if (i > 0) multipliers.push_back(weights(i));
  }
  std::vector<double> hessian(nlp.hessian_pattern().size());
  nlp.hessian(weights(0), multipliers, hessian);
  for (std::size_t k = 0; k < hessian.size(); ++k) {
    const auto& [row, column] = nlp.hessian_pattern()[k];
    h(row, column) += hessian[k];
    if (row != column) h(column, row) += hessian[k];
  }

  const auto values = [&] {
    nlp.set_point(x);
    std::vector<double> g(index(m));
    nlp.constraints(g);
    Eigen::VectorXd all(m + 1);
    all(0) = nlp.cost();
    all.tail(m) = Eigen::Map<const Eigen::VectorXd>(g.data(), m);
    return all;
  };
  const auto lagrangian_gradient = [&] {
    nlp.set_point(x);
    nlp.jacobian(entries);
    nlp.cost_gradient(gradient);
    Eigen::VectorXd sum = weights(0) * Eigen::Map<const Eigen::VectorXd>(gradient.data(), n);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      sum(nlp.jacobian_pattern()[k].second) +=
          weights(nlp.jacobian_pattern()[k].first + 1) * entries[k];
    }
    return sum;
  };
  const double scale = std::max(j.cwiseAbs().maxCoeff(), h.cwiseAbs().maxCoeff());
  ASSERT_GT(j.cwiseAbs().maxCoeff(), 0.1);
  const auto difference = [&](int i, const auto& f) {
    const double at = x[index(i)];
    const auto central = [&](double step) {
      x[index(i)] = at + step;
      const Eigen::VectorXd up = f();
      x[index(i)] = at - step;
      const Eigen::VectorXd down = f();
      x[index(i)] = at;
      return Eigen::VectorXd((up - down) / (2 * step));
    };
    return Eigen::VectorXd((4 * central(1e-3) - central(2e-3)) / 3);
  };
  for (int i = 0; i < n; ++i) {
    EXPECT_LT((difference(i, values) - j.col(i)).cwiseAbs().maxCoeff(), 1e-7 * scale)
        << variable_name(i);
    EXPECT_LT((difference(i, lagrangian_gradient) - h.col(i)).cwiseAbs().maxCoeff(), 1e-7 * scale)
        << variable_name(i);
  }
}

}  // namespace liegrad::control
