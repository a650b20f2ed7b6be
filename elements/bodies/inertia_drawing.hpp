#pragma once

#include "liegrad/dae/system/drawing.hpp"

namespace liegrad::elements {

/// Parts of a drawing are at least this thick, over the largest length of their body.
inline constexpr double kLeastThickness = 0.05;

/// A homogeneous body with this mass and these principal moments of inertia: a cylinder where two of them are equal, a
/// box otherwise.
dae::Drawing solid_of_inertia(double mass, const lie::Vec<double, 3>& inertia,
                              const dae::Drawing::Point& centre = {});

/// The same of a body whose mass is not known: one of about a metre.
dae::Drawing solid_of_inertia(const lie::Vec<double, 3>& inertia);

/// A mass without extent, as a ball of water.
dae::Drawing ball_of_mass(double mass);

}  // namespace liegrad::elements
