#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "liegrad/elements/forces/checks.hpp"
#include "liegrad/elements/joints/joint_drawing.hpp"
#include "liegrad/elements/planar/attached_planar_frame.hpp"

namespace liegrad::elements {

/// A spring and a damper between two points, along the line through them: with the length l the force
/// that pulls the points together is f = k (l - l0) + d l̇. The points must stay apart.
struct PlanarSpring {
  enum Parameter { kStiffness = 2 * kPlanarPointParameters, kDamping, kRestLength };

  dae::ElementShape shape() const {
    const std::vector<dae::ParameterSpec> own = {{"k", 1, "N/m", "stiffness"},
                                                 {"d", 0, "N s/m", "damping"},
                                                 {"l0", 0, "m", "length without force"}};
    return {.type = "planar_spring",
            .nodes = {{dae::NodeRole::kPlanarPoint, 0, "a"}, {dae::NodeRole::kPlanarPoint, 0, "b"}},
            .parameters = joined(planar_point_parameters("a"), planar_point_parameters("b"), own),
            .outputs = {{"length", 1, "distance of the points"},
                        {"force", 1, "force that pulls them together"}}};
  }

  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const Stretch<S> now(at);
    const lie::Vec<S, 2> pull = (force<S>(at, now) / now.length) * now.gap;
    balance.apply_planar_force_at(0, point_in_planar_body<S>(at, 0), pull);
    balance.apply_planar_force_at(1, point_in_planar_body<S>(at, kPlanarPointParameters), -pull);
  }
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    const S elongation = Stretch<S>(at).length - at.parameter(kRestLength);
    return S(0.5) * at.parameter(kStiffness) * elongation * elongation;
  }
  template <class S>
  lie::Vec<S, 2> outputs(const dae::Motion<S>& at) const {
    const Stretch<S> now(at);
    return {now.length, force<S>(at, now)};
  }

  std::string validation_message(const dae::Position<double>& at) const {
    const lie::Vec<double, 2> a = attached_planar_point(at, 0, 0),
                              b = attached_planar_point(at, 1, kPlanarPointParameters);
    if ((b - a).norm() > 1e-12 * (a.norm() + b.norm())) {
      return negative_parameter(shape(), at, {kStiffness, kDamping});
    }
    return "has length 0 at the start, so that its force has no direction; move one of its ends";
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return {.links = {{{0, in_space(point_in_planar_body<double>(at, 0))},
                       {1, in_space(point_in_planar_body<double>(at, kPlanarPointParameters))}}}};
  }

 private:
  /// From a to b.
  template <class S>
  struct Stretch {
    lie::Vec<S, 2> gap;
    S length;

    explicit Stretch(const dae::Motion<S>& at)
        : gap(attached_planar_point(at, 1, kPlanarPointParameters) -
              attached_planar_point(at, 0, 0)) {
      using std::sqrt;
      length = sqrt(gap(0) * gap(0) + gap(1) * gap(1));
    }
  };
  template <class S>
  static S force(const dae::Motion<S>& at, const Stretch<S>& now) {
    const lie::Vec<S, 2> rate =
        at.planar_point_velocity(1, point_in_planar_body<S>(at, kPlanarPointParameters)) -
        at.planar_point_velocity(0, point_in_planar_body<S>(at, 0));
    const S lengthening = (now.gap(0) * rate(0) + now.gap(1) * rate(1)) / now.length;
    return at.parameter(kStiffness) * (now.length - at.parameter(kRestLength)) +
           at.parameter(kDamping) * lengthening;
  }
};

}  // namespace liegrad::elements

// Compiled in planar.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlanarSpring>
    : liegrad::dae::CompiledElement<liegrad::elements::PlanarSpring> {};
