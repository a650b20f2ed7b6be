#pragma once

#include "liegrad/elements/attached_frame.hpp"
#include "liegrad/elements/coordinates/laws.hpp"
#include "liegrad/elements/forces/load_axes.hpp"

namespace liegrad::elements {

/// A torque (m1, m2, m3) times a law of time on a body; its axes stay, or turn with the body.
template <class Law = ConstantLaw>
struct AppliedTorque {
  enum Parameter { kTorque, kLaw = 3 };

  LoadAxes axes = LoadAxes::kInertial;
  Law law = {};
  bool operator==(const AppliedTorque&) const = default;

  dae::ElementShape shape() const {
    return {
        .type = "applied_torque",
        .nodes = {{dae::NodeRole::kFrame, 0, "a"}},
        .parameters = joined(
            std::vector<dae::ParameterSpec>{{"m1", 0, "N m", "torque where the law is 1, about x"},
                                            {"m2", 0, "N m", "about y"},
                                            {"m3", 0, "N m", "about z"}},
            law.parameters("1"))};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const lie::Vec<S, 3> torque = law_value<Law, S>(law, at, kLaw) * at.parameter3(kTorque);
    balance.apply_torque(0, load_in_body<S>(at, axes, torque));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return law_validation_message(law, at, kLaw);
  }
};

}  // namespace liegrad::elements

// Compiled in forces.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::AppliedTorque<>>
    : liegrad::dae::CompiledElement<liegrad::elements::AppliedTorque<>> {};
