#pragma once

#include <cmath>

#include "liegrad/elements/attached_frame.hpp"
#include "liegrad/elements/forces/checks.hpp"

namespace liegrad::elements {

/// Drag at a point that moves through the air with w = u - wind:
///
///     f = -½ ρ c_d A √(|w|² + u_s²) w.
///
/// |w| has a corner at zero, so that below u_s the drag is linear in w.
struct QuadraticDrag {
  enum Parameter {
    kDensity = kPointParameters,
    kCoefficient,
    kArea,
    kWind,
    kSmoothing = kWind + 3
  };

  dae::ElementShape shape() const {
    return {.type = "quadratic_drag",
            .nodes = {{dae::NodeRole::kPoint, 0, "a"}},
            .parameters = joined(point_parameters("a"),
                                 std::vector<dae::ParameterSpec>{
                                     {"rho", 1.2, "kg/m^3", "density of the air"},
                                     {"c_d", 1, "1", "drag coefficient"},
                                     {"A", 1, "m^2", "area"},
                                     {"wind1", 0, "m/s", "velocity of the air along x"},
                                     {"wind2", 0, "m/s", "along y"},
                                     {"wind3", 0, "m/s", "along z"},
                                     {"u_s", 1e-3, "m/s", "speed below which drag is linear"}}),
            .outputs = {{"force", 3, "force on the body, in the inertial frame"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.apply_force_at(0, at.parameter3("a.X"), force(at));
  }
  template <class S>
  lie::Vec<S, 3> outputs(const dae::Motion<S>& at) const {
    return force(at);
  }
  std::string validation_message(const dae::Position<double>& at) const {
    const std::string text = negative_parameter(shape(), at, {kDensity, kCoefficient, kArea});
    return text.empty() ? not_positive_parameter(shape(), at, {kSmoothing}) : text;
  }

 private:
  template <class S>
  static lie::Vec<S, 3> force(const dae::Motion<S>& at) {
    using std::sqrt;
    const lie::Vec<S, 3> w = at.point_velocity(0, at.parameter3("a.X")) - at.parameter3(kWind);
    const S& u_s = at.parameter(kSmoothing);
    const S speed = sqrt(lie::rotation::dot<S>(w, w) + u_s * u_s);
    return S(S(-0.5) * at.parameter(kDensity) * at.parameter(kCoefficient) * at.parameter(kArea) *
             speed) *
           w;
  }
};

}  // namespace liegrad::elements

// Compiled in forces.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::QuadraticDrag>
    : liegrad::dae::CompiledElement<liegrad::elements::QuadraticDrag> {};
