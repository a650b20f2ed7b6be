#pragma once

#include <string>
#include <vector>

#include "liegrad/dae/system/text.hpp"
#include "liegrad/elements/joints/joint_drawing.hpp"
#include "liegrad/elements/planar/attached_planar_frame.hpp"

// A uniform slender rod along the x axis of its body, whose node is its centre, and joints at its ends.
// Its inertia and its ends follow from the length, so that the length is one parameter.

namespace liegrad::elements {

enum class RodEnd { kStart = -1, kTip = 1 };

/// In inertial coordinates, the rod's length given.
template <class S>
lie::Vec<S, 2> rod_end(const dae::Position<S>& at, int node, const S& length, RodEnd end) {
  return at.planar_frame(node).point(lie::Vec<S, 2>(S(0.5 * static_cast<int>(end)) * length, S(0)));
}

/// What is wrong with the length of a rod, as ElementModel::validation_message() says it.
inline std::string rod_length_validation_message(double l) {
  if (l > 0) return {};
  return "has length l = " + dae::number_text(l) + "; it must be positive";
}

/// Its inertia: m u̇ = 0, m l²/12 ω̇ = 0.
struct PlanarSlenderRod {
  enum Parameter { kMass, kLength };

  dae::ElementShape shape() const {
    return {.type = "planar_slender_rod",
            .nodes = {{dae::NodeRole::kPlanarBody}},
            .parameters = {{"m", 1, "kg", "mass"}, {"l", 1, "m", "length"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    balance.add_planar_force(0, at.parameter(kMass) * at.planar_acceleration(0));
    balance.add_planar_torque(0, inertia<S>(at) * at.planar_omega_dot(0));
  }
  template <class S>
  S kinetic_energy(const dae::Motion<S>& at) const {
    const lie::Vec<S, 2> u = at.planar_velocity(0);
    const S omega = at.planar_omega(0);
    return S(0.5) *
           (at.parameter(kMass) * (u(0) * u(0) + u(1) * u(1)) + inertia<S>(at) * omega * omega);
  }
  std::string validation_message(const dae::Position<double>& at) const {
    const double m = at.parameter(kMass), l = at.parameter(kLength);
    if (!(m > 0)) return "has mass " + dae::number_text(m) + "; it must be positive";
    return rod_length_validation_message(l);
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    const lie::Vec<double, 3> half(at.parameter(kLength) / 2, 0, 0);
    return {.rods = {{0, -half, half}}};
  }

 private:
  template <class S>
  static S inertia(const dae::Position<S>& at) {
    const S& l = at.parameter(kLength);
    return at.parameter(kMass) * l * l / S(12);
  }
};

/// One end of the rod b is at the point a: Φ = x_a - x_b = 0. The multiplier is the force on the rod.
struct PlanarRodJoint {
  RodEnd end = RodEnd::kStart;
  bool operator==(const PlanarRodJoint&) const = default;

  dae::ElementShape shape() const {
    return {
        .type = "planar_rod_joint",
        .nodes = {{dae::NodeRole::kPlanarPoint, 0, "a"}, {dae::NodeRole::kPlanarBody}},
        .parameters = joined(planar_point_parameters("a"),
                             std::vector<dae::ParameterSpec>{{"l", 1, "m", "length of the rod"}}),
        .constraints = 2};
  }
  template <class S>
  lie::Vec<S, 2> constraint(const dae::Position<S>& at) const {
    return attached_planar_point(at, 0, 0) -
           rod_end<S>(at, 1, at.parameter(kPlanarPointParameters), end);
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return rod_length_validation_message(at.parameter(kPlanarPointParameters));
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    const double half = at.parameter(kPlanarPointParameters) / 2;
    return hinge_drawing(at, point_in_planar_body<double>(at, 0),
                         {static_cast<int>(end) * half, 0});
  }
};

/// One end of the rod b is on a slider, whose coordinate s in R¹ is its place on the x axis of the frame
/// a: Φ = x_a + s d_a - x_b = 0, d_a that axis as a unit vector. The multiplier is the force on the rod.
struct PlanarRodOnSlider {
  RodEnd end = RodEnd::kTip;
  bool operator==(const PlanarRodOnSlider&) const = default;

  dae::ElementShape shape() const {
    return {
        .type = "planar_rod_on_slider",
        .nodes = {{dae::NodeRole::kPlanarFrame, 0, "a"},
                  {dae::NodeRole::kCoordinates, 1},
                  {dae::NodeRole::kPlanarBody}},
        .parameters = joined(planar_frame_parameters("a"),
                             std::vector<dae::ParameterSpec>{{"l", 1, "m", "length of the rod"}}),
        .constraints = 2};
  }
  template <class S>
  lie::Vec<S, 2> constraint(const dae::Position<S>& at) const {
    const lie::PlanarFrame<S> line = attached_planar_frame(at, 0, 0);
    return line.point(lie::Vec<S, 2>(at.coordinates(1)(0), S(0))) -
           rod_end<S>(at, 2, at.parameter(kPlanarFrameParameters), end);
  }
  std::string validation_message(const dae::Position<double>& at) const {
    const std::string frame = planar_frame_validation_message(at, "a", 0);
    return frame.empty() ? rod_length_validation_message(at.parameter(kPlanarFrameParameters))
                         : frame;
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    const double half = at.parameter(kPlanarFrameParameters) / 2;
    const dae::Drawing::Point tip = {2, {static_cast<int>(end) * half, 0, 0}};
    return {.joints = {{dae::Drawing::JointKind::kRevolute, tip}}, .forces = {{"lambda", tip}}};
  }
};

}  // namespace liegrad::elements

// Compiled in planar.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlanarSlenderRod>
    : liegrad::dae::CompiledElement<liegrad::elements::PlanarSlenderRod> {};
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlanarRodJoint>
    : liegrad::dae::CompiledElement<liegrad::elements::PlanarRodJoint> {};
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlanarRodOnSlider>
    : liegrad::dae::CompiledElement<liegrad::elements::PlanarRodOnSlider> {};
