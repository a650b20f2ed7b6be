#pragma once

// Numbers as Eigen's matrices, column after column, and as spans.

#include <cstddef>
#include <span>

#include <Eigen/Core>

#include "liegrad/ad/eigen_alignment.hpp"

namespace liegrad::sensitivity {

/// What the caller of a Derivative holds.
using Columns = Eigen::Map<const Eigen::MatrixXd>;
using ColumnsOut = Eigen::Map<Eigen::MatrixXd>;

inline Eigen::Map<const Eigen::VectorXd> vector_of(std::span<const double> x) {
  return {x.data(), std::ssize(x)};
}

template <class M>
std::span<double> all(Eigen::PlainObjectBase<M>& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}
template <class M>
std::span<const double> all(const Eigen::PlainObjectBase<M>& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

/// f(column) for all columns of a matrix.
template <class F>
void for_each_column(Eigen::MatrixXd& matrix, F&& f) {
  for (Eigen::Index c = 0; c < matrix.cols(); ++c) {
    f(std::span<double>(matrix.col(c).data(), static_cast<std::size_t>(matrix.rows())));
  }
}

}  // namespace liegrad::sensitivity
