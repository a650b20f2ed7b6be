#pragma once

#include <array>
#include <string>
#include <variant>

#include "liegrad/elements/bodies/rigid_body.hpp"

namespace liegrad::elements {

// Bodies with the centre at the origin of the body: homogeneous ones of standard shapes, which have a density or a mass,
// and any other by mass and moments of inertia.

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
/// Of any shape, with the axes of the body as principal axes; drawn as the box that has this inertia.
struct GivenInertia {
  std::array<double, 3> moments = {0, 0, 0};
  double mass = 0;
};
using Solid = std::variant<Cylinder, Box, Sphere, GivenInertia>;

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

  static SolidBody of(const Solid& solid) {
    const bool is_given = std::holds_alternative<GivenInertia>(solid);
    return {{}, is_given ? Shape::kBox : static_cast<Shape>(solid.index())};
  }
  dae::Drawing drawing(const dae::Position<double>& at) const;
};

}  // namespace liegrad::elements
