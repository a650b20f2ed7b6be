#pragma once

#include "liegrad/elements/planar/attached_planar_frame.hpp"

namespace liegrad::elements {

/// How far a point is to the right of the x axis of a frame: y_a·(x_a - x).
template <class S>
S right_of_axis(const lie::PlanarFrame<S>& a, const lie::Vec<S, 2>& x) {
  return a.cosine * (a.position(1) - x(1)) - a.sine * (a.position(0) - x(0));
}

/// The point b stays on the x axis of the frame a: Φ = y_a·(x_a - x_b) = 0. The multiplier is the force
/// on b along y_a; its reaction on a acts at the same place.
struct PlanarPointOnLine {
  dae::ElementShape shape() const {
    return {.type = "planar_point_on_line",
            .nodes = {{dae::NodeRole::kPlanarFrame, 0, "a"}, {dae::NodeRole::kPlanarPoint, 0, "b"}},
            .parameters = joined(planar_frame_parameters("a"), planar_point_parameters("b")),
            .constraints = 1};
  }
  template <class S>
  lie::Vec<S, 1> constraint(const dae::Position<S>& at) const {
    const lie::PlanarFrame<S> a = attached_planar_frame(at, 0, 0);
    const lie::Vec<S, 2> b = attached_planar_point(at, 1, kPlanarFrameParameters);
    return lie::Vec<S, 1>(right_of_axis<S>(a, b));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return planar_frame_validation_message(at, "a", 0);
  }
};

}  // namespace liegrad::elements

// Compiled in planar.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PlanarPointOnLine>
    : liegrad::dae::CompiledElement<liegrad::elements::PlanarPointOnLine> {};
