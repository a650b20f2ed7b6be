#pragma once

// Columns side by side: all numbers of an entry stand together, so that registers take columns. As Eigen's matrices, and as
// spans.

#include <cstddef>
#include <new>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "liegrad/ad/eigen_alignment.hpp"

namespace liegrad::sensitivity {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// What the caller of a Derivative holds.
using Columns = Eigen::Map<const RowMajorMatrix>;
using ColumnsOut = Eigen::Map<RowMajorMatrix>;

/// Columns in memory of their own, which is kept when there are fewer of them: sweeps with many columns and with one take
/// turns. Eigen's own matrices allocate whenever their size changes.
class Matrix : public ColumnsOut {
 public:
  Matrix() : ColumnsOut(nullptr, 0, 0) {}
  Matrix(Matrix&&) noexcept = default;
  Matrix(const Matrix&) = delete;
  ~Matrix() = default;
  Matrix& operator=(Matrix&&) = delete;
  Matrix& operator=(const Matrix& other) {
    if (this == &other) return *this;
    return *this = static_cast<const ColumnsOut&>(other);
  }
  template <class Expression>
  Matrix& operator=(const Eigen::EigenBase<Expression>& expression) {
    resize(expression.rows(), expression.cols());
    ColumnsOut::operator=(expression.derived());
    return *this;
  }
  void resize(Eigen::Index rows, Eigen::Index columns) {
    numbers_.resize(static_cast<std::size_t>(rows * columns));
    // As Eigen's documentation changes what a map refers to.
    new (static_cast<ColumnsOut*>(this)) ColumnsOut(numbers_.data(), rows, columns);
  }
  void setZero(Eigen::Index rows, Eigen::Index columns) {
    resize(rows, columns);
    ColumnsOut::setZero();
  }

 private:
  std::vector<double> numbers_;
};

inline Eigen::Map<const Eigen::VectorXd> vector_of(std::span<const double> x) {
  return {x.data(), std::ssize(x)};
}

inline std::span<double> all(Matrix& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}
inline std::span<const double> all(const Matrix& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
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
