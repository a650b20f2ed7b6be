#pragma once

// The dual numbers of Ceres as scalars of the groups.

#include <ceres/jet.h>

#include "liegrad/lie/scalar.hpp"

namespace liegrad::lie {

/// A Jet carries its derivatives with its value and is evaluated anew at every point, so a plain
/// comparison of values picks the right branch.
template <class T, int N>
struct ScalarTraits<ceres::Jet<T, N>> {
  using S = ceres::Jet<T, N>;
  using Real = RealOf<T>;
  static constexpr bool kTaped = false;
  static S select_lt(const S& a, const S& b, const S& if_true, const S& if_false) {
    return a.a < b.a ? if_true : if_false;
  }
  static Real value(const S& x) { return ScalarTraits<T>::value(x.a); }
};

}  // namespace liegrad::lie
