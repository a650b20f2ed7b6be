// A free-flying base with an arm, in the plane and without gravity: the arm turns by a given angle against the base, from
// rest to rest, with the least ∫u² dt of the torque between them. Nothing acts from outside: momentum stays zero, and the
// base turns back.

#include <numbers>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/elements/planar/planar_body.hpp"
#include "liegrad/elements/planar/planar_revolute_joint.hpp"
#include "liegrad/elements/planar/planar_torque.hpp"

namespace liegrad::control {
namespace {

Problem make(const Settings& settings) {
  dae::System system("free_flyer");
  system.add_node("base", lie::NodeGroup::rn(3));
  system.add_node("arm", lie::NodeGroup::rn(3));
  system.add("base", elements::PlanarBody{}, {"base"}, {.values = {{"m", 10}, {"J", 2}}});
  system.add("arm", elements::PlanarBody{}, {"arm"}, {.values = {{"m", 2}, {"J", 0.2}}});
  // The shoulder is at the edge of the base and at one end of the arm.
  system.add_planar_frame("shoulder", "base", {.position = {0.5, 0}});
  system.add_planar_frame("end", "arm", {.position = {-0.5, 0}});
  system.add("joint", elements::PlanarRevoluteJoint{}, {"shoulder", "end"});
  system.add("motor", elements::PlanarMotor{}, {"base", "arm"});
  settings.apply_to(system);
  const double shoulder = system.parameter("shoulder.X1"), end = system.parameter("end.X1");
  system.set_initial_configuration("arm", {shoulder - end, 0, 0});

  Problem problem(std::move(system), "free_flyer");
  problem.set_horizon(settings("T"));
  const double angle = settings("angle");
  problem.add_end_constraint(
      "angle of the arm",
      [](const auto& at) { return at.coordinates("arm")(2) - at.coordinates("base")(2); },
      {angle, angle});
  // With zero momentum the base rests when the arm does.
  problem.fix_end_velocity("arm", {2});
  problem.add_running_cost(
      [](const auto& at) { return at.control("motor.torque") * at.control("motor.torque"); });
  return problem;
}

}  // namespace

BuiltInProblem free_flyer() {
  return {.name = "free_flyer",
          .description = "Turn the arm of a free-flying base from rest to rest, momentum conserved",
          .parameters = {{"T", 2, "s", "the horizon"},
                         {"angle", std::numbers::pi / 2, "rad", "of the arm against the base"}},
          .make = make};
}

}  // namespace liegrad::control
