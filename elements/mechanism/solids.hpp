#pragma once

#include <array>
#include <string>
#include <variant>

#include "liegrad/elements/bodies/rigid_body.hpp"

namespace liegrad::elements {

// Homogeneous bodies of standard shapes, with the centre at the origin of the body. Each has a density or a mass.

/// Around the z axis of the body.
struct Cylinder {
  double radius = 0, length = 0;
  double density = 0, mass = 0;
};
/// Edges along the axes of the body.
struct Box {
  std::array<double, 3> edges = {0, 0, 0};
  double density = 0, mass = 0;
};
struct Sphere {
  double radius = 0;
  double density = 0, mass = 0;
};
using Solid = std::variant<Cylinder, Box, Sphere>;

/// What a RigidBody needs to know of it.
struct SolidInertia {
  double mass = 0;
  std::array<double, 3> principal = {0, 0, 0};  ///< moments about the axes of the body
};
/// Throws InvalidArgument when the solid of the body of that name has no extent, or not one of mass and density.
SolidInertia inertia_of(const std::string& body, const Solid& solid);

/// A RigidBody that is drawn as what it is. Its size follows from mass and inertia, so that the picture changes with
/// these parameters.
struct SolidBody : RigidBody {
  enum class Shape { kCylinder, kBox, kSphere } solid = Shape::kBox;
  bool operator==(const SolidBody& other) const { return solid == other.solid; }

  static SolidBody of(const Solid& solid) { return {{}, static_cast<Shape>(solid.index())}; }
  dae::Drawing drawing(const dae::Position<double>& at) const;
};

}  // namespace liegrad::elements
