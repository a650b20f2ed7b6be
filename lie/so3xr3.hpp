#pragma once

#include "liegrad/lie/rn.hpp"
#include "liegrad/lie/so3.hpp"

namespace liegrad::lie {

/// Pose of a rigid body as the direct product SO(3)×R³: rotations compose, positions add.
///
/// Coeffs    quaternion w, x, y, z, then position x_1, x_2, x_3 (as in SE3)
/// Tangent   (Ω, u): angular velocity in the body frame, velocity in the inertial frame
/// Matrix    blockdiag(R, (I x; 0 1)), size 7, [ArnoldCardonaBruels2015, Eq. (4)]
///
/// transform_point() maps a body-fixed point to space, x + R p, just as for SE3. It is the meaning of
/// the pose, not an action of this group: for a direct product (g∘h)p and g(hp) differ.
template <Scalar S>
class SO3xR3 {
 public:
  using ScalarType = S;
  static constexpr int kDof = 6;
  static constexpr int kNumCoeffs = 7;
  static constexpr int kMatrixSize = 7;
  using Tangent = Vec<S, 6>;
  using TangentMap = Mat<S, 6>;
  using Coeffs = Vec<S, 7>;
  using Matrix = Mat<S, 7>;

  SO3xR3(const SO3<S>& rotation, const Vec<S, 3>& translation)
      : rotation_(rotation), translation_(translation) {}
  static SO3xR3 identity() { return SO3xR3(SO3<S>::identity(), Vec<S, 3>::Zero()); }
  static SO3xR3 from_coeffs(const Coeffs& c) {
    return SO3xR3(SO3<S>::from_coeffs(c.template head<4>()), c.template tail<3>());
  }
  template <class Rng>
  static SO3xR3 random(Rng& rng) {
    const auto rotation = SO3<S>::random(rng);
    return SO3xR3(rotation, Rn<S, 3>::random(rng).coeffs());
  }

  const SO3<S>& rotation() const { return rotation_; }
  const Vec<S, 3>& translation() const { return translation_; }
  Coeffs coeffs() const {
    Coeffs c;
    c << rotation_.coeffs(), translation_;
    return c;
  }
  template <Scalar T>
  SO3xR3<T> cast() const {
    return SO3xR3<T>(rotation_.template cast<T>(), translation_.template cast<T>());
  }

  SO3xR3 operator*(const SO3xR3& other) const {
    return SO3xR3(rotation_ * other.rotation_, translation_ + other.translation_);
  }
  SO3xR3 inverse() const { return SO3xR3(rotation_.inverse(), -translation_); }

  /// [ArnoldCardonaBruels2015, Eq. (11a)].
  static SO3xR3 exp(const Tangent& v) { return SO3xR3(SO3<S>::exp(angular(v)), linear(v)); }
  Tangent log() const {
    Tangent v;
    v << rotation_.log(), translation_;
    return v;
  }

  Vec<S, 3> transform_point(const Vec<S, 3>& point) const {
    return translation_ + rotation_.transform_vector(point);
  }
  Vec<S, 3> transform_vector(const Vec<S, 3>& vector) const {
    return rotation_.transform_vector(vector);
  }

  // Block-diagonal throughout, [ArnoldCardonaBruels2015, between Eqs. (33) and (34)].
  TangentMap Ad() const { return block_diagonal(rotation_.matrix(), S(1)); }
  static TangentMap ad(const Tangent& v) { return block_diagonal(skew<S>(angular(v)), S(0)); }
  static TangentMap tangent_operator(const Tangent& v) {
    return block_diagonal(SO3<S>::tangent_operator(angular(v)), S(1));
  }
  static TangentMap tangent_operator_inverse(const Tangent& v) {
    return block_diagonal(SO3<S>::tangent_operator_inverse(angular(v)), S(1));
  }
  /// d/dε T(v + εd) w.
  static Tangent tangent_operator_derivative(const Tangent& v, const Tangent& w, const Tangent& d) {
    Tangent derivative = Tangent::Zero();
    derivative.template head<3>() =
        SO3<S>::tangent_operator_derivative(angular(v), angular(w), angular(d));
    return derivative;
  }

  Matrix matrix() const {
    Matrix m = Matrix::Identity();
    m.template topLeftCorner<3, 3>() = rotation_.matrix();
    m.template block<3, 1>(3, 6) = translation_;
    return m;
  }
  static Matrix hat(const Tangent& v) {
    Matrix m = Matrix::Zero();
    m.template topLeftCorner<3, 3>() = skew<S>(angular(v));
    m.template block<3, 1>(3, 6) = linear(v);
    return m;
  }
  static Tangent vee(const Matrix& m) {
    Tangent v;
    v << unskew<S>(m.template topLeftCorner<3, 3>()), m.template block<3, 1>(3, 6);
    return v;
  }

 private:
  static Vec<S, 3> angular(const Tangent& v) { return v.template head<3>(); }
  static Vec<S, 3> linear(const Tangent& v) { return v.template tail<3>(); }
  /// blockdiag(a, s I).
  static TangentMap block_diagonal(const Mat<S, 3>& a, const S& s) {
    TangentMap m = TangentMap::Zero();
    m.template topLeftCorner<3, 3>() = a;
    for (int i = 3; i < 6; ++i) m(i, i) = s;
    return m;
  }

  SO3<S> rotation_;
  Vec<S, 3> translation_;
};

static_assert(FixedLieGroup<SO3xR3<double>>);

}  // namespace liegrad::lie
