#pragma once

#include "liegrad/dae/system/text.hpp"
#include "liegrad/elements/joints/reaction.hpp"

namespace liegrad::elements {

/// A massless rod of length l between two points:
///
///     Φ = (|x_a - x_b|² - l²) / (2l),
///
/// which is |x_a - x_b| - l to first order, without the root. The multiplier is the tension of the rod: when
/// positive it pulls b towards a, with the force λ (x_a - x_b)/l.
struct DistanceJoint {
  enum Parameter { kLength = 2 * kPointParameters };

  dae::ElementShape shape() const {
    return {
        .type = "distance_joint",
        .nodes = {{dae::NodeRole::kPoint, 0, "a"}, {dae::NodeRole::kPoint, 0, "b"}},
        .parameters = joined(point_parameters("a"), point_parameters("b"),
                             std::vector<dae::ParameterSpec>{{"l", 1, "m", "length of the rod"}}),
        .constraints = 1,
        .outputs = reaction_force()};
  }
  template <class S>
  lie::Vec<S, 1> constraint(const dae::Position<S>& at) const {
    const lie::Vec<S, 3> r = along<S>(at);
    const S& l = at.parameter(kLength);
    return lie::Vec<S, 1>(S((lie::rotation::dot<S>(r, r) - l * l) / (S(2) * l)));
  }
  template <class S>
  lie::Vec<S, 3> outputs(const dae::Motion<S>& at) const {
    return S(at.multiplier(0) / at.parameter(kLength)) * along<S>(at);
  }
  std::string validation_message(const dae::Position<double>& at) const {
    const double l = at.parameter(kLength);
    if (!(l > 0)) {
      return "has length l = " + dae::number_text(l) + "; it must be positive (use a spherical " +
             "joint for points that coincide)";
    }
    // The gradient of Φ is the direction of the rod.
    constexpr double kCoincident = 1e-9;
    if (along<double>(at).norm() > kCoincident * l) return {};
    return "has both ends at the same point at the start, so that the rod has no direction; place "
           "them " +
           dae::number_text(l) + " apart";
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    const dae::Drawing::Point a = {0, at.parameter3("a.X")}, b = {1, at.parameter3("b.X")};
    return {.links = {{a, b}}, .forces = {{"force", b}}};
  }

 private:
  template <class S>
  static lie::Vec<S, 3> along(const dae::Position<S>& at) {
    return attached_point<S>(at, 0, 0) - attached_point<S>(at, 1, kPointParameters);
  }
};

}  // namespace liegrad::elements

// Compiled in joints.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::DistanceJoint>
    : liegrad::dae::CompiledElement<liegrad::elements::DistanceJoint> {};
