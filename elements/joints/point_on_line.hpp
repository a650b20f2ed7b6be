#pragma once

#include "liegrad/elements/joints/across_axis.hpp"
#include "liegrad/elements/joints/reaction.hpp"

namespace liegrad::elements {

/// A point of b is on a line of a, the z axis of its frame, like a pin in a slot or a bead on a wire. With
/// r = x_a - x_b and the axes x, y of frame a, Φ = (x·r, y·r); the multipliers are the force on b along x
/// and y.
struct PointOnLine {
  dae::ElementShape shape() const {
    return {.type = "point_on_line",
            .nodes = {{dae::NodeRole::kFrame, 0, "a"}, {dae::NodeRole::kPoint, 0, "b"}},
            .parameters = joined(frame_parameters("a"), point_parameters("b")),
            .constraints = 2,
            .outputs = reaction_force()};
  }
  template <class S>
  lie::Vec<S, 2> constraint(const dae::Position<S>& at) const {
    return across_axis<S>(attached_frame(at, 0, 0), attached_point(at, 1, kFrameParameters));
  }
  template <class S>
  lie::Vec<S, 3> outputs(const dae::Motion<S>& at) const {
    return across_axis_force<S>(attached_frame<S>(at, 0, 0), at.multiplier(0), at.multiplier(1));
  }
  std::string validation_message(const dae::Position<double>& at) const {
    return frame_validation_message(at, "a", 0);
  }
};

}  // namespace liegrad::elements

// Compiled in joints.cpp.
template <>
struct liegrad::dae::ElementModelOf<liegrad::elements::PointOnLine>
    : liegrad::dae::CompiledElement<liegrad::elements::PointOnLine> {};
