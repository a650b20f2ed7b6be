#pragma once

#include "liegrad/lie/rn.hpp"
#include "liegrad/lie/so3.hpp"

namespace liegrad::lie {

/// Rigid motions of space.
///
/// Coeffs    quaternion w, x, y, z, then translation x_1, x_2, x_3
/// Tangent   (Ω, U): angular velocity and velocity, both in the body frame
/// Matrix    (R x; 0 1), size 4
template <Scalar S>
class SE3 {
 public:
  using ScalarType = S;
  static constexpr int kDof = 6;
  static constexpr int kNumCoeffs = 7;
  static constexpr int kMatrixSize = 4;
  using Tangent = Vec<S, 6>;
  using TangentMap = Mat<S, 6>;
  using Coeffs = Vec<S, 7>;
  using Matrix = Mat<S, 4>;

  SE3(const SO3<S>& rotation, const Vec<S, 3>& translation)
      : rotation_(rotation), translation_(translation) {}
  static SE3 identity() { return SE3(SO3<S>::identity(), Vec<S, 3>::Zero()); }
  static SE3 from_coeffs(const Coeffs& c) {
    return SE3(SO3<S>::from_coeffs(c.template head<4>()), c.template tail<3>());
  }
  template <class Rng>
  static SE3 random(Rng& rng) {
    const auto rotation = SO3<S>::random(rng);
    return SE3(rotation, Rn<S, 3>::random(rng).coeffs());
  }

  const SO3<S>& rotation() const { return rotation_; }
  const Vec<S, 3>& translation() const { return translation_; }
  Coeffs coeffs() const {
    const auto& q = rotation_.coeffs();
    const auto& x = translation_;
    Coeffs c;
    c << q(0), q(1), q(2), q(3), x(0), x(1), x(2);
    return c;
  }
  template <Scalar T>
  SE3<T> cast() const {
    return SE3<T>(rotation_.template cast<T>(), translation_.template cast<T>());
  }

  SE3 operator*(const SE3& other) const {
    return SE3(rotation_ * other.rotation_, transform_point(other.translation_));
  }
  SE3 inverse() const {
    const SO3<S> back = rotation_.inverse();
    return SE3(back, -back.transform_vector(translation_));
  }

  /// [ArnoldCardonaBruels2015, Eq. (11b)]: x = Tᵀ(Ω) U = U + c₂ Ω×U + c₃ Ω×(Ω×U).
  static SE3 exp(const Tangent& v) {
    const Vec<S, 3> omega = angular(v);
    const auto half = stumpff<3>(S(S(0.25) * rotation::dot(omega, omega)));
    const auto c = stumpff_doubled<3, S>(half);
    return SE3(SO3<S>::exp(omega, half),
               rotation::quadratic_times<S>(c(2), c(3), omega, linear(v)));
  }
  /// U = T⁻ᵀ(Ω) x = x - Ω×x/2 + d Ω×(Ω×x).
  Tangent log() const {
    const Vec<S, 3> omega = rotation_.log();
    const S d = rotation::inverse_coefficient<S>(rotation::dot(omega, omega));
    return joined(omega, rotation::quadratic_times<S>(S(-0.5), d, omega, translation_));
  }

  Vec<S, 3> transform_point(const Vec<S, 3>& point) const {
    return translation_ + rotation_.transform_vector(point);
  }
  Vec<S, 3> transform_vector(const Vec<S, 3>& vector) const {
    return rotation_.transform_vector(vector);
  }

  /// (R 0; x~R R).
  TangentMap Ad() const {
    const Mat<S, 3> r = rotation_.matrix();
    Mat<S, 3> coupling;
    for (int j = 0; j < 3; ++j) coupling.col(j) = rotation::cross<S>(translation_, r.col(j));
    return lower_triangular(r, coupling);
  }
  /// (Ω~ 0; U~ Ω~), [ArnoldCardonaBruels2015, Eq. (34)].
  static TangentMap ad(const Tangent& v) {
    return lower_triangular(skew<S>(angular(v)), skew<S>(linear(v)));
  }
  /// [ArnoldCardonaBruels2015, Eq. (35)]; S_SE(3)(Ω, U) is the derivative of T_SO(3) along U.
  static TangentMap tangent_operator(const Tangent& v) {
    const Vec<S, 3> omega = angular(v);
    const auto c = rotation::stumpff_of<5, S>(omega);
    return lower_triangular(rotation::quadratic<S>(-c(2), c(3), omega),
                            rotation::tangent_operator_derivative(c, omega, linear(v)));
  }
  static TangentMap tangent_operator_inverse(const Tangent& v) {
    const Vec<S, 3> omega = angular(v);
    const rotation::InverseCoefficient<S> inverse(rotation::dot(omega, omega));
    return lower_triangular(
        rotation::quadratic<S>(S(0.5), inverse.d, omega),
        rotation::tangent_operator_inverse_derivative(inverse, omega, linear(v)));
  }
  /// d/dε T(v + εd) w: the product rule on the dual-number form of (35).
  static Tangent tangent_operator_derivative(const Tangent& v, const Tangent& w, const Tangent& d) {
    const Vec<S, 3> omega = angular(v), u = linear(v);
    const auto c = rotation::stumpff_of<7, S>(omega);
    const Mat<S, 3> along_d = rotation::tangent_operator_derivative(c, omega, angular(d));
    return joined(
        along_d * angular(w),
        along_d * linear(w) +
            rotation::tangent_operator_derivative(c, omega, linear(d)) * angular(w) +
            rotation::tangent_operator_second_derivative<S>(c, omega, u, angular(d), angular(w)));
  }

  Matrix matrix() const {
    Matrix m = Matrix::Identity();
    m.template topLeftCorner<3, 3>() = rotation_.matrix();
    m.template topRightCorner<3, 1>() = translation_;
    return m;
  }
  static Matrix hat(const Tangent& v) {
    Matrix m = Matrix::Zero();
    m.template topLeftCorner<3, 3>() = skew<S>(angular(v));
    m.template topRightCorner<3, 1>() = linear(v);
    return m;
  }
  static Tangent vee(const Matrix& m) {
    return joined(unskew<S>(m.template topLeftCorner<3, 3>()), m.template topRightCorner<3, 1>());
  }
  /// Throws InvalidArgument when the upper left block is not a rotation.
  static SE3 from_matrix(const Matrix& m) {
    return SE3(SO3<S>::from_matrix(m.template topLeftCorner<3, 3>()),
               m.template topRightCorner<3, 1>());
  }

 private:
  static Vec<S, 3> angular(const Tangent& v) { return v.template head<3>(); }
  static Vec<S, 3> linear(const Tangent& v) { return v.template tail<3>(); }
  static Tangent joined(const Vec<S, 3>& omega, const Vec<S, 3>& u) {
    Tangent v;
    v << omega(0), omega(1), omega(2), u(0), u(1), u(2);
    return v;
  }
  /// (a 0; b a): the shape of every operator on se(3).
  static TangentMap lower_triangular(const Mat<S, 3>& a, const Mat<S, 3>& b) {
    TangentMap m;
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) {
        m(i, j) = m(i + 3, j + 3) = a(i, j);
        m(i + 3, j) = b(i, j);
        m(i, j + 3) = S(0);
      }
    }
    return m;
  }

  SO3<S> rotation_;
  Vec<S, 3> translation_;
};

static_assert(FixedLieGroup<SE3<double>>);

}  // namespace liegrad::lie
