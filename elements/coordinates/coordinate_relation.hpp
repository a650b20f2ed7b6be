#pragma once

#include "liegrad/dae/system/element_interface.hpp"

namespace liegrad::elements {

/// Two coordinates in a fixed proportion,
///
///     Φ = s_a + ratio s_b - offset:
///
/// a pair of gears (ratio = r_b/r_a of their radii; its opposite for a belt or an internal gear), a rack
/// with its pinion, and a screw (ratio = -pitch/2π with s_a along the axis and s_b about it).
///
/// The forces on the coordinates are -λ and -ratio λ.
struct CoordinateRelation {
  dae::ElementShape shape() const {
    return {.type = "coordinate_relation",
            .nodes = {{dae::NodeRole::kCoordinates, 1}, {dae::NodeRole::kCoordinates, 1}},
            .parameters = {{"ratio", 1, "unit of a / unit of b", "s_a + ratio s_b = offset"},
                           {"offset", 0, "unit of a", "s_a where s_b = 0"}},
            .constraints = 1};
  }
  template <class S>
  lie::Vec<S, 1> constraint(const dae::Position<S>& at) const {
    return lie::Vec<S, 1>(S(at.coordinates(0)(0)) + at.parameter(0) * S(at.coordinates(1)(0)) -
                          at.parameter(1));
  }
};

}  // namespace liegrad::elements

// Compiled in coordinates.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::CoordinateRelation>
    : liegrad::dae::CompiledElement<liegrad::elements::CoordinateRelation> {};
