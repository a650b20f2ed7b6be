#pragma once

#include "liegrad/elements/forces/checks.hpp"
#include "liegrad/elements/joints/reaction.hpp"
#include "liegrad/lie/relative_rotation.hpp"

namespace liegrad::elements {

/// Six springs and dampers between two frames. With R = R_aᵀ R_b the deflection is, both in frame a,
///
///     r = R_aᵀ (x_b - x_a),   θ = log R,
///
/// and f = K r + D ṙ, m = K_r θ + D_r θ̇ are the forces in these coordinates: the energy is
/// ½ rᵀK r + ½ θᵀK_r θ, and dampers take the power ṙᵀD ṙ + θ̇ᵀD_r θ̇.
///
/// The loads follow from the power. As θ̇ = T⁻¹(θ) ω, with T the tangent operator and ω the angular velocity
/// of b relative to a in the axes of b, b feels the torque -T⁻ᵀ(θ) m in its own axes (which is -m where m
/// points along θ, or θ is small) and the force -R_a f; a feels the opposite of both, the force at the
/// origin of frame b.
///
/// θ is the rotation vector shorter than π. At half a turn the rotation vector itself jumps.
struct Bushing {
  enum Parameter {
    kA,
    kB = kFrameParameters,
    kStiffness = kB + kFrameParameters,
    kRotationStiffness = kStiffness + 3,
    kDamping = kRotationStiffness + 3,
    kRotationDamping = kDamping + 3,
    kEnd = kRotationDamping + 3
  };

  dae::ElementShape shape() const {
    return {.type = "bushing",
            .nodes = {{dae::NodeRole::kFrame, 0, "a"}, {dae::NodeRole::kFrame, 0, "b"}},
            .parameters = joined(frame_parameters("a"), frame_parameters("b"),
                                 std::vector<dae::ParameterSpec>{
                                     {"k1", 1, "N/m", "stiffness along x of frame a"},
                                     {"k2", 1, "N/m", "stiffness along y"},
                                     {"k3", 1, "N/m", "stiffness along z"},
                                     {"kr1", 1, "N m/rad", "stiffness about x of frame a"},
                                     {"kr2", 1, "N m/rad", "stiffness about y"},
                                     {"kr3", 1, "N m/rad", "stiffness about z"},
                                     {"d1", 0, "N s/m", "damping along x of frame a"},
                                     {"d2", 0, "N s/m", "damping along y"},
                                     {"d3", 0, "N s/m", "damping along z"},
                                     {"dr1", 0, "N m s/rad", "damping about x of frame a"},
                                     {"dr2", 0, "N m s/rad", "damping about y"},
                                     {"dr3", 0, "N m s/rad", "damping about z"}}),
            .outputs = {{"displacement", 3, "of frame b, in frame a"},
                        {"rotation", 3, "rotation vector of frame b, in frame a"}}};
  }

  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using lie::rotation::cross;
    const Deflection<S> now(at);
    const lie::Mat<S, 3> to_rate = lie::rotation::tangent_operator_inverse<S>(now.rotation);

    // ṙ and θ̇.
    const lie::Vec<S, 3> omega_a = at.rotation(0) * at.omega(0),
                         omega_b = at.rotation(1) * at.omega(1);
    const lie::Vec<S, 3> relative = at.point_velocity(1, at.parameter3(kB)) -
                                    at.point_velocity(0, at.parameter3(kA)) -
                                    cross<S>(omega_a, now.b.position - now.a.position);
    const lie::Vec<S, 3> displacement_rate = now.a.in_body(relative),
                         rotation_rate = to_rate * now.b.in_body(omega_b - omega_a);

    // f and m, and what they are in the inertial frame.
    const lie::Vec<S, 3> f = at.parameter3(kStiffness).cwiseProduct(now.displacement) +
                             at.parameter3(kDamping).cwiseProduct(displacement_rate);
    const lie::Vec<S, 3> m = at.parameter3(kRotationStiffness).cwiseProduct(now.rotation) +
                             at.parameter3(kRotationDamping).cwiseProduct(rotation_rate);
    const lie::Vec<S, 3> force = now.a.direction(f),
                         torque = now.b.direction(to_rate.transpose() * m);

    const lie::Frame<S> body_a = at.frame(0), body_b = at.frame(1);
    balance.apply_force_at(0, body_a.in_body(now.b.position - body_a.position), force);
    balance.apply_torque(0, body_a.in_body(torque));
    balance.apply_force_at(1, at.parameter3(kB), -force);
    balance.apply_torque(1, -body_b.in_body(torque));
  }

  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    const Deflection<S> now(at);
    const auto energy = [&at](int first, const lie::Vec<S, 3>& x) {
      return S(S(0.5) * lie::rotation::dot<S>(x, at.parameter3(first).cwiseProduct(x)));
    };
    return energy(kStiffness, now.displacement) + energy(kRotationStiffness, now.rotation);
  }
  template <class S>
  lie::Vec<S, 6> outputs(const dae::Motion<S>& at) const {
    const Deflection<S> now(at);
    lie::Vec<S, 6> both;
    both << now.displacement, now.rotation;
    return both;
  }

  std::string validation_message(const dae::Position<double>& at) const {
    for (int i = kStiffness; i < kEnd; ++i) {
      const std::string text = negative_parameter(shape(), at, {i});
      if (!text.empty()) return text;
    }
    if (const std::string text = two_frames_validation_message(at); !text.empty()) return text;
    const lie::Mat<double, 3> r =
        attached_frame(at, 0, kA).rotation.transpose() * attached_frame(at, 1, kB).rotation;
    if (r.trace() > -1 + 1e-6) return "";
    return "has frames that are half a turn apart, where its torque has no direction; turn one of "
           "them";
  }

 private:
  template <class S>
  struct Deflection {
    lie::Frame<S> a, b;
    lie::Vec<S, 3> displacement, rotation;

    explicit Deflection(const dae::Position<S>& at)
        : a(attached_frame(at, 0, kA)), b(attached_frame(at, 1, kB)) {
      displacement = a.in_body(b.position - a.position);
      rotation = lie::rotation::logarithm<S>(a.rotation.transpose() * b.rotation);
    }
  };
};

}  // namespace liegrad::elements

// Compiled in forces.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::Bushing>
    : liegrad::dae::CompiledElement<liegrad::elements::Bushing> {};
