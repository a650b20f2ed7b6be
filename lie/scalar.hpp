#pragma once

#include <concepts>

#include <Eigen/Core>

namespace liegrad::lie {

template <class S, int N>
using Vec = Eigen::Matrix<S, N, 1>;
template <class S, int Rows, int Cols = Rows>
using Mat = Eigen::Matrix<S, Rows, Cols>;

/// What the library must know of a number type beyond its arithmetic.
///
/// A specialisation provides
///
///     using Real = …;                      // the floating-point type at the bottom
///     static constexpr bool kTaped = …;    // true when operations are recorded and replayed
///     static S select_lt(a, b, x, y);      // a < b ? x : y, recorded when kTaped
///     static Real value(const S&);         // the plain number
///
/// There is no general fallback on purpose. On a taped scalar an ordinary `if` freezes the branch
/// that happened to be taken while recording, without any error; a type must therefore say how it
/// selects before the groups accept it. `ad/scalar.hpp` does so for CppAD and `ad/jet_scalar.hpp`
/// for the dual numbers of Ceres.
template <class S>
struct ScalarTraits;

/// The traits of a plain floating-point type.
template <class S>
struct PlainScalarTraits {
  using Real = S;
  static constexpr bool kTaped = false;
  static S select_lt(S a, S b, S if_true, S if_false) { return a < b ? if_true : if_false; }
  static Real value(S x) { return x; }
};

// One by one: with a specialisation constrained by std::floating_point, GCC 12 now and then takes
// the constraint below for its own premise and refuses to compile.
template <>
struct ScalarTraits<float> : PlainScalarTraits<float> {};
template <>
struct ScalarTraits<double> : PlainScalarTraits<double> {};
template <>
struct ScalarTraits<long double> : PlainScalarTraits<long double> {};

template <class S>
concept Scalar = requires(const S& x) {
  typename ScalarTraits<S>::Real;
  { ScalarTraits<S>::kTaped } -> std::convertible_to<bool>;
  { ScalarTraits<S>::select_lt(x, x, x, x) } -> std::same_as<S>;
  { ScalarTraits<S>::value(x) } -> std::same_as<typename ScalarTraits<S>::Real>;
};

template <Scalar S>
using RealOf = typename ScalarTraits<S>::Real;

/// a < b ? if_true : if_false, as a conditional expression on taped scalars.
template <Scalar S>
S select_lt(const S& a, const S& b, const S& if_true, const S& if_false) {
  return ScalarTraits<S>::select_lt(a, b, if_true, if_false);
}

/// The same for fixed-size vectors and matrices, entry by entry.
template <Scalar S, int Rows, int Cols>
Mat<S, Rows, Cols> select_lt(const S& a, const S& b, const Mat<S, Rows, Cols>& if_true,
                             const Mat<S, Rows, Cols>& if_false) {
  Mat<S, Rows, Cols> chosen;
  for (int i = 0; i < Rows * Cols; ++i) {
    chosen(i) = ScalarTraits<S>::select_lt(a, b, if_true(i), if_false(i));
  }
  return chosen;
}

/// select_lt of two computations. A plain scalar runs only the one it needs; a taped scalar runs
/// and records both, so each must be finite, with finite derivatives, wherever the other is taken.
template <Scalar S, class Then, class Otherwise>
auto branch_lt(const S& a, const S& b, Then&& then, Otherwise&& otherwise) -> decltype(then()) {
  if constexpr (ScalarTraits<S>::kTaped) {
    return select_lt(a, b, then(), otherwise());
  } else {
    return a < b ? then() : otherwise();
  }
}

/// The plain number behind any scalar, for messages, tests and decisions off the tape.
template <Scalar S>
RealOf<S> value_of(const S& x) {
  return ScalarTraits<S>::value(x);
}

}  // namespace liegrad::lie
