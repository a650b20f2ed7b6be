#pragma once

#include <cmath>

#include "liegrad/elements/attached_frame.hpp"
#include "liegrad/elements/forces/checks.hpp"

namespace liegrad::elements {

/// A spring and a damper between two points at a distance l: both are pulled towards each other with
///
///     f = k (l - l0) + d l̇.
///
/// The line between the points is its direction, so that l must not come to zero.
struct PointSpring {
  enum Parameter { kStiffness = 2 * kPointParameters, kDamping, kRestLength };

  dae::ElementShape shape() const {
    return {.type = "point_spring",
            .nodes = {{dae::NodeRole::kPoint, 0, "a"}, {dae::NodeRole::kPoint, 0, "b"}},
            .parameters =
                joined(point_parameters("a"), point_parameters("b"),
                       std::vector<dae::ParameterSpec>{{"k", 1, "N/m", "stiffness"},
                                                       {"d", 0, "N s/m", "damping"},
                                                       {"l0", 0, "m", "length without force"}}),
            .outputs = {{"length", 1, "distance of its ends"}, {"force", 1, "pull on its ends"}}};
  }

  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const Line<S> line(at);
    const lie::Vec<S, 3> pull = force(at, line) * line.direction;
    balance.apply_force_at(0, at.parameter3("a.X"), pull);
    balance.apply_force_at(1, at.parameter3("b.X"), -pull);
  }
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    const S extension = Line<S>(at).length - at.parameter(kRestLength);
    return S(0.5) * at.parameter(kStiffness) * extension * extension;
  }
  template <class S>
  lie::Vec<S, 2> outputs(const dae::Motion<S>& at) const {
    const Line<S> line(at);
    return {line.length, force(at, line)};
  }

  std::string validation_message(const dae::Position<double>& at) const {
    const double size =
        attached_point(at, 0, 0).norm() + attached_point(at, 1, kPointParameters).norm();
    if (Line<double>(at).length <= 1e-12 * size) {
      return "has length 0, and thus no direction; move one of its ends";
    }
    return negative_parameter(shape(), at, {kStiffness, kDamping, kRestLength});
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    return {.links = {{{0, at.parameter3("a.X")}, {1, at.parameter3("b.X")}}}};
  }

 private:
  /// From a to b.
  template <class S>
  struct Line {
    S length;
    lie::Vec<S, 3> direction;

    explicit Line(const dae::Position<S>& at) {
      using std::sqrt;
      const lie::Vec<S, 3> distance =
          attached_point(at, 1, kPointParameters) - attached_point(at, 0, 0);
      length = sqrt(lie::rotation::dot<S>(distance, distance));
      direction = distance / length;
    }
  };
  template <class S>
  static S force(const dae::Motion<S>& at, const Line<S>& line) {
    const lie::Vec<S, 3> u =
        at.point_velocity(1, at.parameter3("b.X")) - at.point_velocity(0, at.parameter3("a.X"));
    return at.parameter(kStiffness) * (line.length - at.parameter(kRestLength)) +
           at.parameter(kDamping) * lie::rotation::dot<S>(line.direction, u);
  }
};

}  // namespace liegrad::elements

// Compiled in forces.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PointSpring>
    : liegrad::dae::CompiledElement<liegrad::elements::PointSpring> {};
