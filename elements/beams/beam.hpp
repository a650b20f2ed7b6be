#pragma once

#include <cmath>

#include "liegrad/dae/system/text.hpp"
#include "liegrad/elements/beams/beam_end.hpp"
#include "liegrad/elements/beams/beam_interpolation.hpp"
#include "liegrad/elements/joints/reaction.hpp"

namespace liegrad::elements {

/// A geometrically exact beam between two sections, a and b, each the frame of a node with x along the beam;
/// docs/beams.md derives what follows. With the strain ε = (γ, κ) of an interpolation its energy and stress are
///
///     V = L/2 (ε - ε₀)ᵀK (ε - ε₀),   σ = K (ε - ε₀ + τ ε̇),
///
/// where ε₀ are the strain and curvature without stress (a straight beam has none). Of the mass, velocities
/// are interpolated linearly, u in the inertial frame and Ω in that of the section: with N = (2 1; 1 2) L/6
///
///     T = ½ Σ N_ij (m u_i·u_j + Ω_i·JΩ_j),
///
/// which is invariant under rigid motions, so that linear and angular momentum are kept. Rayleigh damping is
/// α M v, and τ = β in its part β K.
template <class Interpolation = HelicoidalInterpolation, class Section = DiagonalSection>
struct Beam {
  SectionFrames frames = SectionFrames::kAttached;
  /// Whether it has damping, with the parameters alpha and those of the section.
  bool damped = false;
  Section section = {};
  bool operator==(const Beam&) const = default;

  /// From the first parameter after those of the frames.
  enum Parameter {
    kLength,
    kParts,
    kGamma,
    kKappa = kGamma + 3,
    kMass = kKappa + 3,
    kInertia,
    kGravity = kInertia + 3,
    kSection = kGravity + 3
  };

  dae::ElementShape shape() const {
    std::vector<dae::ParameterSpec> own = {
        {"L", 1, "m", "length without stress, of all its parts"},
        {"parts", 1, "1", "number of equal elements that share this length"},
        {"gamma1", 0, "1", "extension without stress"},
        {"gamma2", 0, "1", "shear along y of the section without stress"},
        {"gamma3", 0, "1", "shear along z without stress"},
        {"kappa1", 0, "1/m", "twist without stress"},
        {"kappa2", 0, "1/m", "curvature about y of the section without stress"},
        {"kappa3", 0, "1/m", "curvature about z without stress"},
        {"m", 1, "kg/m", "mass of a length"},
        {"J1", 0, "kg m", "inertia of a length about x of the section"},
        {"J2", 0, "kg m", "inertia of a length about y"},
        {"J3", 0, "kg m", "inertia of a length about z"},
        {"gravity1", 0, "m/s^2", "gravity along x"},
        {"gravity2", 0, "m/s^2", "gravity along y"},
        {"gravity3", -9.81, "m/s^2", "gravity along z"}};
    std::vector<dae::ParameterSpec> damping;
    if (damped) {
      damping = joined(
          std::vector<dae::ParameterSpec>{{"alpha", 0, "1/s", "damping proportional to mass"}},
          section.damping_parameters());
    }
    return {.type = "beam",
            .nodes = beam_nodes(frames),
            .parameters = joined(beam_frame_parameters(frames), own, section.parameters(), damping),
            .outputs = {{"gamma", 3, "strain: extension, shear along y and z of the section"},
                        {"kappa", 3, "twist and curvatures about y and z of the section"},
                        {"force", 3, "axial and shear forces, in the axes of the section"},
                        {"moment", 3, "torque and bending moments, in the axes of the section"}}};
  }

  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using lie::rotation::cross;
    using V3 = lie::Vec<S, 3>;
    const BeamEnd<S> a(at, frames, 0), b(at, frames, 1);
    const V3 omega_a = a.omega(), omega_b = b.omega(), omega_dot_a = a.omega_dot(),
             omega_dot_b = b.omega_dot();
    const EndForces<S> elastic = forces_of<S>(at, a, b);
    const V3 force = a.frame.direction(elastic.force_in_a);

    // Inertia and weight: m u̇ - m γ, with the damping α m u, over the length.
    const S sixth = length(at) / S(6), sixth_of_mass = sixth * value(at, kMass);
    V3 pull_a = a.acceleration() - value3(at, kGravity),
       pull_b = b.acceleration() - value3(at, kGravity);
    V3 spin_a = inertia_times<S>(at, S(2) * omega_a + omega_b),
       spin_b = inertia_times<S>(at, S(2) * omega_b + omega_a);
    V3 torque_a =
           inertia_times<S>(at, S(2) * omega_dot_a + omega_dot_b) + cross<S>(omega_a, spin_a),
       torque_b =
           inertia_times<S>(at, S(2) * omega_dot_b + omega_dot_a) + cross<S>(omega_b, spin_b);
    if (damped) {
      const S& alpha = at.parameter(first_damping());
      pull_a += alpha * a.velocity();
      pull_b += alpha * b.velocity();
      torque_a += alpha * spin_a;
      torque_b += alpha * spin_b;
    }
    a.add(balance, sixth_of_mass * (S(2) * pull_a + pull_b) - force,
          elastic.torque_a + sixth * torque_a);
    b.add(balance, sixth_of_mass * (S(2) * pull_b + pull_a) + force,
          elastic.torque_b + sixth * torque_b);
  }

  template <class S>
  S kinetic_energy(const dae::Motion<S>& at) const {
    using lie::rotation::dot;
    const BeamEnd<S> a(at, frames, 0), b(at, frames, 1);
    const lie::Vec<S, 3> u_a = a.velocity(), u_b = b.velocity(), omega_a = a.omega(),
                         omega_b = b.omega();
    // Both are Σ N_ij x_i·x_j 6/L halved.
    const S translation = dot<S>(u_a, u_a + u_b) + dot<S>(u_b, u_b);
    const S rotation = dot<S>(omega_a, inertia_times<S>(at, omega_a + omega_b)) +
                       dot<S>(omega_b, inertia_times<S>(at, omega_b));
    return length(at) / S(6) * (value(at, kMass) * translation + rotation);
  }
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    using lie::rotation::dot;
    const lie::Frame<S> a = section_frame<S>(at, frames, 0), b = section_frame<S>(at, frames, 1);
    const BeamStrain<S> strain = strain_of<S>(at, deformation<S>(a, b));
    const BeamStress<S> stress = section.template stress<S>(at, first(kSection), strain);
    const S elastic = dot<S>(strain.gamma, stress.force) + dot<S>(strain.kappa, stress.moment);
    const S height = dot<S>(value3(at, kGravity), a.position + b.position);
    return S(0.5) * length(at) * (elastic - value(at, kMass) * height);
  }
  template <class S>
  dae::Momentum<S> momentum(const dae::Motion<S>& at) const {
    using V3 = lie::Vec<S, 3>;
    const BeamEnd<S> a(at, frames, 0), b(at, frames, 1);
    const S sixth = length(at) / S(6), sixth_of_mass = sixth * value(at, kMass);
    const auto of_end = [&](const BeamEnd<S>& one, const BeamEnd<S>& other) -> dae::Momentum<S> {
      const V3 linear = sixth_of_mass * (S(2) * one.velocity() + other.velocity());
      const V3 spin = sixth * inertia_times<S>(at, S(2) * one.omega() + other.omega());
      return {linear,
              one.frame.direction(spin) + lie::rotation::cross<S>(one.frame.position, linear)};
    };
    const dae::Momentum<S> of_a = of_end(a, b), of_b = of_end(b, a);
    return {of_a.linear + of_b.linear, of_a.angular + of_b.angular};
  }
  template <class S>
  lie::Vec<S, 12> outputs(const dae::Motion<S>& at) const {
    const BeamEnd<S> a(at, frames, 0), b(at, frames, 1);
    const auto now = deformation<S>(a.frame, b.frame);
    const BeamStrain<S> strain = strain_of<S>(at, now);
    const BeamStress<S> stress = stress_of<S>(at, a, b, now);
    lie::Vec<S, 12> all;
    all << strain.gamma, strain.kappa, stress.force, stress.moment;
    return all;
  }

  std::string validation_message(const dae::Position<double>& at) const {
    const dae::ElementShape own = shape();
    std::string text = not_positive_parameter(own, at, {first(kLength), first(kParts)});
    if (text.empty()) text = section.validation_message(own, at, first(kSection));
    if (text.empty()) {
      text = negative_parameter(
          own, at, {first(kMass), first(kInertia), first(kInertia + 1), first(kInertia + 2)});
    }
    for (int i = first_damping(); i < std::ssize(own.parameters) && text.empty(); ++i) {
      text = negative_parameter(own, at, {i});
    }
    if (text.empty() && frames == SectionFrames::kAttached)
      text = two_frames_validation_message(at);
    return text.empty() ? shape_validation_message(at) : text;
  }

  /// The parameters L, gamma1 … and kappa1 … of a beam that has no stress between two sections; L is the
  /// length of the helix between them.
  static std::map<std::string, double> reference(const lie::Frame<double>& a,
                                                 const lie::Frame<double>& b) {
    const auto helix = HelicoidalInterpolation::Deformation<double>(
        a.rotation.transpose() * b.rotation, a.in_body(b.position - a.position));
    const double length = helix.stretch.norm();
    if (!(length > 0)) {
      throw InvalidArgument("a beam has both ends at the same point; it needs a length");
    }
    const auto now = deformation<double>(a, b);
    std::map<std::string, double> values = {{"L", length}};
    for (int i = 0; i < 3; ++i) {
      const std::string number = std::to_string(i + 1);
      values["gamma" + number] = now.stretch(i) / length - (i == 0 ? 1 : 0);
      values["kappa" + number] = now.turn(i) / length;
    }
    return values;
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    const auto end = [&](int node) {
      return frames == SectionFrames::kNodes
                 ? dae::Drawing::Point{node}
                 : dae::Drawing::Point{node, at.parameter3(node * kFrameParameters)};
    };
    return {.links = {{end(0), end(1)}}};
  }

 private:
  template <class S>
  using Deformation = typename Interpolation::template Deformation<S>;

  int first(int own) const { return num_beam_frame_parameters(frames) + own; }
  int first_damping() const { return first(kSection) + std::remove_cvref_t<Section>::kCount; }
  template <class S>
  const S& value(const dae::Position<S>& at, int own) const {
    return at.parameter(first(own));
  }
  /// Of this element.
  template <class S>
  S length(const dae::Position<S>& at) const {
    return value(at, kLength) / value(at, kParts);
  }
  template <class S>
  lie::Vec<S, 3> value3(const dae::Position<S>& at, int own) const {
    return at.parameter3(first(own));
  }
  template <class S>
  lie::Vec<S, 3> inertia_times(const dae::Position<S>& at, const lie::Vec<S, 3>& w) const {
    return value3(at, kInertia).cwiseProduct(w);
  }

  template <class S>
  static Deformation<S> deformation(const lie::Frame<S>& a, const lie::Frame<S>& b) {
    return {a.rotation.transpose() * b.rotation, a.in_body(b.position - a.position)};
  }
  /// ε - ε₀.
  template <class S>
  BeamStrain<S> strain_of(const dae::Position<S>& at, const Deformation<S>& now) const {
    const S inverse = S(1) / length(at);
    lie::Vec<S, 3> gamma = inverse * now.stretch - value3(at, kGamma);
    gamma(0) -= S(1);
    return {gamma, inverse * now.turn - value3(at, kKappa)};
  }
  template <class S>
  BeamStress<S> stress_of(const dae::Motion<S>& at, const BeamEnd<S>& a, const BeamEnd<S>& b,
                          const Deformation<S>& now) const {
    BeamStrain<S> strain = strain_of<S>(at, now);
    if (damped) {
      const S inverse = S(1) / length(at);
      const BeamStrain<S> rate =
          now.rate({a.omega(), b.omega(), a.frame.in_body(b.velocity() - a.velocity())});
      const BeamStrain<S> delayed = section.template delayed<S>(
          at, first_damping() + 1, {inverse * rate.gamma, inverse * rate.kappa});
      strain.gamma += delayed.gamma;
      strain.kappa += delayed.kappa;
    }
    return section.template stress<S>(at, first(kSection), strain);
  }
  template <class S>
  EndForces<S> forces_of(const dae::Motion<S>& at, const BeamEnd<S>& a, const BeamEnd<S>& b) const {
    const Deformation<S> now = deformation<S>(a.frame, b.frame);
    return now.forces(stress_of<S>(at, a, b, now));
  }

  /// About how the ends are placed at the start.
  std::string shape_validation_message(const dae::Position<double>& at) const {
    using dae::number_text;
    constexpr double kLargestStrain = 0.5, kNearlyHalfATurn = 3.1;
    const lie::Frame<double> a = section_frame<double>(at, frames, 0),
                             b = section_frame<double>(at, frames, 1);
    const double distance = (b.position - a.position).norm(), length = this->length(at);
    if (!(distance > 1e-9 * length)) {
      return "has both ends at the same point at the start; place them " + number_text(length) +
             " apart";
    }
    const auto now = deformation<double>(a, b);
    if (now.turn.norm() > kNearlyHalfATurn) {
      return "has ends that are turned by " + number_text(now.turn.norm()) +
             " rad against each other, half a turn or more, where its curvature has no direction; "
             "use more elements, or turn the section of one end";
    }
    if (now.stretch(0) < 0) {
      return "has end b behind end a, along the x axis of its sections; give its nodes in the "
             "order in which x passes them";
    }
    const double extension = strain_of<double>(at, now).gamma(0);
    if (std::abs(extension) <= kLargestStrain) return "";
    return "has the length " + number_text(length) + " but ends that are " + number_text(distance) +
           " apart at the start, a strain of " + number_text(extension) + "; set L or parts";
  }
};

}  // namespace liegrad::elements

// Compiled in beams.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::Beam<
    liegrad::elements::HelicoidalInterpolation, liegrad::elements::DiagonalSection>>
    : liegrad::dae::CompiledElement<liegrad::elements::Beam<
          liegrad::elements::HelicoidalInterpolation, liegrad::elements::DiagonalSection>> {};
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::Beam<liegrad::elements::LinearInterpolation,
                                                            liegrad::elements::DiagonalSection>>
    : liegrad::dae::CompiledElement<liegrad::elements::Beam<liegrad::elements::LinearInterpolation,
                                                            liegrad::elements::DiagonalSection>> {};
