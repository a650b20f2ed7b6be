#pragma once

#include "liegrad/elements/beams/beam_section.hpp"
#include "liegrad/lie/relative_rotation.hpp"

namespace liegrad::elements {

/// Motion of one end of a beam relative to the other: ω of both ends, each in its own axes, and the
/// difference R_aᵀ(u_b - u_a) of their velocities.
template <lie::Scalar S>
struct EndRates {
  lie::Vec<S, 3> omega_a, omega_b, velocity;
};

/// Forces by which a beam resists: the force on b, in the axes of a and in those of b, with its opposite on a;
/// the torques on both ends, each in its own axes. The deformation changes with the power force·velocity +
/// torque_a·ω_a + torque_b·ω_b.
template <lie::Scalar S>
struct EndForces {
  lie::Vec<S, 3> force_in_a, force_in_b, torque_a, torque_b;
};

// An interpolation makes the pose of the sections between two ends from the poses of the ends. From
//
//     R = R_aᵀR_b,   x = R_aᵀ(x_b - x_a)
//
// follow L (γ + e1) as `stretch` and L κ as `turn`, their rates, and the forces at the ends that belong to a
// stress: stress·(rate of stretch and turn) is their power. Both are functions of the relative pose only,
// so that a rigid motion of everything changes nothing; both are constant along the element or taken in its
// middle, so that nothing locks.

/// The helix from one end to the other, the geodesic of SE(3), [SonnevilleCardonaBruels2014]:
///
///     H(s) = H_a exp(s d/L),   d = log(H_a⁻¹H_b) = (θ, ρ),   θ = log R,   ρ = T⁻ᵀ(θ) x.
///
/// The strain d/L is constant, and exact where the strain of the beam is. With A = T⁻¹(θ) and its
/// derivative B along ρ, T⁻¹(d) = (A 0; B A) and T⁻¹(-d) = (Aᵀ 0; Bᵀ Aᵀ), [ArnoldCardonaBruels2015, Eq. (35)].
struct HelicoidalInterpolation {
  template <lie::Scalar S>
  class Deformation {
   public:
    using V3 = lie::Vec<S, 3>;
    Deformation(const lie::Mat<S, 3>& rotation, const V3& displacement)
        : turn(lie::rotation::logarithm<S>(rotation)) {
      const lie::rotation::InverseCoefficient<S> inverse(lie::rotation::dot<S>(turn, turn));
      stretch = lie::rotation::quadratic_times<S>(S(-0.5), inverse.d, turn, displacement);
      a_ = lie::rotation::quadratic<S>(S(0.5), inverse.d, turn);
      b_ = lie::rotation::tangent_operator_inverse_derivative<S>(inverse, turn, stretch);
    }

    V3 turn, stretch;

    /// d' = T⁻¹(d) v_b - T⁻¹(-d) v_a.
    BeamStrain<S> rate(const EndRates<S>& of) const {
      return {a_.transpose() * of.velocity + b_ * of.omega_b - b_.transpose() * of.omega_a,
              a_ * of.omega_b - a_.transpose() * of.omega_a};
    }
    EndForces<S> forces(const BeamStress<S>& of) const {
      return {a_ * of.force, a_.transpose() * of.force, -(a_ * of.moment + b_ * of.force),
              a_.transpose() * of.moment + b_.transpose() * of.force};
    }

   private:
    lie::Mat<S, 3> a_, b_;
  };
};

/// A straight line between the ends and the shortest turn, the geodesic of SO(3)×R³,
///
///     x(s) = x_a + (s/L)(x_b - x_a),   R(s) = R_a exp(s θ/L),   θ = log R,
///
/// as in [CardonaGeradin1988] with the objective interpolation of [CrisfieldJelenic1999]. κ = θ/L is constant;
/// γ is taken in the middle, ρ = exp(-θ/2) x, which keeps shear from locking. With p = tan(|θ|/4) θ/|θ| the
/// middle turns with Ω = ½(I - p~)Ω_a + ½(I + p~)Ω_b, as ½T(θ/2)T⁻¹(θ) = ½(I + p~).
struct LinearInterpolation {
  template <lie::Scalar S>
  class Deformation {
   public:
    using V3 = lie::Vec<S, 3>;
    Deformation(const lie::Mat<S, 3>& rotation, const V3& displacement)
        : Deformation(lie::rotation::RelativeRotation<S>(rotation), displacement) {}
    V3 turn, stretch;

    BeamStrain<S> rate(const EndRates<S>& of) const {
      using lie::rotation::cross;
      const V3 sum = of.omega_a + of.omega_b, difference = of.omega_b - of.omega_a;
      const V3 middle = S(0.5) * (sum + cross<S>(p_, difference));
      return {half_.transpose() * of.velocity + cross<S>(stretch, middle),
              a_ * of.omega_b - a_.transpose() * of.omega_a};
    }
    EndForces<S> forces(const BeamStress<S>& of) const {
      using lie::rotation::cross;
      const V3 half_torque = S(0.5) * cross<S>(of.force, stretch),
               tilted = cross<S>(p_, half_torque);
      return {half_ * of.force, half_.transpose() * of.force, half_torque + tilted - a_ * of.moment,
              half_torque - tilted + a_.transpose() * of.moment};
    }

   private:
    Deformation(const lie::rotation::RelativeRotation<S>& rotation, const V3& displacement)
        : turn(rotation.vector),
          p_(rotation.quarter_tangent),
          half_(rotation.halfway()),
          a_(lie::rotation::tangent_operator_inverse<S>(turn)) {
      stretch = half_.transpose() * displacement;
    }

    V3 p_;
    lie::Mat<S, 3> half_, a_;
  };
};

}  // namespace liegrad::elements
