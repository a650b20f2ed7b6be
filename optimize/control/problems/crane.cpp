// A crane: a payload on a rod below a trolley on a rail is carried over a distance, from rest to rest, without residual
// swing, by a force on the trolley, with the least ∫f² dt. Trolley and payload are points in R³; rail and rod are
// constraints, whose forces can be limited: the rod must pull.

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/control/problems/crane_system.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

Problem make(const Settings& settings) {
  dae::System system = crane_system();
  settings.apply_to(system);
  const double length = system.parameter("rod.l"), distance = settings("distance");
  system.set_initial_configuration("payload", {0, 0, -length});

  Problem problem(std::move(system), "crane");
  problem.set_horizon(settings("T"));
  limit_crane(problem);
  if (settings.is_given("force_limit")) {
    const double limit = settings("force_limit");
    if (!(limit > 0)) throw InvalidArgument("force_limit must be positive");
    problem.set_control_bounds("drive.f1", {-limit, limit});
  }
  // The rail and the rod fix the other coordinates, and nothing pushes across the rail: a condition on y of the payload
  // would repeat what the equations of motion say already.
  problem.fix_end_configuration("trolley", {distance, 0, 0}, {0});
  problem.fix_end_configuration("payload", {distance, 0, -length}, {0});
  problem.fix_end_velocity("trolley", {0});
  problem.fix_end_velocity("payload", {0});
  return problem;
}

}  // namespace

BuiltInProblem crane() {
  return {.name = "crane",
          .description = "Carry a payload on a rod from rest to rest, least integral of f^2",
          .parameters = {{"T", 3, "s", "the horizon"},
                         {"distance", 3, "m", "along the rail"},
                         {"force_limit", 0, "N", "of the force on the trolley; none unless set"}},
          .make = make};
}

}  // namespace liegrad::control
