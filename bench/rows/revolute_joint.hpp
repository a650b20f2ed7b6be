#pragma once

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "liegrad/ad/nested.hpp"
#include "liegrad/lie/frame.hpp"

namespace liegrad::bench {

/// A revolute joint between two bodies on SO(3)×R³, as an element of 12 degrees of freedom: its
/// forces Bᵀλ and its five constraints
///
///     Φ = (x_1 + R_1 P_1 - x_2 - R_2 P_2,  R_1 e·R_2 n,  R_1 f·R_2 n),
///
/// in the unknowns (δ_1, δ_2, λ), where δ perturbs the poses, q∘exp(δ), and is zero when called: the
/// Jacobian holds the joint's part of the tangent stiffness, B and Bᵀ.
struct RevoluteJoint {
  static constexpr int kVariables = 17;  // δ_1, δ_2 (6 each), λ (5)
  static constexpr int kData = 29;       // q of both (7 each), P_1, P_2, e, f, n (3 each)
  static constexpr int kOutputs = 17;
  static std::vector<int> zero_inputs() { return ad::range(0, 12); }

  template <class S>
  using V3 = lie::Vec<S, 3>;
  template <class S>
  using Frame = lie::Frame<S>;

  template <class S>
  static lie::Vec<S, 5> constraint(const Frame<S>& a, const Frame<S>& b, std::span<const S> p) {
    const V3<S> gap = a.point(vec<3>(p, 0)) - b.point(vec<3>(p, 3));
    const V3<S> axis = b.direction(vec<3>(p, 12));
    return {gap(0), gap(1), gap(2), lie::rotation::dot<S>(a.direction(vec<3>(p, 6)), axis),
            lie::rotation::dot<S>(a.direction(vec<3>(p, 9)), axis)};
  }

  /// As a user writes it: B comes from the constraint by AD.
  template <class S>
  static std::array<S, kOutputs> residual(std::span<const S> x, std::span<const S> d) {
    const Frame<S> a = frame(d, 0).template displaced<lie::SO3xR3>(vec<6>(x, 0));
    const Frame<S> b = frame(d, 7).template displaced<lie::SO3xR3>(vec<6>(x, 6));
    const std::span<const S> p = d.subspan(14);
    const auto phi = [&]<class T>(const lie::Vec<T, 12>& delta) {
      std::array<T, 15> lifted;
      for (std::size_t i = 0; i < 15; ++i) lifted[i] = T(p[i]);
      return constraint<T>(
          a.template cast<T>().template displaced<lie::SO3xR3>(delta.template head<6>()),
          b.template cast<T>().template displaced<lie::SO3xR3>(delta.template tail<6>()),
          std::span<const T>(lifted));
    };
    const lie::Vec<S, 12> zero = lie::Vec<S, 12>::Constant(S(0));
    return joined<S>(ad::nested_transpose_times<S, 12, 5>(phi, zero, vec<5>(x, 12)),
                     constraint<S>(a, b, p));
  }

  /// With Bᵀλ derived by hand: what one would write without this library, and the yardstick.
  template <class S>
  static std::array<S, kOutputs> by_hand(std::span<const S> x, std::span<const S> d) {
    using lie::rotation::cross;
    const Frame<S> a = frame(d, 0), b = frame(d, 7);
    const std::span<const S> p = d.subspan(14);
    const V3<S> force = vec<3>(x, 12), axis = vec<3>(p, 12);
    const V3<S> normal = x[15] * vec<3>(p, 6) + x[16] * vec<3>(p, 9);
    const V3<S> torque_a =
        cross<S>(vec<3>(p, 0), a.in_body(force)) + cross<S>(normal, a.in_body(b.direction(axis)));
    const V3<S> torque_b =
        cross<S>(axis, b.in_body(a.direction(normal))) - cross<S>(vec<3>(p, 3), b.in_body(force));
    lie::Vec<S, 12> forces;
    forces << torque_a, force, torque_b, -force;
    return joined<S>(forces, constraint<S>(a, b, p));
  }

  static std::array<double, kVariables + kData> example() {
    std::array<double, kVariables + kData> numbers{};
    for (std::size_t i = 12; i < numbers.size(); ++i) {
      numbers[i] = 0.3 + 0.1 * std::sin(1.0 + static_cast<double>(i * i));
    }
    for (const int quaternion : {kVariables, kVariables + 7}) {
      Eigen::Map<lie::Vec<double, 4>>(numbers.data() + quaternion).normalize();
    }
    return numbers;
  }

 private:
  template <int N, class S>
  static lie::Vec<S, N> vec(std::span<const S> numbers, int first) {
    return Eigen::Map<const lie::Vec<S, N>>(numbers.data() + first);
  }
  template <class S>
  static Frame<S> frame(std::span<const S> d, int first) {
    return Frame<S>::of(lie::SO3xR3<S>::from_coeffs(vec<7>(d, first)));
  }
  template <class S>
  static std::array<S, kOutputs> joined(const lie::Vec<S, 12>& forces, const lie::Vec<S, 5>& phi) {
    std::array<S, kOutputs> y;
    for (int i = 0; i < 12; ++i) y[static_cast<std::size_t>(i)] = forces(i);
    for (int i = 0; i < 5; ++i) y[static_cast<std::size_t>(12 + i)] = phi(i);
    return y;
  }
};

}  // namespace liegrad::bench
