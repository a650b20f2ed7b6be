// A crane that drops its load on the way: in the first phase a trolley carries a load in a hook on a rod, in the second one
// the empty hook returns. The load is dropped at a given place, where the hook hangs still along the rail; when, and where
// the trolley is by then, is found. The whole time is given, ∫f² dt of the force on the trolley is to be least.

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/control/problems/crane_system.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

Problem phase(const Settings& settings, bool is_loaded) {
  dae::System system = crane_system();
  system.set_parameter("payload.m", settings("hook_mass"));
  settings.apply_to(system);
  const double hook = system.parameter("payload.m");
  if (is_loaded) system.set_parameter("payload.m", hook + settings("load_mass"));
  const double length = system.parameter("rod.l"), place = settings("distance");
  if (!(settings("T") > 0)) throw InvalidArgument("T must be positive");
  system.set_initial_configuration("payload", {0, 0, -length});

  Problem problem(std::move(system), is_loaded ? "carry" : "return");
  limit_crane(problem);
  problem.set_free_horizon(0.5 * settings("T"));
  // Only the load has its place at the end of the first phase.
  const double x = is_loaded ? place : 0;
  problem.fix_end_configuration("payload", {x, 0, -length}, {0});
  problem.fix_end_velocity("payload", {0});
  if (!is_loaded) {
    problem.fix_end_configuration("trolley", {x, 0, 0}, {0});
    problem.fix_end_velocity("trolley", {0});
  }
  problem.set_guess([=](double s) {
    const double at = is_loaded ? s * place : (1 - s) * place;
    return std::vector<double>{at, 0, 0, at, 0, -length};
  });
  return problem;
}

PhasedProblem make(const Settings& settings, int steps) {
  PhasedProblem problem("drop_payload");
  problem.add_phase(phase(settings, true), steps);
  problem.add_phase(phase(settings, false), steps);
  problem.bound_total_time({settings("T"), settings("T")});
  return problem;
}

}  // namespace

BuiltInProblem drop_payload() {
  return {.name = "drop_payload",
          .description =
              "Carry a load with a crane, drop it and return: two phases, least integral of f^2",
          .parameters = {{"T", 6, "s", "the time of both phases"},
                         {"distance", 3, "m", "to where the load is dropped"},
                         {"hook_mass", 0.5, "kg", "of what hangs on the rod in both phases"},
                         {"load_mass", 1.5, "kg", "of what is dropped"}},
          .make_phases = make};
}

}  // namespace liegrad::control
