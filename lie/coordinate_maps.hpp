#pragma once

// Local coordinates of a group around the identity, q = μ(c) [BruelsCardonaArnold2012, Eq. (80)].
// A coordinate map is a type with the static functions
//
//     to_group<G>(c)                    μ(c)
//     from_group(g)                     μ⁻¹(g)
//     tangent_operator<G>(c)            T(c):  v = T(c) c' for q = μ(c), v left-trivialised
//     tangent_operator_inverse<G>(c)    T⁻¹(c)
//
// ExponentialMap exists on every group. CayleyMap and ConformalRotationVector are maps of SO(3),
// extended to its products: they leave R^n alone and act part by part on SO(3)×R³ and Product.

#include "liegrad/lie/product.hpp"
#include "liegrad/lie/rn.hpp"
#include "liegrad/lie/so3.hpp"
#include "liegrad/lie/so3xr3.hpp"

namespace liegrad::lie {

/// μ = exp.
struct ExponentialMap {
  template <LieGroup G>
  static G to_group(const typename G::Tangent& c) {
    return G::exp(c);
  }
  template <LieGroup G>
  static typename G::Tangent from_group(const G& g) {
    return g.log();
  }
  template <LieGroup G>
  static typename G::TangentMap tangent_operator(const typename G::Tangent& c) {
    return G::tangent_operator(c);
  }
  template <LieGroup G>
  static typename G::TangentMap tangent_operator_inverse(const typename G::Tangent& c) {
    return G::tangent_operator_inverse(c);
  }
};

/// Cayley transform cay(Ω~/2) = (I - Ω~/2)⁻¹(I + Ω~/2), |Ω| = 2 tan(θ/2): rational, θ < π.
struct CayleyOnSO3 {
  /// The quaternion is parallel to (1, Ω/2).
  template <Scalar S>
  static SO3<S> to_group(const Vec<S, 3>& c) {
    using std::sqrt;
    const S w = S(1) / sqrt(S(1) + S(0.25) * rotation::dot(c, c));
    const S half = S(0.5) * w;
    return SO3<S>::from_coeffs(Vec<S, 4>(w, half * c(0), half * c(1), half * c(2)));
  }
  template <Scalar S>
  static Vec<S, 3> from_group(const SO3<S>& g) {
    return (S(2) / g.coeffs()(0)) * g.coeffs().template tail<3>();
  }
  /// (I - Ω~/2) / (1 + |Ω|²/4).
  template <Scalar S>
  static Mat<S, 3> tangent_operator(const Vec<S, 3>& c) {
    const S scale = S(1) / (S(1) + S(0.25) * rotation::dot(c, c));
    return scale * (Mat<S, 3>::Identity() - skew<S>(S(0.5) * c));
  }
  /// I + Ω~/2 + ΩΩᵀ/4.
  template <Scalar S>
  static Mat<S, 3> tangent_operator_inverse(const Vec<S, 3>& c) {
    return Mat<S, 3>::Identity() + skew<S>(S(0.5) * c) + S(0.25) * c * c.transpose();
  }
};

/// Conformal rotation vector (Wiener–Milenković parameters), |c| = 4 tan(θ/4): rational, θ < 2π.
struct ConformalRotationVectorOnSO3 {
  /// [BruelsCardonaArnold2012, Eq. (81)] as a quaternion, (c₀, c) / (4 - c₀) with
  /// c₀ = (16 - |c|²)/8 = 2 - |c|²/8.
  template <Scalar S>
  static SO3<S> to_group(const Vec<S, 3>& c) {
    const S c0 = scalar_part(c);
    const S scale = S(1) / (S(4) - c0);
    return SO3<S>::from_coeffs(Vec<S, 4>(scale * c0, scale * c(0), scale * c(1), scale * c(2)));
  }
  /// c = 4 (x,y,z)/(1+w), for the quaternion with w ≥ 0.
  template <Scalar S>
  static Vec<S, 3> from_group(const SO3<S>& g) {
    const Vec<S, 4> q = g.quaternion();
    return (S(4) / (S(1) + q(0))) * q.template tail<3>();
  }
  /// [BruelsCardonaArnold2012, Eq. (82)].
  template <Scalar S>
  static Mat<S, 3> tangent_operator(const Vec<S, 3>& c) {
    const S c0 = scalar_part(c);
    const S scale = S(2) / ((S(4) - c0) * (S(4) - c0));
    return scale * numerator<S>(c, -c);
  }
  /// T Tᵀ = (2/(4-c₀))² I, hence T⁻¹ = ((4-c₀)/2)² Tᵀ = (c₀ I + c cᵀ/4 + c~)/2.
  template <Scalar S>
  static Mat<S, 3> tangent_operator_inverse(const Vec<S, 3>& c) {
    return S(0.5) * numerator<S>(c, c);
  }

 private:
  template <Scalar S>
  static S scalar_part(const Vec<S, 3>& c) {
    return S(2) - S(0.125) * rotation::dot(c, c);
  }
  /// c₀ I + c cᵀ/4 + a~.
  template <Scalar S>
  static Mat<S, 3> numerator(const Vec<S, 3>& c, const Vec<S, 3>& a) {
    return scalar_part(c) * Mat<S, 3>::Identity() + S(0.25) * c * c.transpose() + skew<S>(a);
  }
};

namespace coordinate_map_detail {

/// A map of SO(3) on the group G.
template <class OnSO3, class G>
struct Lifted;

template <class OnSO3, Scalar S>
struct Lifted<OnSO3, SO3<S>> : OnSO3 {};

template <class OnSO3, Scalar S, int N>
struct Lifted<OnSO3, Rn<S, N>> : ExponentialMap {
  using G = Rn<S, N>;
  static G to_group(const Vec<S, N>& c) { return G::exp(c); }
  static Mat<S, N> tangent_operator(const Vec<S, N>& c) { return G::tangent_operator(c); }
  static Mat<S, N> tangent_operator_inverse(const Vec<S, N>& c) {
    return G::tangent_operator_inverse(c);
  }
};

template <class OnSO3, Scalar S>
struct Lifted<OnSO3, SO3xR3<S>> {
  static SO3xR3<S> to_group(const Vec<S, 6>& c) {
    return SO3xR3<S>(OnSO3::template to_group<S>(c.template head<3>()), c.template tail<3>());
  }
  static Vec<S, 6> from_group(const SO3xR3<S>& g) {
    Vec<S, 6> c;
    c << OnSO3::template from_group<S>(g.rotation()), g.translation();
    return c;
  }
  static Mat<S, 6> tangent_operator(const Vec<S, 6>& c) {
    return with_identity(OnSO3::template tangent_operator<S>(c.template head<3>()));
  }
  static Mat<S, 6> tangent_operator_inverse(const Vec<S, 6>& c) {
    return with_identity(OnSO3::template tangent_operator_inverse<S>(c.template head<3>()));
  }

 private:
  static Mat<S, 6> with_identity(const Mat<S, 3>& block) {
    Mat<S, 6> m = Mat<S, 6>::Identity();
    m.template topLeftCorner<3, 3>() = block;
    return m;
  }
};

template <class OnSO3, class... Parts>
struct Lifted<OnSO3, Product<Parts...>> {
  using G = Product<Parts...>;
  using C = typename G::Tangent;
  template <std::size_t I>
  using On = Lifted<OnSO3, typename G::template Part<I>>;

  static G to_group(const C& c) {
    return G::from_parts(
        [&]<std::size_t I>() { return On<I>::to_group(G::template tangent_part<I>(c)); });
  }
  static C from_group(const G& g) {
    return G::stacked([&]<std::size_t I>() { return On<I>::from_group(g.template part<I>()); });
  }
  static typename G::TangentMap tangent_operator(const C& c) {
    return G::block_diagonal(
        [&]<std::size_t I>() { return On<I>::tangent_operator(G::template tangent_part<I>(c)); });
  }
  static typename G::TangentMap tangent_operator_inverse(const C& c) {
    return G::block_diagonal([&]<std::size_t I>() {
      return On<I>::tangent_operator_inverse(G::template tangent_part<I>(c));
    });
  }
};

}  // namespace coordinate_map_detail

/// A map of SO(3) extended to R^n, SO(3)×R³ and products.
template <class OnSO3>
struct RotationMap {
  template <LieGroup G>
  static G to_group(const typename G::Tangent& c) {
    return coordinate_map_detail::Lifted<OnSO3, G>::to_group(c);
  }
  template <LieGroup G>
  static typename G::Tangent from_group(const G& g) {
    return coordinate_map_detail::Lifted<OnSO3, G>::from_group(g);
  }
  template <LieGroup G>
  static typename G::TangentMap tangent_operator(const typename G::Tangent& c) {
    return coordinate_map_detail::Lifted<OnSO3, G>::tangent_operator(c);
  }
  template <LieGroup G>
  static typename G::TangentMap tangent_operator_inverse(const typename G::Tangent& c) {
    return coordinate_map_detail::Lifted<OnSO3, G>::tangent_operator_inverse(c);
  }
};

using CayleyMap = RotationMap<CayleyOnSO3>;
using ConformalRotationVector = RotationMap<ConformalRotationVectorOnSO3>;

}  // namespace liegrad::lie
