#pragma once

// CppAD's recorded scalars as scalars of the groups: the one place that knows its conditional
// expressions.

#include <cppad/cppad.hpp>
// CppAD's traits for Eigen; they must come after both.
#include <Eigen/Core>
#include <cppad/example/cppad_eigen.hpp>

#include "liegrad/ad/eigen_alignment.hpp"
#include "liegrad/lie/scalar.hpp"

namespace liegrad::lie {

template <class Base>
struct ScalarTraits<CppAD::AD<Base>> {
  using S = CppAD::AD<Base>;
  using Real = RealOf<Base>;
  static constexpr bool kTaped = true;
  static S select_lt(const S& a, const S& b, const S& if_true, const S& if_false) {
    // Of two constants CppAD would return the chosen number, but not remember where it came from.
    if (CppAD::IdenticalCon(a) && CppAD::IdenticalCon(b)) {
      return value(a) < value(b) ? if_true : if_false;
    }
    return CppAD::CondExpLt(a, b, if_true, if_false);
  }
  static Real value(const S& x) {
    return ScalarTraits<Base>::value(CppAD::Value(CppAD::Var2Par(x)));
  }
};

}  // namespace liegrad::lie
