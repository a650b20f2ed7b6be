#pragma once

// The tangent operator of SO(3) and its derivatives, as polynomials in the skew matrix Ω~ whose
// coefficients are Stumpff functions of θ² = |Ω|². SE(3) needs the derivatives as well: its algebra
// is that of SO(3) with dual numbers, Ω + εU, so each lower left block of SE(3) is the derivative
// of the SO(3) operator at Ω along U.

#include "liegrad/lie/series.hpp"

namespace liegrad::lie {

/// The skew matrix v~ with v~ w = v × w, [ArnoldCardonaBruels2015, Eq. (2)].
template <Scalar S>
Mat<S, 3> skew(const Vec<S, 3>& v) {
  const S zero(0);
  Mat<S, 3> m;
  m << zero, -v(2), v(1), v(2), zero, -v(0), -v(1), v(0), zero;
  return m;
}

/// The vector of a skew matrix: the inverse of skew().
template <Scalar S>
Vec<S, 3> unskew(const Mat<S, 3>& m) {
  return {m(2, 1), m(0, 2), m(1, 0)};
}

namespace rotation {

/// v × w. (Eigen's cross() evaluates through a generic path on non-native scalars; this is leaner.)
template <Scalar S>
Vec<S, 3> cross(const Vec<S, 3>& v, const Vec<S, 3>& w) {
  return {v(1) * w(2) - v(2) * w(1), v(2) * w(0) - v(0) * w(2), v(0) * w(1) - v(1) * w(0)};
}

template <Scalar S>
S dot(const Vec<S, 3>& v, const Vec<S, 3>& w) {
  return v(0) * w(0) + v(1) * w(1) + v(2) * w(2);
}

/// c_0(θ²) … c_K(θ²) for θ = |Ω|.
template <int K, Scalar S>
Vec<S, K + 1> stumpff_of(const Vec<S, 3>& omega) {
  return stumpff_doubled<K, S>(stumpff<K>(S(S(0.25) * dot(omega, omega))));
}

/// u + p Ω×u + r Ω×(Ω×u).
template <Scalar S>
Vec<S, 3> quadratic_times(const S& p, const S& r, const Vec<S, 3>& omega, const Vec<S, 3>& u) {
  const Vec<S, 3> once = cross<S>(omega, u), twice = cross<S>(omega, once);
  return {u(0) + p * once(0) + r * twice(0), u(1) + p * once(1) + r * twice(1),
          u(2) + p * once(2) + r * twice(2)};
}

/// s I + v~ + a~b~ + b~a~: the shape of T, of T⁻¹ and of their derivatives. Written out with
/// a~b~ + b~a~ = b aᵀ + a bᵀ - 2 (a·b) I, as Eigen would multiply by the stored zeros and then load
/// packets from entries stored one by one, which waits for the stores.
template <Scalar S>
Mat<S, 3> skew_plus_symmetric(const S& s, const Vec<S, 3>& v, const Vec<S, 3>& a,
                              const Vec<S, 3>& b) {
  const S two(2);
  const S xx = two * a(0) * b(0), yy = two * a(1) * b(1), zz = two * a(2) * b(2);
  const S xy = a(0) * b(1) + a(1) * b(0);
  const S xz = a(0) * b(2) + a(2) * b(0);
  const S yz = a(1) * b(2) + a(2) * b(1);
  Mat<S, 3> m;
  m << s - (yy + zz), xy - v(2), xz + v(1),  //
      xy + v(2), s - (xx + zz), yz - v(0),   //
      xz - v(1), yz + v(0), s - (xx + yy);
  return m;
}

/// I + p Ω~ + r Ω~².
template <Scalar S>
Mat<S, 3> quadratic(const S& p, const S& r, const Vec<S, 3>& omega) {
  return skew_plus_symmetric<S>(S(1), p * omega, omega, S(S(0.5) * r) * omega);
}

/// T(Ω) = I - c₂ Ω~ + c₃ Ω~², [ArnoldCardonaBruels2015, Eq. (33)].
template <Scalar S>
Mat<S, 3> tangent_operator(const Vec<S, 3>& omega) {
  const auto c = stumpff_of<3, S>(omega);
  return quadratic<S>(-c(2), c(3), omega);
}

/// The matrix D T(Ω)[U], for c = stumpff_of(Ω). With x = |Ω|², dx[U] = 2Ω·U, 2c₂' = 2c₄ - c₃ and
/// 2c₃' = 3c₅ - c₄ it is S_SE(3)(Ω, U) of [ArnoldCardonaBruels2015, Eq. (35)], without that form's
/// 0/0 at Ω = 0:
///
///     -c₂ U~ + c₃ (U~Ω~ + Ω~U~) + (c₃ - 2c₄)(Ω·U) Ω~ + (3c₅ - c₄)(Ω·U) Ω~².
template <Scalar S, int N>
Mat<S, 3> tangent_operator_derivative(const Vec<S, N>& c, const Vec<S, 3>& omega,
                                      const Vec<S, 3>& u) {
  const S along = dot(omega, u);
  const Vec<S, 3> odd = S((c(3) - S(2) * c(4)) * along) * omega - c(2) * u;
  const Vec<S, 3> even = c(3) * u + S(S(0.5) * (S(3) * c(5) - c(4)) * along) * omega;
  return skew_plus_symmetric<S>(S(0), odd, omega, even);
}

/// D²T(Ω)[U, D] w for c = stumpff_of(Ω), from c_k'' = (k(k+2) c_{k+4} - (2k+1) c_{k+3} + c_{k+2}) / 4.
template <Scalar S>
Vec<S, 3> tangent_operator_second_derivative(const Vec<S, 8>& c, const Vec<S, 3>& omega,
                                             const Vec<S, 3>& u, const Vec<S, 3>& d,
                                             const Vec<S, 3>& w) {
  const S u_along = dot(omega, u), d_along = dot(omega, d), both = S(2) * u_along * d_along;
  // Twice the first and second derivatives of c₂ and c₃ with respect to x.
  const S dc2 = S(2) * c(4) - c(3), dc3 = S(3) * c(5) - c(4);
  const S ddc2 = S(4) * c(6) - S(2.5) * c(5) + S(0.5) * c(4);
  const S ddc3 = S(7.5) * c(7) - S(3.5) * c(6) + S(0.5) * c(5);

  const auto symmetric = [&w](const Vec<S, 3>& a, const Vec<S, 3>& b) -> Vec<S, 3> {
    return cross<S>(a, cross<S>(b, w)) + cross<S>(b, cross<S>(a, w));
  };
  const S ud = dot(u, d);
  const Vec<S, 3> odd = (ddc2 * both + dc2 * ud) * omega + dc2 * (u_along * d + d_along * u);
  return (ddc3 * both + dc3 * ud) * cross<S>(omega, cross<S>(omega, w)) - cross<S>(odd, w) +
         dc3 * (u_along * symmetric(omega, d) + d_along * symmetric(omega, u)) +
         c(3) * symmetric(u, d);
}

/// The coefficient of Ω~² in T⁻¹(Ω), for x = |Ω|²:
///
///     d(x) = (1 - (θ/2) cot(θ/2)) / θ² = (c₂ - c₃) / (4 c₁)      at y = x/4,
///
/// a quotient of entire functions without cancellation. The pole is at θ = 2π, where T is singular.
template <Scalar S>
S inverse_coefficient(const S& x) {
  const auto c = stumpff<3>(S(S(0.25) * x));
  return S(0.25) * (c(2) - c(3)) / c(1);
}

/// The same with twice its derivative with respect to x.
template <Scalar S>
struct InverseCoefficient {
  S d, twice_derivative;

  explicit InverseCoefficient(const S& x) {
    const auto c = stumpff<5>(S(S(0.25) * x));
    const S ratio = (c(2) - c(3)) / c(1);
    d = S(0.25) * ratio;
    twice_derivative = S(0.0625) * ((S(3) * (c(4) - c(5)) - c(3)) / c(1) + ratio * ratio);
  }
};

/// T⁻¹(Ω) = I + Ω~/2 + d(|Ω|²) Ω~².
template <Scalar S>
Mat<S, 3> tangent_operator_inverse(const Vec<S, 3>& omega) {
  return quadratic<S>(S(0.5), inverse_coefficient<S>(dot(omega, omega)), omega);
}

/// The matrix D T⁻¹(Ω)[U], for the coefficient at |Ω|².
template <Scalar S>
Mat<S, 3> tangent_operator_inverse_derivative(const InverseCoefficient<S>& inverse,
                                              const Vec<S, 3>& omega, const Vec<S, 3>& u) {
  const S along = S(0.5) * inverse.twice_derivative * dot(omega, u);
  return skew_plus_symmetric<S>(S(0), S(0.5) * u, omega, inverse.d * u + along * omega);
}

}  // namespace rotation
}  // namespace liegrad::lie
