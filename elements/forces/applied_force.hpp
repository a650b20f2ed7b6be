#pragma once

#include "liegrad/elements/attached_frame.hpp"
#include "liegrad/elements/coordinates/laws.hpp"
#include "liegrad/elements/forces/load_axes.hpp"

namespace liegrad::elements {

/// A force (f1, f2, f3) times a law of time, at a point of a body; its axes stay, or turn with the body.
template <class Law = ConstantLaw>
struct AppliedForce {
  enum Parameter { kForce = kPointParameters, kLaw = kForce + 3 };

  LoadAxes axes = LoadAxes::kInertial;
  Law law = {};
  bool operator==(const AppliedForce&) const = default;

  dae::ElementShape shape() const {
    return {.type = "applied_force",
            .nodes = {{dae::NodeRole::kPoint, 0, "a"}},
            .parameters = joined(
                point_parameters("a"),
                std::vector<dae::ParameterSpec>{{"f1", 0, "N", "force where the law is 1, along x"},
                                                {"f2", 0, "N", "along y"},
                                                {"f3", 0, "N", "along z"}},
                law.parameters("1"))};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const lie::Vec<S, 3> force = law_value<Law, S>(law, at, kLaw) * at.parameter3(kForce);
    balance.apply_force_at(0, at.parameter3("a.X"), load_in_inertial<S>(at, axes, force));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return law_validation_message(law, at, kLaw);
  }
};

}  // namespace liegrad::elements

// Compiled in forces.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::AppliedForce<>>
    : liegrad::dae::CompiledElement<liegrad::elements::AppliedForce<>> {};
