#pragma once

// A four-bar whose loop is closed by joints, in the plane: nine velocities and eight constraints, one set of
// them in (x, y, θ), the other in SE(2).

#include <cmath>
#include <string>

#include <Eigen/Core>

#include "liegrad/dae/system/system.hpp"
#include "liegrad/elements/planar/planar_body.hpp"
#include "liegrad/elements/planar/planar_revolute_joint.hpp"

namespace liegrad::testing {

/// A uniform rod of mass one for each metre, with frames at its ends.
inline void add_planar_rod(dae::System& system, const std::string& name,
                           const Eigen::Vector2d& start, const Eigen::Vector2d& end,
                           const lie::NodeGroup& group) {
  const Eigen::Vector2d x = (start + end) / 2, along = end - start;
  const double m = along.norm(), angle = std::atan2(along(1), along(0));
  system.add_node(name, group);
  if (group.kind == lie::GroupKind::kSE2) {
    system.set_initial_configuration(name, {std::cos(angle), std::sin(angle), x(0), x(1)});
  } else {
    system.set_initial_configuration(name, {x(0), x(1), angle});
  }
  system.add(name, elements::PlanarBody{}, {name},
             {.values = {{"m", m}, {"J", m * m * m / 12}, {"gravity2", -9.81}}});
  system.add_planar_frame(name + ".start", name, {.position = {-m / 2, 0}});
  system.add_planar_frame(name + ".end", name, {.position = {m / 2, 0}});
}

/// Crank, coupler and rocker of lengths 1, 2 and 2 between the pivots (0, 0) and (2.5, 0), at rest.
inline dae::System planar_four_bar(const lie::NodeGroup& group) {
  const double crank_angle = 1, length = 2;
  const Eigen::Vector2d a(0, 0), d(2.5, 0), b(std::cos(crank_angle), std::sin(crank_angle));
  const double half = (d - b).norm() / 2;
  const Eigen::Vector2d along = (d - b) / (2 * half), across(-along(1), along(0));
  const Eigen::Vector2d c = (b + d) / 2 + std::sqrt(length * length - half * half) * across;
  dae::System system("four_bar");
  add_planar_rod(system, "crank", a, b, group);
  add_planar_rod(system, "coupler", b, c, group);
  add_planar_rod(system, "rocker", d, c, group);
  system.add_planar_frame("pivot", "ground", {.position = {2.5, 0}});
  const elements::PlanarRevoluteJoint joint;
  system.add("A", joint, {"ground", "crank.start"});
  system.add("B", joint, {"crank.end", "coupler.start"});
  system.add("C", joint, {"coupler.end", "rocker.end"});
  system.add("D", joint, {"pivot", "rocker.start"});
  return system;
}

}  // namespace liegrad::testing
