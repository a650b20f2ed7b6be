#include "liegrad/elements/mechanism/solids.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "liegrad/dae/system/text.hpp"

namespace liegrad::elements {
namespace {

constexpr double kPi = std::numbers::pi;

void check_size(const std::string& body, const char* what, double size) {
  if (std::isfinite(size) && size > 0) return;
  throw InvalidArgument("body '" + body + "' has the " + what + " " + dae::number_text(size) +
                        "; it must be positive");
}

/// From one of the two that are given.
double mass_of(const std::string& body, double density, double mass, double volume) {
  if (density != 0 && mass != 0) {
    throw InvalidArgument("body '" + body + "' has a density and a mass; give one of them");
  }
  if (density == 0 && mass == 0) {
    throw InvalidArgument("body '" + body + "' has neither a density nor a mass; give one of them");
  }
  check_size(body, mass != 0 ? "mass" : "density", mass != 0 ? mass : density);
  return mass != 0 ? mass : density * volume;
}

SolidInertia inertia(const std::string& body, const Cylinder& solid) {
  check_size(body, "radius", solid.radius);
  check_size(body, "length", solid.length);
  const double r2 = solid.radius * solid.radius, l2 = solid.length * solid.length;
  const double m = mass_of(body, solid.density, solid.mass, kPi * r2 * solid.length);
  const double across = m * (3 * r2 + l2) / 12;
  return {m, {across, across, m * r2 / 2}};
}
SolidInertia inertia(const std::string& body, const Box& solid) {
  const auto& [a, b, c] = solid.edges;
  for (const double edge : solid.edges) check_size(body, "edge", edge);
  const double m = mass_of(body, solid.density, solid.mass, a * b * c);
  return {m, {m * (b * b + c * c) / 12, m * (c * c + a * a) / 12, m * (a * a + b * b) / 12}};
}
SolidInertia inertia(const std::string& body, const Sphere& solid) {
  check_size(body, "radius", solid.radius);
  const double r = solid.radius;
  const double m = mass_of(body, solid.density, solid.mass, 4 * kPi / 3 * r * r * r);
  const double about_any = 0.4 * m * r * r;
  return {m, {about_any, about_any, about_any}};
}
/// Whether the moments are those of a body is asked when a run starts, as of every RigidBody.
SolidInertia inertia(const std::string& body, const GivenInertia& solid) {
  check_size(body, "mass", solid.mass);
  for (const double moment : solid.moments) check_size(body, "moment of inertia", moment);
  return {solid.mass, solid.moments};
}

}  // namespace

SolidInertia inertia_of(const std::string& body, const Solid& solid) {
  return std::visit([&body](const auto& shape) { return inertia(body, shape); }, solid);
}

dae::Drawing SolidBody::drawing(const dae::Position<double>& at) const {
  using V3 = lie::Vec<double, 3>;
  // The squared radii of gyration, from which the formulas above are solved for the sizes.
  const V3 k = at.parameter3(kInertia) / at.parameter(kMass);
  const auto root = [](double x) { return std::sqrt(std::max(0.0, x)); };
  switch (solid) {
    case Shape::kCylinder: {
      const V3 half(0, 0, root(12 * k(0) - 6 * k(2)) / 2);
      return {.rods = {{0, -half, half, root(2 * k(2))}}};
    }
    case Shape::kSphere: return {.spheres = {{{}, root(2.5 * k(0))}}};
    case Shape::kBox: break;
  }
  V3 edges;
  for (int i = 0; i < 3; ++i) edges(i) = root(6 * (k.sum() - 2 * k(i)));
  return {.boxes = {{{}, edges}}};
}

}  // namespace liegrad::elements
