#pragma once

#include "liegrad/elements/beams/beam_end.hpp"
#include "liegrad/elements/coordinates/laws.hpp"
#include "liegrad/elements/forces/checks.hpp"
#include "liegrad/elements/forces/load_axes.hpp"

namespace liegrad::elements {

/// A load along a beam, on the same two sections: a force and a torque of a length, times a law of time. The
/// axes stay, or turn with the section (a following load). With the linear interpolation of the beam's
/// inertia, an end gets L/6 (2 f + f of the other end).
template <class Law = ConstantLaw>
struct BeamLoad {
  SectionFrames frames = SectionFrames::kAttached;
  LoadAxes axes = LoadAxes::kInertial;
  Law law = {};
  bool operator==(const BeamLoad&) const = default;

  enum Parameter { kLength, kParts, kForce, kTorque = kForce + 3, kLaw = kTorque + 3 };

  dae::ElementShape shape() const {
    return {.type = "beam_load",
            .nodes = beam_nodes(frames),
            .parameters = joined(
                beam_frame_parameters(frames),
                std::vector<dae::ParameterSpec>{{"L", 1, "m", "length, of all its parts"},
                                                {"parts", 1, "1", "number of equal elements"},
                                                {"f1", 0, "N/m", "force of a length, along x"},
                                                {"f2", 0, "N/m", "along y"},
                                                {"f3", 0, "N/m", "along z"},
                                                {"m1", 0, "N", "torque of a length, about x"},
                                                {"m2", 0, "N", "about y"},
                                                {"m3", 0, "N", "about z"}},
                law.parameters("1"))};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    using V3 = lie::Vec<S, 3>;
    const int first = num_beam_frame_parameters(frames);
    const BeamEnd<S> a(at, frames, 0), b(at, frames, 1);
    const S sixth = law_value<Law, S>(law, at, first + kLaw) * at.parameter(first + kLength) /
                    (S(6) * at.parameter(first + kParts));
    const V3 force = sixth * at.parameter3(first + kForce),
             torque = sixth * at.parameter3(first + kTorque);
    const auto inertial = [this](const BeamEnd<S>& end, const V3& load) {
      return axes == LoadAxes::kInertial ? load : V3(end.frame.direction(load));
    };
    const V3 force_a = inertial(a, force), force_b = inertial(b, force),
             torque_a = inertial(a, torque), torque_b = inertial(b, torque);
    a.add(balance, -(S(2) * force_a + force_b), -a.frame.in_body(S(2) * torque_a + torque_b));
    b.add(balance, -(S(2) * force_b + force_a), -b.frame.in_body(S(2) * torque_b + torque_a));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    const int first = num_beam_frame_parameters(frames);
    const std::string text = not_positive_parameter(shape(), at, {first + kLength, first + kParts});
    return text.empty() ? law_validation_message(law, at, first + kLaw) : text;
  }
};

}  // namespace liegrad::elements

// Compiled in beams.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::BeamLoad<>>
    : liegrad::dae::CompiledElement<liegrad::elements::BeamLoad<>> {};
