#pragma once

// Columns side by side: all numbers of an entry stand together, so that registers take columns. As Eigen's matrices, and as
// spans.

#include <cstddef>
#include <span>

#include <Eigen/Core>

#include "liegrad/ad/eigen_alignment.hpp"

namespace liegrad::sensitivity {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// What the caller of a Derivative holds.
using Columns = Eigen::Map<const Matrix>;
using ColumnsOut = Eigen::Map<Matrix>;

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

}  // namespace liegrad::sensitivity
