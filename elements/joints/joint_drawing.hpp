#pragma once

#include <string>

#include "liegrad/elements/attached_frame.hpp"
#include "liegrad/elements/planar/attached_planar_frame.hpp"

namespace liegrad::elements {

/// A joint between two points: its symbol, a line to it from the origin of each body, and a support where one of them
/// is the ground. `output` is its force on b, empty when it has none.
dae::Drawing joint_drawing(const dae::Position<double>& at, dae::Drawing::JointKind kind,
                           const lie::Vec<double, 3>& point_of_a,
                           const lie::Vec<double, 3>& point_of_b,
                           const lie::Vec<double, 3>& axis_of_b, const std::string& output);

/// Of joints between two frames whose force on b is the output "force"; the axis is that of frame b.
dae::Drawing frame_joint_drawing(const dae::Position<double>& at, dae::Drawing::JointKind kind);

/// A point of a planar body in space.
lie::Vec<double, 3> in_space(const lie::Vec<double, 2>& x);

/// A hinge of the plane, whose multiplier is the force on b.
dae::Drawing hinge_drawing(const dae::Position<double>& at, const lie::Vec<double, 2>& point_of_a,
                           const lie::Vec<double, 2>& point_of_b);

}  // namespace liegrad::elements
