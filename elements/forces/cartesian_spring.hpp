#pragma once

#include "liegrad/elements/attached_frame.hpp"
#include "liegrad/elements/forces/checks.hpp"

namespace liegrad::elements {

/// Springs and dampers along the three inertial axes between two points, such as the bearing of a rotor:
/// with the distance x = x_b - x_a point a feels the force
///
///     f_i = k_i x_i + d_i ẋ_i,
///
/// and point b its opposite. Where stiffnesses differ the axes are part of the physics: f does not point
/// along x, and both forces together have the moment -x × f, as a bearing in the ground may have.
struct CartesianSpring {
  enum Parameter { kStiffness = 2 * kPointParameters, kDamping = kStiffness + 3 };

  dae::ElementShape shape() const {
    return {.type = "cartesian_spring",
            .nodes = {{dae::NodeRole::kPoint, 0, "a"}, {dae::NodeRole::kPoint, 0, "b"}},
            .parameters =
                joined(point_parameters("a"), point_parameters("b"),
                       std::vector<dae::ParameterSpec>{{"k1", 1, "N/m", "stiffness along x"},
                                                       {"k2", 1, "N/m", "stiffness along y"},
                                                       {"k3", 1, "N/m", "stiffness along z"},
                                                       {"d1", 0, "N s/m", "damping along x"},
                                                       {"d2", 0, "N s/m", "damping along y"},
                                                       {"d3", 0, "N s/m", "damping along z"}}),
            .outputs = {{"force", 3, "force on a, in the inertial frame"}}};
  }
  template <class S>
  void residual(const dae::Motion<S>& at, dae::Balance<S>& balance) const {
    const lie::Vec<S, 3> f = force(at);
    balance.apply_force_at(0, at.parameter3("a.X"), f);
    balance.apply_force_at(1, at.parameter3("b.X"), -f);
  }
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    const lie::Vec<S, 3> x = distance<S>(at);
    return S(0.5) * lie::rotation::dot<S>(x, at.parameter3(kStiffness).cwiseProduct(x));
  }
  template <class S>
  lie::Vec<S, 3> outputs(const dae::Motion<S>& at) const {
    return force(at);
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return negative_parameter(
        shape(), at,
        {kStiffness, kStiffness + 1, kStiffness + 2, kDamping, kDamping + 1, kDamping + 2});
  }
  dae::Drawing drawing(const dae::Position<double>& at) const {
    const dae::Drawing::Point a = {0, at.parameter3("a.X")}, b = {1, at.parameter3("b.X")};
    return {.links = {{a, b}}, .forces = {{"force", a}}};
  }

 private:
  template <class S>
  static lie::Vec<S, 3> distance(const dae::Position<S>& at) {
    return attached_point(at, 1, kPointParameters) - attached_point(at, 0, 0);
  }
  template <class S>
  static lie::Vec<S, 3> force(const dae::Motion<S>& at) {
    const lie::Vec<S, 3> x = distance<S>(at), u = at.point_velocity(1, at.parameter3("b.X")) -
                                                  at.point_velocity(0, at.parameter3("a.X"));
    return at.parameter3(kStiffness).cwiseProduct(x) + at.parameter3(kDamping).cwiseProduct(u);
  }
};

}  // namespace liegrad::elements

// Compiled in forces.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::CartesianSpring>
    : liegrad::dae::CompiledElement<liegrad::elements::CartesianSpring> {};
