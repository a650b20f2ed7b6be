#pragma once

#include "liegrad/lie/rn.hpp"
#include "liegrad/lie/series.hpp"
#include "liegrad/lie/so2.hpp"

namespace liegrad::lie {

/// Rigid motions of the plane.
///
/// Coeffs    cos φ, sin φ, x_1, x_2
/// Tangent   (ω, U_1, U_2): turning rate, and velocity in the body frame
/// Matrix    (R x; 0 1), size 3
///
/// All formulas are those of SE(3) for Ω = (0,0,ω), U = (U_1,U_2,0). J = (0 -1; 1 0) is the right
/// angle and c_k are Stumpff functions of ω².
template <Scalar S>
class SE2 {
 public:
  using ScalarType = S;
  static constexpr int kDof = 3;
  static constexpr int kNumCoeffs = 4;
  static constexpr int kMatrixSize = 3;
  using Tangent = Vec<S, 3>;
  using TangentMap = Mat<S, 3>;
  using Coeffs = Vec<S, 4>;
  using Matrix = Mat<S, 3>;

  SE2(const SO2<S>& rotation, const Vec<S, 2>& translation)
      : rotation_(rotation), translation_(translation) {}
  static SE2 identity() { return SE2(SO2<S>::identity(), Vec<S, 2>::Zero()); }
  static SE2 from_coeffs(const Coeffs& c) {
    return SE2(SO2<S>::from_coeffs(Vec<S, 2>(c(0), c(1))), Vec<S, 2>(c(2), c(3)));
  }
  template <class Rng>
  static SE2 random(Rng& rng) {
    const auto rotation = SO2<S>::random(rng);
    return SE2(rotation, Rn<S, 2>::random(rng).coeffs());
  }

  const SO2<S>& rotation() const { return rotation_; }
  const Vec<S, 2>& translation() const { return translation_; }
  Coeffs coeffs() const {
    return {rotation_.coeffs()(0), rotation_.coeffs()(1), translation_(0), translation_(1)};
  }
  template <Scalar T>
  SE2<T> cast() const {
    return SE2<T>(rotation_.template cast<T>(), translation_.template cast<T>());
  }

  SE2 operator*(const SE2& other) const {
    return SE2(rotation_ * other.rotation_, transform_point(other.translation_));
  }
  SE2 inverse() const {
    const SO2<S> back = rotation_.inverse();
    return SE2(back, -back.transform_vector(translation_));
  }

  /// x = (c₁ I + ω c₂ J) U.
  static SE2 exp(const Tangent& v) {
    const auto c = stumpff<2>(S(v(0) * v(0)));
    const Vec<S, 2> u = velocity(v);
    return SE2(SO2<S>::from_angle(v(0)), c(1) * u + v(0) * c(2) * turned(u));
  }
  /// U = (k I - ω/2 J) x with k = (ω/2) cot(ω/2), the inverse of the matrix in exp.
  Tangent log() const {
    const S omega = rotation_.angle();
    const Vec<S, 2> u =
        half_cotangent(omega) * translation_ - S(0.5) * omega * turned(translation_);
    return {omega, u(0), u(1)};
  }

  Vec<S, 2> transform_point(const Vec<S, 2>& point) const {
    return translation_ + rotation_.transform_vector(point);
  }
  Vec<S, 2> transform_vector(const Vec<S, 2>& vector) const {
    return rotation_.transform_vector(vector);
  }

  /// (1 0; -J x, R).
  TangentMap Ad() const { return blocks(-turned(translation_), rotation_.matrix()); }
  /// (0 0; -J U, ω J).
  static TangentMap ad(const Tangent& v) {
    TangentMap m = blocks(-turned(velocity(v)), v(0) * right_angle());
    m(0, 0) = S(0);
    return m;
  }
  /// (1 0; c₂ J U + c₃ ω U, c₁ I - ω c₂ J), the planar part of [ArnoldCardonaBruels2015, Eq. (35)].
  static TangentMap tangent_operator(const Tangent& v) {
    const auto c = stumpff<3>(S(v(0) * v(0)));
    const Vec<S, 2> u = velocity(v);
    return blocks(c(2) * turned(u) + c(3) * v(0) * u,
                  c(1) * Mat<S, 2>::Identity() - v(0) * c(2) * right_angle());
  }
  /// (1 0; -½ J U + d ω U, k I + ω/2 J), with d = (1-k)/ω² = (c₂ - c₃)/(4c₁) at ω²/4.
  static TangentMap tangent_operator_inverse(const Tangent& v) {
    const auto c = stumpff<3>(S(S(0.25) * v(0) * v(0)));
    const S d = S(0.25) * (c(2) - c(3)) / c(1);
    const Vec<S, 2> u = velocity(v);
    return blocks(d * v(0) * u - S(0.5) * turned(u),
                  (c(0) / c(1)) * Mat<S, 2>::Identity() + S(0.5) * v(0) * right_angle());
  }
  /// d/dε T(v + εd) w, with 2c₁' = c₃ - c₂, 2c₂' = 2c₄ - c₃ and 2c₃' = 3c₅ - c₄.
  static Tangent tangent_operator_derivative(const Tangent& v, const Tangent& w, const Tangent& d) {
    const S omega = v(0);
    const auto c = stumpff<5>(S(omega * omega));
    const S x_rate = omega * d(0);  // half the change of ω²
    const S c1 = (c(3) - c(2)) * x_rate;
    const S c2 = (S(2) * c(4) - c(3)) * x_rate;
    const S c3 = (S(3) * c(5) - c(4)) * x_rate;
    const Vec<S, 2> u = velocity(v), du = velocity(d), wu = velocity(w);
    const Vec<S, 2> column =
        c2 * turned(u) + c(2) * turned(du) + (c3 * omega + c(3) * d(0)) * u + c(3) * omega * du;
    const Vec<S, 2> moved = column * w(0) + c1 * wu - (d(0) * c(2) + omega * c2) * turned(wu);
    return {S(0), moved(0), moved(1)};
  }

  Matrix matrix() const {
    Matrix m = Matrix::Identity();
    m.template topLeftCorner<2, 2>() = rotation_.matrix();
    m.template topRightCorner<2, 1>() = translation_;
    return m;
  }
  static Matrix hat(const Tangent& v) {
    Matrix m = Matrix::Zero();
    m.template topLeftCorner<2, 2>() = v(0) * right_angle();
    m.template topRightCorner<2, 1>() = velocity(v);
    return m;
  }
  static Tangent vee(const Matrix& m) { return {m(1, 0), m(0, 2), m(1, 2)}; }

 private:
  static Vec<S, 2> velocity(const Tangent& v) { return {v(1), v(2)}; }
  static Vec<S, 2> turned(const Vec<S, 2>& u) { return {-u(1), u(0)}; }
  static Mat<S, 2> right_angle() {
    Mat<S, 2> j;
    j << S(0), S(-1), S(1), S(0);
    return j;
  }
  /// (1 0; column, block).
  static TangentMap blocks(const Vec<S, 2>& column, const Mat<S, 2>& block) {
    TangentMap m;
    m(0, 0) = S(1);
    m(0, 1) = m(0, 2) = S(0);
    m.template bottomLeftCorner<2, 1>() = column;
    m.template bottomRightCorner<2, 2>() = block;
    return m;
  }
  static S half_cotangent(const S& omega) {
    const auto c = stumpff<1>(S(S(0.25) * omega * omega));
    return c(0) / c(1);
  }

  SO2<S> rotation_;
  Vec<S, 2> translation_;
};

static_assert(FixedLieGroup<SE2<double>>);

}  // namespace liegrad::lie
