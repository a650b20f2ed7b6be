#pragma once

#include <random>

#include "liegrad/lie/lie_group.hpp"
#include "liegrad/lie/rotation_conversions.hpp"
#include "liegrad/lie/rotation_tangent.hpp"
#include "liegrad/lie/unit_norm.hpp"

namespace liegrad::lie {

/// Rotations of space, stored as a unit quaternion.
///
/// Coeffs    w, x, y, z of the quaternion; q and -q are the same rotation
/// Tangent   rotation vector Ω, body frame
/// Matrix    the rotation matrix R; body coordinates to inertial coordinates
/// Invariant |coeffs| = 1 (composition corrects rounding, see unit_norm.hpp)
template <Scalar S>
class SO3 {
 public:
  using ScalarType = S;
  static constexpr int kDof = 3;
  static constexpr int kNumCoeffs = 4;
  static constexpr int kMatrixSize = 3;
  using Tangent = Vec<S, 3>;
  using TangentMap = Mat<S, 3>;
  using Coeffs = Vec<S, 4>;
  using Matrix = Mat<S, 3>;

  static SO3 identity() { return SO3(Coeffs(S(1), S(0), S(0), S(0))); }
  /// Trusts the caller that the quaternion is a unit one; from_quaternion() checks.
  static SO3 from_coeffs(const Coeffs& wxyz) { return SO3(wxyz); }

  template <class Rng>
  static SO3 random(Rng& rng) {
    // A normal vector of R⁴ has a uniform direction on S³, which is the Haar measure.
    std::normal_distribution<double> normal;
    Vec<RealOf<S>, 4> q;
    for (int i = 0; i < 4; ++i) q(i) = static_cast<RealOf<S>>(normal(rng));
    return SO3(q.normalized().template cast<S>());
  }

  const Coeffs& coeffs() const { return q_; }
  template <Scalar T>
  SO3<T> cast() const {
    return SO3<T>::from_coeffs(q_.template cast<T>());
  }

  SO3 operator*(const SO3& other) const {
    const Coeffs &a = q_, &b = other.q_;
    return SO3(
        unit_norm_restored<S, 4>(Coeffs(a(0) * b(0) - a(1) * b(1) - a(2) * b(2) - a(3) * b(3),
                                        a(0) * b(1) + a(1) * b(0) + a(2) * b(3) - a(3) * b(2),
                                        a(0) * b(2) - a(1) * b(3) + a(2) * b(0) + a(3) * b(1),
                                        a(0) * b(3) + a(1) * b(2) - a(2) * b(1) + a(3) * b(0))));
  }
  SO3 inverse() const { return SO3(Coeffs(q_(0), -q_(1), -q_(2), -q_(3))); }

  /// Rodrigues' formula [ArnoldCardonaBruels2015, Eq. (10)] as a quaternion: cos(θ/2) and
  /// sin(θ/2)/θ Ω, both functions of θ²/4.
  static SO3 exp(const Tangent& omega) {
    return exp(omega, stumpff<1>(S(S(0.25) * rotation::dot(omega, omega))));
  }
  /// The same, for c_0 and c_1 at θ²/4 that are known already.
  template <int N>
  static SO3 exp(const Tangent& omega, const Vec<S, N>& c) {
    const S half_sinc = S(0.5) * c(1);
    return SO3(Coeffs(c(0), half_sinc * omega(0), half_sinc * omega(1), half_sinc * omega(2)));
  }

  /// The rotation vector of length at most π. With p = (x,y,z)/(1+w) we have |p| = tan(θ/4), so
  /// Ω = 4 atan(|p|)/|p| p: regular for all θ < 2π, hence accurate up to π and through it. Of q and
  /// -q the one with w ≥ 0 is taken; at w = 0, θ = π, either Ω or -Ω is the logarithm.
  Tangent log() const {
    const S zero(0), one(1);
    const S sign = select_lt(q_(0), zero, S(-one), one);
    const S inverse = sign / (one + sign * q_(0));
    const Tangent p(inverse * q_(1), inverse * q_(2), inverse * q_(3));
    const S scale = S(4) * arctan_ratio(rotation::dot(p, p));
    return {scale * p(0), scale * p(1), scale * p(2)};
  }

  /// R p = p + 2w (q×p) + 2 q×(q×p): half the operations of forming R.
  Vec<S, 3> transform_point(const Vec<S, 3>& point) const {
    return rotation::quadratic_times<S>(S(2) * q_(0), S(2), vector_part(), point);
  }
  Vec<S, 3> transform_vector(const Vec<S, 3>& vector) const { return transform_point(vector); }

  /// Ad(R) = R and Ω^ = Ω~, [ArnoldCardonaBruels2015, Remark 2.8b].
  TangentMap Ad() const { return matrix(); }
  static TangentMap ad(const Tangent& omega) { return skew<S>(omega); }

  static TangentMap tangent_operator(const Tangent& omega) {
    return rotation::tangent_operator<S>(omega);
  }
  static TangentMap tangent_operator_inverse(const Tangent& omega) {
    return rotation::tangent_operator_inverse<S>(omega);
  }
  /// d/dε T(Ω + εd) w.
  static Tangent tangent_operator_derivative(const Tangent& omega, const Tangent& w,
                                             const Tangent& d) {
    return rotation::tangent_operator_derivative(rotation::stumpff_of<5, S>(omega), omega, d) * w;
  }

  /// The rotation matrix.
  Matrix matrix() const {
    const S two(2);
    const S x = two * q_(1), y = two * q_(2), z = two * q_(3);
    const S wx = q_(0) * x, wy = q_(0) * y, wz = q_(0) * z;
    const S xx = q_(1) * x, xy = q_(1) * y, xz = q_(1) * z;
    const S yy = q_(2) * y, yz = q_(2) * z, zz = q_(3) * z;
    const S one(1);
    Matrix m;
    m << one - (yy + zz), xy - wz, xz + wy,  //
        xy + wz, one - (xx + zz), yz - wx,   //
        xz - wy, yz + wx, one - (xx + yy);
    return m;
  }
  static Matrix hat(const Tangent& omega) { return skew<S>(omega); }
  static Tangent vee(const Matrix& m) { return unskew<S>(m); }

  /// (w, x, y, z) with w ≥ 0, as written to files.
  Coeffs quaternion() const {
    const S sign = select_lt(q_(0), S(0), S(-1), S(1));
    return sign * q_;
  }
  Tangent rotation_vector() const { return log(); }

  /// Throws InvalidArgument when (w, x, y, z) is not a unit quaternion; removes its rounding.
  static SO3 from_quaternion(const Coeffs& wxyz) {
    rotation::require_unit_quaternion<S>(wxyz);
    return SO3(wxyz / sqrt_of(wxyz.squaredNorm()));
  }
  /// Throws InvalidArgument when the matrix is not a rotation.
  static SO3 from_matrix(const Matrix& r) {
    rotation::require_rotation_matrix<S>(r);
    const Coeffs q = rotation::quaternion_from_matrix<S>(r);
    return SO3(q / sqrt_of(q.squaredNorm()));
  }
  static SO3 from_rotation_vector(const Tangent& omega) { return exp(omega); }

 private:
  explicit SO3(const Coeffs& q) : q_(q) {}
  Vec<S, 3> vector_part() const { return {q_(1), q_(2), q_(3)}; }
  static S sqrt_of(const S& x) {
    using std::sqrt;
    return sqrt(x);
  }

  Coeffs q_;
};

static_assert(FixedLieGroup<SO3<double>>);

}  // namespace liegrad::lie
