#pragma once

#include "derivative_along.hpp"
#include "liegrad/ad/jet_scalar.hpp"

namespace liegrad::test {

template <class T, int N>
struct DerivativeAlong<ceres::Jet<T, N>> {
  static Value relative_error() { return 0; }

  template <class F>
  static Values of(F&& f) {
    const Column<ceres::Jet<T, N>> y = f(ceres::Jet<T, N>(T(0), N - 1));
    Values result(y.size(), 1);
    for (Eigen::Index i = 0; i < y.size(); ++i) result(i) = y(i).v[N - 1];
    return result;
  }
};

}  // namespace liegrad::test
