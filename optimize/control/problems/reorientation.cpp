// Rest-to-rest reorientation of a rigid body in a given time T with the least ∫|u|² dt. With inertia J·I the body turns
// about a fixed axis, and the cost is 12 J²θ²/T³ for an angle θ: u(t) = 6Jθ/T² (1 - 2t/T) about it.

#include <cmath>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/control/problems/rotation_target.hpp"
#include "liegrad/control/problems/turning_body.hpp"

namespace liegrad::control {
namespace {

Problem make(const Settings& settings) {
  dae::System system = turning_body();
  settings.apply_to(system);
  Problem problem(std::move(system), "reorientation");
  problem.set_horizon(settings("T"));
  const lie::Vec<double, 3> turn = settings("angle") * axis_of(settings);
  problem.fix_end_configuration("body", rotation_coeffs(turn));
  problem.fix_end_velocity("body");
  set_torque_units(problem);
  problem.add_running_cost(TorqueSquare{});
  // The whole angle, also beyond half a turn, where the shortest way would be the other one.
  problem.set_guess([turn](double s) { return rotation_coeffs(s * turn); });
  return problem;
}

}  // namespace

BuiltInProblem reorientation() {
  return {.name = "reorientation",
          .description = "Turn a body from rest to rest in a given time, least integral of |u|^2",
          .parameters = {{"angle", 2, "rad", "by which it turns"},
                         {"axis1", 0, "1", "axis of the whole turn, of any length but zero"},
                         {"axis2", 0, "1", "second component"},
                         {"axis3", 1, "1", "third component"},
                         {"T", 1, "s", "the horizon"}},
          .make = make};
}

}  // namespace liegrad::control
