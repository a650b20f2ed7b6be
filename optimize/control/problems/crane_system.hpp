#pragma once

#include "liegrad/control/problem.hpp"
#include "liegrad/elements/bodies/point_mass.hpp"
#include "liegrad/elements/forces/actuators.hpp"
#include "liegrad/elements/joints/distance_joint.hpp"
#include "liegrad/elements/joints/point_on_line.hpp"

namespace liegrad::control {

/// A trolley on a rail along x and a payload on a rod below it, points in R³; a force moves the trolley.
inline dae::System crane_system() {
  dae::System system("crane");
  system.add_node("trolley", lie::NodeGroup::rn(3));
  system.add_node("payload", lie::NodeGroup::rn(3));
  // The z axis of the rail is the x axis of the ground.
  system.add_frame("rail", "ground", {.orientation = {1, 0, 1, 0}});
  system.add("trolley", elements::PointMass{}, {"trolley"}, {.values = {{"m", 5}}});
  system.add("payload", elements::PointMass{}, {"payload"}, {.values = {{"m", 2}}});
  system.add("guide", elements::PointOnLine{}, {"rail", "trolley"});
  system.add("rod", elements::DistanceJoint{}, {"trolley", "payload"}, {.values = {{"l", 2}}});
  system.add("drive", elements::ActuatorForce{}, {"trolley"});
  return system;
}

/// The force acts along the rail and costs ∫f² dt; the rod pulls.
inline void limit_crane(Problem& problem) {
  problem.set_control_bounds("drive.f2", {0, 0});
  problem.set_control_bounds("drive.f3", {0, 0});
  problem.add_path_constraint(
      "tension of the rod", [](const auto& at) { return at.multipliers("rod")(0); }, {.lower = 0});
  problem.add_running_cost(
      [](const auto& at) { return at.control("drive.f1") * at.control("drive.f1"); });
}

}  // namespace liegrad::control
