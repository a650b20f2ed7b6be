#include "liegrad/dae/linear/minimum_norm.hpp"

#include <cmath>

#include "liegrad/dae/linear/panels.hpp"

namespace liegrad::dae {

MinimumNorm::MinimumNorm(int size)
    : a_(Eigen::MatrixXd::Zero(size, size)), decomposition_(size, size), x_(size) {}

bool MinimumNorm::factorize() {
  singular_unknown_ = -1;
  for (int j = 0; j < size() && singular_unknown_ < 0; ++j) {
    if (!a_.col(j).allFinite()) singular_unknown_ = j;
  }
  if (singular_unknown_ >= 0) return false;
  decomposition_.compute(a_);
  return true;
}

void MinimumNorm::solve(std::span<double> b) const {
  Eigen::Map<Eigen::VectorXd> rhs(b.data(), size());
  x_ = decomposition_.solve(rhs);
  rhs = x_;
}

void MinimumNorm::solve_transposed(std::span<double> b) const {
  Eigen::Map<Eigen::VectorXd> rhs(b.data(), size());
  x_ = decomposition_.transpose().solve(rhs);
  rhs = x_;
}

void MinimumNorm::solve(int columns, std::span<double> b) const {
  column_.resize(static_cast<std::size_t>(size()));
  panels::solve_one_by_one(columns, b, column_, [this](auto& x) { solve(x); });
}

void MinimumNorm::solve_transposed(int columns, std::span<double> b) const {
  column_.resize(static_cast<std::size_t>(size()));
  panels::solve_one_by_one(columns, b, column_, [this](auto& x) { solve_transposed(x); });
}

}  // namespace liegrad::dae
