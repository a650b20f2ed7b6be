#pragma once

#include "derivative_along.hpp"
#include "liegrad/ad/scalar.hpp"

namespace liegrad::test {

/// One tape per call, swept forward once.
template <class Base>
struct DerivativeAlong<CppAD::AD<Base>> {
  static Value relative_error() { return 0; }  // beyond the rounding of the operations themselves

  template <class F>
  static Values of(F&& f) {
    using S = CppAD::AD<Base>;
    std::vector<S> epsilon(1, S(0));
    CppAD::Independent(epsilon);
    const Column<S> y = f(epsilon[0]);
    CppAD::ADFun<Base> tape(epsilon, std::vector<S>(y.data(), y.data() + y.size()));
    const std::vector<Base> dy = tape.Forward(1, std::vector<Base>(1, Base(1)));
    Values result(y.size(), 1);
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      result(i) = lie::value_of<Base>(dy[static_cast<std::size_t>(i)]);
    }
    return result;
  }
};

}  // namespace liegrad::test
