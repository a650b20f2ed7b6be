#pragma once

#include <cmath>
#include <numbers>
#include <random>

#include "liegrad/lie/lie_group.hpp"
#include "liegrad/lie/unit_norm.hpp"

namespace liegrad::lie {

/// Rotations of the plane, stored as a unit complex number.
///
/// Coeffs    cos φ, sin φ
/// Tangent   φ
/// Matrix    (cos φ, -sin φ; sin φ, cos φ)
/// Invariant |coeffs| = 1 (composition corrects rounding, see unit_norm.hpp)
template <Scalar S>
class SO2 {
 public:
  using ScalarType = S;
  static constexpr int kDof = 1;
  static constexpr int kNumCoeffs = 2;
  static constexpr int kMatrixSize = 2;
  using Tangent = Vec<S, 1>;
  using TangentMap = Mat<S, 1>;
  using Coeffs = Vec<S, 2>;
  using Matrix = Mat<S, 2>;

  static SO2 identity() { return SO2(Coeffs(S(1), S(0))); }
  static SO2 from_coeffs(const Coeffs& c) { return SO2(c); }
  static SO2 from_angle(const S& phi) {
    using std::cos, std::sin;
    return SO2(Coeffs(cos(phi), sin(phi)));
  }

  template <class Rng>
  static SO2 random(Rng& rng) {
    std::uniform_real_distribution<double> angle(-std::numbers::pi, std::numbers::pi);
    return from_angle(S(angle(rng)));
  }

  const Coeffs& coeffs() const { return c_; }
  template <Scalar T>
  SO2<T> cast() const {
    return SO2<T>::from_coeffs(c_.template cast<T>());
  }

  SO2 operator*(const SO2& other) const {
    const Coeffs& d = other.c_;
    return SO2(
        unit_norm_restored<S, 2>(Coeffs(c_(0) * d(0) - c_(1) * d(1), c_(0) * d(1) + c_(1) * d(0))));
  }
  SO2 inverse() const { return SO2(Coeffs(c_(0), -c_(1))); }
  static SO2 exp(const Tangent& v) { return from_angle(v(0)); }
  Tangent log() const { return Tangent(angle()); }

  /// φ in (-π, π]. From the half angle, tan(φ/2) = sin φ/(1 + cos φ), which is smooth for
  /// cos φ ≥ 0; the other half-plane is first turned back by a right angle towards φ = 0.
  S angle() const {
    using std::atan;
    const S zero(0), one(1), half_pi(std::numbers::pi_v<RealOf<S>> / 2);
    const S side = select_lt(c_(1), zero, S(-one), one);
    const S cosine = select_lt(c_(0), zero, S(side * c_(1)), c_(0));
    const S sine = select_lt(c_(0), zero, S(-side * c_(0)), c_(1));
    const S turned = select_lt(c_(0), zero, S(side * half_pi), zero);
    return turned + S(2) * atan(sine / (one + cosine));
  }

  Vec<S, 2> transform_point(const Vec<S, 2>& p) const {
    return {c_(0) * p(0) - c_(1) * p(1), c_(1) * p(0) + c_(0) * p(1)};
  }
  Vec<S, 2> transform_vector(const Vec<S, 2>& u) const { return transform_point(u); }

  // The group commutes: ad vanishes, Ad and T are the identity.
  TangentMap Ad() const { return TangentMap::Identity(); }
  static TangentMap ad(const Tangent& /*v*/) { return TangentMap::Zero(); }
  static TangentMap tangent_operator(const Tangent& /*v*/) { return TangentMap::Identity(); }
  static TangentMap tangent_operator_inverse(const Tangent& /*v*/) {
    return TangentMap::Identity();
  }
  static Tangent tangent_operator_derivative(const Tangent& /*v*/, const Tangent& /*w*/,
                                             const Tangent& /*d*/) {
    return Tangent::Zero();
  }

  Matrix matrix() const {
    Matrix m;
    m << c_(0), -c_(1), c_(1), c_(0);
    return m;
  }
  static Matrix hat(const Tangent& v) {
    Matrix m;
    m << S(0), -v(0), v(0), S(0);
    return m;
  }
  static Tangent vee(const Matrix& m) { return Tangent(m(1, 0)); }

 private:
  explicit SO2(const Coeffs& c) : c_(c) {}

  Coeffs c_;
};

static_assert(FixedLieGroup<SO2<double>>);

}  // namespace liegrad::lie
