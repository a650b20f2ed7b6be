// Rest-to-rest reorientation of a rigid body in the least time, each torque within a limit. For a turn by π of a sphere
// about one of the axes of its torques, the rotation about that axis takes 2√π and satisfies the first-order conditions, but
// it is no minimum: the optimum leaves the axis and takes 3.2430 [BilimoriaWie1993].

#include <cmath>

#include "liegrad/control/problems/built_in.hpp"
#include "liegrad/control/problems/rotation_target.hpp"
#include "liegrad/control/problems/turning_body.hpp"

namespace liegrad::control {
namespace {

Problem make(const Settings& settings) {
  dae::System system = turning_body();
  settings.apply_to(system);
  const double limit = settings("torque_limit"), angle = settings("angle");
  if (!(limit > 0)) throw InvalidArgument("torque_limit must be positive");
  const lie::Vec<double, 3> axis = axis_of(settings), turn = angle * axis;
  const double inertia = axis(0) * axis(0) * system.parameter("body.J1") +
                         axis(1) * axis(1) * system.parameter("body.J2") +
                         axis(2) * axis(2) * system.parameter("body.J3");
  Problem problem(std::move(system), "time_optimal_reorientation");
  // The time about the axis with the limit of one torque.
  const double unit = std::sqrt(std::abs(inertia) / limit);
  problem.set_free_horizon(unit * (2 * std::sqrt(std::abs(angle)) + 1e-3));
  problem.fix_end_configuration("body", rotation_coeffs(turn));
  problem.fix_end_velocity("body");
  set_torque_units(problem);
  for (const char* const control : {"body.u1", "body.u2", "body.u3"}) {
    problem.set_control_bounds(control, {-limit, limit});
  }
  problem.add_end_cost([](const auto& at) { return at.time(); });
  // A guess on the axis would never leave it: what is symmetric stays so.
  lie::Vec<double, 3> across = axis.cross(lie::Vec<double, 3>::Unit(1));
  if (across.norm() < 0.1) across = axis.cross(lie::Vec<double, 3>::Unit(2));
  const lie::Vec<double, 3> tilt = settings("tilt") * across.normalized();
  problem.set_guess([turn, tilt](double s) {
    const auto c = (lie::SO3<double>::exp(s * turn) *
                    lie::SO3<double>::exp(std::sin(std::acos(-1.0) * s) * tilt))
                       .coeffs();
    return std::vector<double>{c(0), c(1), c(2), c(3)};
  });
  return problem;
}

}  // namespace

BuiltInProblem time_optimal_reorientation() {
  return {.name = "time_optimal_reorientation",
          .description = "Turn a body from rest to rest in the least time, each torque limited",
          .parameters = {{"angle", std::acos(-1.0), "rad", "by which it turns"},
                         {"axis1", 0, "1", "axis of the whole turn, of any length but zero"},
                         {"axis2", 0, "1", "second component"},
                         {"axis3", 1, "1", "third component"},
                         {"torque_limit", 1, "N m", "of each torque"},
                         {"tilt", 0.5, "rad", "by which the first guess leaves the axis"}},
          .make = make};
}

}  // namespace liegrad::control
