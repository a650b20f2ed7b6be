// A chain of rods on spherical joints, held at its first end and released horizontally. Each rod is a
// solid cylinder; length and mass of the whole chain are 1.

#include <map>
#include <string>
#include <tuple>

#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/bodies/tracked_point.hpp"
#include "liegrad/elements/joints/spherical_joint.hpp"
#include "liegrad/models/models.hpp"
#include "shared_gravity.hpp"

namespace liegrad::models {

dae::System chain(const Structure& structure) {
  constexpr double kRadius = 0.01;
  const double length = 1.0 / structure.bodies, mass = 1.0 / structure.bodies;
  const double along = mass * kRadius * kRadius / 2;
  const double across = mass * (3 * kRadius * kRadius + length * length) / 12;
  dae::System system("chain");
  system.add_parameter({"rod.m", mass, "kg", "mass of a rod"});
  system.add_parameter({"rod.J1", along, "kg m^2", "inertia of a rod about its axis"});
  system.add_parameter({"rod.J2", across, "kg m^2", "inertia of a rod across its axis"});
  add_gravity(system);
  // All rods share their parameters, and all joints the places of their ends.
  const std::map<std::string, std::string> rod =
      bound_to_gravity({{"m", "rod.m"}, {"J1", "rod.J1"}, {"J2", "rod.J2"}, {"J3", "rod.J2"}});
  std::map<std::string, std::string> ends;
  for (const auto& [end, side, x] :
       {std::tuple("end", "a", length / 2), std::tuple("start", "b", -length / 2)}) {
    for (int i = 1; i <= 3; ++i) {
      const std::string component = ".X" + std::to_string(i);
      const std::string name = "rod." + std::string(end) + component;
      system.add_parameter({name, i == 1 ? x : 0, "m", "end of a rod from its centre"});
      ends[side + component] = name;
    }
  }
  std::string previous;
  for (int i = 1; i <= structure.bodies; ++i) {
    const std::string name = "rod" + std::to_string(i);
    system.add_node(name, structure.body_group);
    system.set_initial_configuration(name, {1, 0, 0, 0, (i - 0.5) * length, 0, 0});
    system.add(name, elements::RigidBody{}, {name}, {.bind = rod});
    if (i == 1) {
      std::map<std::string, std::string> start;
      for (int k = 1; k <= 3; ++k) {
        const std::string component = "b.X" + std::to_string(k);
        start[component] = ends[component];
      }
      system.add("joint1", elements::SphericalJoint{}, {"ground", name}, {.bind = start});
    } else {
      system.add("joint" + std::to_string(i), elements::SphericalJoint{}, {previous, name},
                 {.bind = ends});
    }
    previous = name;
  }
  system.add("tip", elements::TrackedPoint{}, {previous},
             {.bind = {{"X1", "rod.end.X1"}, {"X2", "rod.end.X2"}, {"X3", "rod.end.X3"}}});
  return system;
}

}  // namespace liegrad::models
