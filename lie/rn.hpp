#pragma once

#include <random>

#include "liegrad/lie/lie_group.hpp"

namespace liegrad::lie {

/// R^n with addition, [ArnoldCardonaBruels2015, Eqs. (12), (13)]; n may be Eigen::Dynamic.
///
/// Coeffs    x_1 … x_n
/// Tangent   u_1 … u_n
/// Matrix    (I x; 0 1), size n+1
///
/// With run-time n the vectors live on the heap; GroupList works on R^n of any n in place.
template <Scalar S, int N>
class Rn {
 public:
  using ScalarType = S;
  static constexpr int kDof = N;
  static constexpr int kNumCoeffs = N;
  static constexpr int kMatrixSize = N == Eigen::Dynamic ? Eigen::Dynamic : N + 1;
  using Tangent = Vec<S, N>;
  using TangentMap = Mat<S, N>;
  using Coeffs = Vec<S, N>;
  using Matrix = Mat<S, kMatrixSize>;

  static Rn identity() requires(N >= 0) { return Rn(Coeffs::Zero()); }
  static Rn identity(Eigen::Index n) requires(N == Eigen::Dynamic) { return Rn(Coeffs::Zero(n)); }
  static Rn from_coeffs(const Coeffs& x) { return Rn(x); }

  template <class Rng>
  static Rn random(Rng& rng) requires(N >= 0) {
    Coeffs x;
    std::normal_distribution<double> normal;
    for (int i = 0; i < N; ++i) x(i) = S(normal(rng));
    return Rn(x);
  }

  const Coeffs& coeffs() const { return x_; }
  template <Scalar T>
  Rn<T, N> cast() const {
    return Rn<T, N>::from_coeffs(x_.template cast<T>());
  }

  Rn operator*(const Rn& other) const { return Rn(x_ + other.x_); }
  Rn inverse() const { return Rn(-x_); }
  static Rn exp(const Tangent& u) { return Rn(u); }
  Tangent log() const { return x_; }

  /// The group acts on R^n by translation.
  Coeffs transform_point(const Coeffs& point) const { return x_ + point; }
  Coeffs transform_vector(const Coeffs& vector) const { return vector; }

  // The group commutes: ad vanishes, Ad and T are the identity.
  TangentMap Ad() const { return unit(x_); }
  static TangentMap ad(const Tangent& u) { return TangentMap::Zero(u.size(), u.size()); }
  static TangentMap tangent_operator(const Tangent& u) { return unit(u); }
  static TangentMap tangent_operator_inverse(const Tangent& u) { return unit(u); }
  static Tangent tangent_operator_derivative(const Tangent& u, const Tangent& /*w*/,
                                             const Tangent& /*d*/) {
    return Tangent::Zero(u.size());
  }

  Matrix matrix() const {
    Matrix m = Matrix::Identity(x_.size() + 1, x_.size() + 1);
    m.topRightCorner(x_.size(), 1) = x_;
    return m;
  }
  static Matrix hat(const Tangent& u) {
    Matrix m = Matrix::Zero(u.size() + 1, u.size() + 1);
    m.topRightCorner(u.size(), 1) = u;
    return m;
  }
  static Tangent vee(const Matrix& m) { return m.topRightCorner(m.rows() - 1, 1); }

 private:
  explicit Rn(const Coeffs& x) : x_(x) {}
  static TangentMap unit(const Tangent& like) {
    return TangentMap::Identity(like.size(), like.size());
  }

  Coeffs x_;
};

static_assert(FixedLieGroup<Rn<double, 3>>);
static_assert(LieGroup<Rn<double, Eigen::Dynamic>>);

}  // namespace liegrad::lie
